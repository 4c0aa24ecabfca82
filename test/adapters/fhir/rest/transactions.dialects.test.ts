import { beforeEach, describe, expect, test } from '@jest/globals';
import { isTransaction } from '../../../dialects/changes.ts';
import { dialects } from '../../../dialects/dialects.ts';
import { type Dialect, startDialectProxy } from '../../../dialects/proxy.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { findSlot, toBooking } from '../../../support/fhir-bookings.ts';
import { callNow } from '../../../support/fhir-calls.ts';

const { server, id } = await startHospital();
const proxy = await startDialectProxy(server.url);

beforeEach(() => server.reset());

async function look(dialect: Dialect): Promise<string[]> {
  proxy.speak(dialect);
  const { readiness } = await connect(proxy);
  return (await readiness.report(new AbortController().signal)).impairments.map(({ code }) => code);
}

/** A server that compares ETags as RFC 9110 has it for If-Match: a weak one is never the same. */
const refusesWeak: Dialect = {
  ask: (asked) => {
    if (isTransaction(asked)) asked.body = asked.body.replaceAll(/"ifMatch":"W[^,}]*"/g, '"ifMatch":"W/\\"none\\""');
    return undefined;
  },
};

const failing400 = dialects['a failed transaction is 400']!.create();

describe('the test of transactions', () => {
  test.each<[string, Dialect, string[]]>([
    ['nothing of a server that does them', {}, []],
    ['nothing of one whose ETags are strong', dialects['strong ETags']!.create(), []],
    ['nothing of one that answers 400 to one that fails', failing400, []],
    ['that ifMatch is ignored', dialects['If-Match ignored']!.create(), ['backend_ignores_if_match']],
    ['that weak ETags are refused', refusesWeak, ['backend_refuses_if_match']],
  ])('says %s', async (_, dialect, impairments) => {
    expect(await look(dialect)).toEqual(impairments);
    expect(await server.search('Basic')).toEqual([]);
  });
});

test('of two bookings of a slot one is 409, on a server that answers 400 to a transaction that fails', async () => {
  proxy.speak(failing400);
  const { ports } = await connect(proxy);
  const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
  const book = () => ports.appointments.book(id('Patient/bruno'), toBooking(slot), callNow());
  const results = await Promise.allSettled([book(), book(), book()]);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const lost = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(lost.map(({ kind, code }) => [kind, code])).toEqual(Array(2).fill(['conflict', 'slot_taken']));
});
