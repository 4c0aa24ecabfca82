import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createPorts } from '../../adapters/memory/index.ts';
import { loadWorld } from '../../adapters/memory/load-world.ts';
import { findBundledWorld, readWorld } from '../../adapters/memory/world-file.ts';
import {
  buildExample,
  getPortName,
  isOffered,
  type Operation,
  operations,
  perform,
  Rejection,
} from '../../src/api/index.ts';
import { type Call, listOffered, type Offer, type PortName } from '../../src/ports/index.ts';
import { callNow } from '../support/fhir-calls.ts';
import { setUpHospital } from '../support/fhir-hospital.ts';
import { makeDatabase, openMapping, writeMapping } from '../support/mapped-clinic.ts';

// No day that a caller may send, and no clock, is a bug of the gateway: the ends of the calendar are days as any other.

const { ports: fhirPorts } = await setUpHospital();
const world = readWorld(findBundledWorld('sandbox-hospital.json'));

const ends = [
  '0001-01-01',
  '0001-12-31',
  '0004-02-29',
  '1582-10-10',
  '1969-12-31',
  '9998-12-31',
  '9999-12-30',
  '9999-12-31',
];
const day = fc.oneof(
  fc.constantFrom(...ends),
  fc
    .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
);
const clock = fc.oneof(
  fc.constantFrom('0001-01-01T00:00:00.000Z', '9999-11-15T00:00:00.000Z', '9999-12-31T23:59:59.999Z'),
  day.map((each) => `${each}T03:00:00.000Z`),
);

/** What the document says of days, in the example of the operation or beside it. */
const others: Readonly<Record<string, (day: string) => Readonly<Record<string, string>>>> = {
  getAppointment: (dateFrom) => ({ dateFrom }),
  listTickets: (each) => ({ start_date: each, end_date: each }),
  searchPatients: (each) => ({ birth_date: each, gender: 'Female' }),
};

type Ports = Pick<Offer, PortName>;

/** The value with another day wherever it has one. */
function setDays(value: unknown, to: string): unknown {
  if (typeof value === 'string') {
    return value
      .replace(/^\d{4}-\d\d-\d\d(?=T|$)/, to)
      .replace(/^\d{4}\/\d\d\/\d\d$/, to.replaceAll('-', '/'))
      .replace(/\d{8}(?=T\d|$)/, to.replaceAll('-', ''));
  }
  if (Array.isArray(value)) return value.map((each: unknown) => setDays(each, to));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, setDays(each, to)]));
}

async function expectNoBug(ports: Ports, operation: Operation, to: string, call: Call) {
  if (!isOffered(operation, new Set(listOffered(ports)))) return;
  const { params = {}, query = {}, body } = buildExample(operation, new Date());
  const given = { ...(setDays(query, to) as object), ...others[operation.name]?.(to) };
  const port = ports[getPortName(operation)];
  try {
    await perform(operation, port, { params, query: given, body: setDays(body, to) }, call);
  } catch (error) {
    expect(error).toBeInstanceOf(Rejection);
    expect([operation.name, to, call.now, (error as Rejection).code]).not.toContain('internal_error');
  }
}

test.each(['America/Argentina/Buenos_Aires', 'Pacific/Kiritimati', 'Etc/GMT+12', 'America/Santiago'])(
  'on memory no day in a request is a bug, whatever the clock says, in %s',
  async (timeZone) => {
    await fc.assert(
      fc.asyncProperty(clock, day, async (now, to) => {
        const institution = { timeZone, locale: 'es-AR', bookingHorizonDays: 60 };
        const ports = createPorts(loadWorld(world, institution, now));
        for (const operation of operations) await expectNoBug(ports, operation, to, callNow({ now }));
      }),
      { numRuns: 12, examples: [['9999-12-31T23:59:59.999Z', '9999-12-31']] },
    );
  },
);

describe.each([
  ['fhir', async () => fhirPorts],
  ['mapping', async () => openMapping(writeMapping(makeDatabase()))],
] as const)('on %s', (_, open) => {
  test('no day in a request is a bug, at the ends of the calendar too', async () => {
    const ports = await open();
    for (const to of ends) {
      for (const now of [new Date().toISOString(), '9999-12-31T23:59:59.999Z', '0001-01-01T00:00:00.000Z']) {
        for (const operation of operations) await expectNoBug(ports, operation, to, callNow({ now }));
      }
    }
  });
});
