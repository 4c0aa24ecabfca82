import { expect, test } from '@jest/globals';
import { type Dialect, startDialectProxy } from '../../../dialects/proxy.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { concept, ownCodes, ownIds } from '../../../hospital-in-fhir/terms.ts';
import { connect, type FhirPorts } from '../../../support/fhir-adapter.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';

const { server, id } = await startHospital();
const proxy = await startDialectProxy(server.url);

/** Ignores conditions, and deletes nothing. Another client creates the twin just before the first create. */
function losingRace(type: string, loadTwin: () => void): Dialect {
  let isFirst = true;
  return {
    ask: ({ method, headers, path }) => {
      delete headers['if-none-exist'];
      if (method === 'DELETE') return { status: 405, headers: {}, body: '' };
      if (method === 'POST' && path === type && isFirst) {
        isFirst = false;
        loadTwin();
      }
      return undefined;
    },
  };
}

const patient = () => ({ reference: `Patient/${id('Patient/bruno')}` });

const writes: readonly (readonly [string, string, () => object, (ports: FhirPorts) => Promise<unknown>])[] = [
  [
    'coverage_exists',
    'Coverage',
    () => ({
      status: 'active',
      beneficiary: patient(),
      payor: [],
      identifier: [{ system: ownIds(`credential/${id('Organization/swiss')}`), value: '77' }],
      subscriberId: '77',
    }),
    ({ insurance }) => {
      const planId = id('InsurancePlan/swiss-smg20');
      const wanted = { beneficiaryId: id('Patient/bruno'), planId, credentialNumber: '77' };
      return insurance.create(wanted, callNow({ idempotencyKey: 'k' }));
    },
  ],
  [
    'relation_exists',
    'RelatedPerson',
    () => ({ patient: patient(), identifier: [{ system: ownIds('related-patient'), value: id('Patient/elena') }] }),
    (ports) => {
      const relative = { relatedPatientId: id('Patient/elena'), relationshipCode: 2, relationshipDescription: '' };
      return ports['family-groups'].add(
        id('Patient/bruno'),
        { ...relative, active: true },
        callNow({ idempotencyKey: 'k' }),
      );
    },
  ],
  [
    'change_request_open',
    'Task',
    () => ({
      status: 'requested',
      intent: 'proposal',
      for: patient(),
      code: concept(ownCodes('task-kind'), 'main-practitioner-change'),
      authoredOn: '2026-01-01T00:00:00Z',
    }),
    ({ practitioners }) =>
      practitioners.requestChange(id('Patient/bruno'), { reasonId: 'otro' }, callNow({ idempotencyKey: 'k' })),
  ],
];

test.each(writes)(
  'a write that lost a race is %s also when it is repeated with its key, although its %s cannot be deleted',
  async (code, type, twin, write) => {
    server.reset();
    const meta = { lastUpdated: '2026-01-01T00:00:00Z' };
    proxy.speak(losingRace(type, () => server.load({ resourceType: type, id: 'twin', meta, ...twin() } as never)));
    const { ports } = await connect(proxy, { transactions: 'trust' });
    const conflict = matchFailure('conflict', { code });
    await expect(write(ports)).rejects.toEqual(conflict);
    await expect(write(ports)).rejects.toEqual(conflict);
  },
);
