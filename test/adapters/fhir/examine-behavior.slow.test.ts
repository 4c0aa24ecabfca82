import { afterAll, describe, expect, test } from '@jest/globals';
import { capabilities, type Finding } from '../../../src/ports/index.ts';
import { both, INTERNAL, ignoring, onReferences, refusingNames } from '../../dialects/changes.ts';
import type { Dialect } from '../../dialects/proxy.ts';
import { startDialectProxy } from '../../dialects/proxy.ts';
import { startHospital } from '../../hospital-in-fhir/start.ts';
import { connect } from '../../support/fhir-adapter.ts';

const { server } = await startHospital();
const proxy = await startDialectProxy(server.url);
afterAll(() => server.reset());

/** What the examination of a server that speaks so says of its behavior. */
async function examine(dialect: Dialect): Promise<Finding[]> {
  server.reset();
  proxy.speak(dialect);
  const { readiness } = await connect(proxy);
  const { signal } = new AbortController();
  const findings = await Array.fromAsync(readiness.examine?.({ signal, uses: new Set(capabilities) }) ?? []);
  expect(findings.filter(({ ok, check }) => ok === false && !['behavior', 'references'].includes(check))).toEqual([]);
  return findings.filter(({ check }) => check === 'behavior');
}

describe('the examination of the behavior of a FHIR server', () => {
  test('says that it does what it is asked for', async () => {
    expect(await examine({})).toEqual([expect.objectContaining({ ok: true })]);
  });

  test.each([
    ['_offset', 'Appointment', 'all is read, and the page is cut out of it'],
    ['_revinclude', 'Slot, Patient', 'one more search finds what refers to the matches'],
  ])('notices that %s is ignored, and says what follows', async (part, types, otherWay) => {
    const [finding, ...others] = await examine(ignoring(part));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ ok: null });
    expect(finding?.detail).toMatch(
      new RegExp(`^the server accepts, and does not obey, ${part} of ${types} \\(seen at `),
    );
    expect(finding?.detail).toContain(otherWay);
  });

  test('says which optional parts are refused, and of which types', async () => {
    const found = await examine(refusingNames(['_revinclude', '_sort'], 400));
    const details = found.map(({ detail }) => detail).toSorted();
    expect(details).toEqual([
      expect.stringMatching(/^the server refuses _revinclude of .*Slot.* \(HTTP_400, seen at /),
      expect.stringMatching(/^the server refuses _sort of .*Appointment.* \(HTTP_400, seen at /),
    ]);
  });

  test('proposes the base that references name', async () => {
    const found = await examine(
      both(
        {},
        onReferences((path) => `${INTERNAL}/${path}`),
      ),
    );
    expect(found).toContainEqual(expect.objectContaining({ ok: false, fix: expect.stringContaining(`[${INTERNAL}]`) }));
  });
});
