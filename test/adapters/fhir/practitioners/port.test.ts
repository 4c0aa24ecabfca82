import { expect, test } from '@jest/globals';
import { startDialectProxy } from '../../../dialects/proxy.ts';
import { concept, ownCodes, to } from '../../../hospital-in-fhir/terms.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server } = await setUpHospital();
const proxy = await startDialectProxy(server.url);

/** Sixty requests, of which the one in the middle was made last and is the only open one. */
function loadRequests(): void {
  server.load({ resourceType: 'Patient', id: 'alma', gender: 'female', birthDate: '1990-02-01' });
  for (let n = 0; n < 60; n++) {
    const isLast = n === 55;
    server.load({
      resourceType: 'Task',
      id: `request-${n}`,
      status: isLast ? 'requested' : 'rejected',
      intent: 'proposal',
      code: concept(ownCodes('task-kind'), 'main-practitioner-change'),
      for: to('Patient/alma'),
      authoredOn: isLast ? '2026-03-01T12:00:00Z' : new Date(Date.UTC(2026, 0, 1 + (n % 30))).toISOString(),
    });
  }
}

test.each([
  ['ignores', false],
  ['rejects', true],
])(
  'the latest request for another practitioner is that of the last date on a server that %s `_sort`',
  async (_, refuses) => {
    loadRequests();
    proxy.speak({
      ask: ({ query }) => {
        const isSorted = query.has('_sort');
        query.delete('_sort');
        const issue = [{ severity: 'error', code: 'not-supported', diagnostics: 'Unsupported parameter _sort' }];
        const body = { resourceType: 'OperationOutcome', issue };
        return isSorted && refuses
          ? { status: 400, headers: { 'content-type': 'application/fhir+json' }, body }
          : undefined;
      },
    });
    const { ports } = await connect(proxy, { transactions: 'trust' });
    expect(await ports.practitioners.changeRequestOf('alma', callNow())).toMatchObject({ id: 'request-55' });
    await expect(ports.practitioners.requestChange('alma', { reasonId: 'otro' }, callNow())).rejects.toEqual(
      matchFailure('conflict', { code: 'change_request_open' }),
    );
  },
);
