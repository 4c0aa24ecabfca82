import { beforeEach, describe, expect, test } from '@jest/globals';
import { medplum } from '../../../fhir-server/quirks.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { readDocumentedRights, readDocumentedScopes, readTableOfRights } from '../../../support/documented-rights.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { findSlot, toBooking } from '../../../support/fhir-bookings.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';

// The contract over these rights is in test/contract/fhir-ports.slow.test.ts.

const rights = readDocumentedRights();
const { server, id } = await startHospital({ ...medplum, rights });
beforeEach(() => server.reset());

const sortValues = (all: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(all).map(([type, each]) => [type, each.toSorted()]));

describe('the rights of docs/reference/fhir/set-up.md', () => {
  test('are the same in the table, in the AccessPolicy and in the scopes of SMART', () => {
    const table = readTableOfRights();
    expect(Object.keys(table).length).toBeGreaterThan(15);
    expect(sortValues(rights)).toEqual(sortValues(table));
    const letters = { create: 'c', read: 'r', vread: 'r', history: 'r', update: 'u', delete: 'd', search: 's' };
    const toLetters = (each: readonly (keyof typeof letters)[]) =>
      'cruds'.replaceAll(/./g, (letter) => (each.some((right) => letters[right] === letter) ? letter : ''));
    const scopes = Object.fromEntries(Object.entries(table).map(([type, each]) => [type, toLetters(each)]));
    expect(readDocumentedScopes()).toEqual(scopes);
  });

  test('suffice to test transactions and leave nothing', async () => {
    const { readiness } = await connect(server);
    expect((await readiness.report(new AbortController().signal)).impairments).toEqual([]);
    expect(await server.search('Basic')).toEqual([]);
  });

  test.each(['read', 'search', 'create', 'update', 'delete'] as const)('need %s of Basic for that', async (right) => {
    server.quirks.rights = { ...rights, Basic: rights.Basic?.filter((each) => each !== right) ?? [] };
    const { readiness } = await connect(server);
    const { impairments } = await readiness.report(new AbortController().signal);
    const isLeft = (await server.search('Basic')).length > 0;
    expect(isLeft || impairments.some(({ code }) => code === 'backend_untestable')).toBe(true);
  });

  test('suffice to undo what was done by halves', async () => {
    server.quirks.transactions = 'batch';
    const { ports } = await connect(server, { transactions: 'trust' });
    const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
    const before = await server.search('Appointment');
    const book = () => ports.appointments.book(id('Patient/bruno'), toBooking(slot), callNow());
    const results = await Promise.allSettled([book(), book(), book()]);
    const half = matchFailure('outcome_unknown', { code: 'non_atomic_transaction' });
    expect(results).toContainEqual({ status: 'rejected', reason: matchFailure('unsupported', { cause: half }) });
    expect(await server.search('Appointment')).toHaveLength(before.length + 1);
  });
});
