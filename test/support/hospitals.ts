import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Finding } from '../../src/ports/index.ts';
import { countAnswers, listBookings, serveConfig } from './mapped-gateways.ts';
import { runPuente } from './process.ts';

/** A hospital of `examples/hospitals` that runs. */
export interface RunningHospital {
  /** What its file needs of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** For whom is booked, and what. */
  readonly patientId: string;
  readonly serviceId: string;
  /** How many appointments of the patient it has that are not canceled, read past the gateway. */
  countBooked(): Promise<number>;
}

const rounds = Number(process.env.BOOKING_ROUNDS ?? 10);
const nineteenTaken = { '201': 1, '409 slot_taken': 19 };

const findConfig = (name: string): string => join('examples/hospitals', name, 'puente.yaml');

/** A gateway in front of it, and the times of its service that it offers on a day, in their order. */
export async function serveHospital(name: string, { environment, serviceId }: RunningHospital) {
  const { ask } = await serveConfig(findConfig(name), environment);
  const bookings = await listBookings({ ask }, serviceId);
  const listTimes = (day: string) =>
    bookings.flatMap(({ date }) => (date.startsWith(day) ? [date.slice(11, 16)] : [])).toSorted();
  return { ask, listTimes };
}

/** Tests what is true of every hospital, by the files of its example alone. @param name its folder. */
export function describeHospital(
  name: string,
  { environment, patientId, serviceId, countBooked }: RunningHospital,
): void {
  const folder = join('examples/hospitals', name);
  const config = findConfig(name);
  const run = (...args: readonly string[]) => runPuente([...args, '--config', config], environment);

  describe(name, () => {
    test('has a file of which check says nothing, and in whose system doctor finds nothing wrong', async () => {
      const { code, stderr } = await run('check');
      expect({ code, faults: stderr.split('\n').filter((line) => line && !line.startsWith('note: ')) }).toEqual({
        code: 0,
        faults: [],
      });
      const { stdout } = await run('doctor', '--json', '--rehearse', patientId);
      const { checks }: { checks: Finding[] } = JSON.parse(stdout);
      expect(checks.filter(({ ok }) => ok === false)).toEqual([]);
      expect(checks.map(({ detail }) => detail)).toContain(
        'appointments.book was made twice and rolled back: the second one returns slot_taken',
      );
    });

    test('keeps the contract in all that it offers', async () => {
      const map = join(folder, 'contract.yaml');
      const { code, stdout } = await run('contract', '--map', map, '--level', 'destructive');
      process.stdout.write(`${name}: ${stdout.trim().split('\n').at(-1)}\n`);
      expect({ code, stdout: code === 0 || stdout }).toEqual({ code: 0, stdout: true });
    });

    test('offers times of those alone who work there', async () => {
      const { ask } = await serveConfig(config, environment);
      const { body } = await ask('GET', '/practitioner/');
      const { practitioner } = body as { practitioner: { id: string }[] };
      const offering = (await listBookings({ ask }, serviceId)).map((each) => each.practitioner_id);
      expect(offering).not.toEqual([]);
      expect([...new Set(offering)].filter((id) => !practitioner.some((each) => each.id === id))).toEqual([]);
    });

    test('books one of twenty who want one time at once through two gateways, and tells nineteen that it is taken', async () => {
      const gateways = await Promise.all([serveConfig(config, environment), serveConfig(config, environment)]);
      const before = await countBooked();
      for (let round = 1; round <= rounds; round++) {
        const [booking] = await listBookings(gateways[0], serviceId);
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            gateways[i % 2]!.ask('POST', `/patients/${patientId}/appointments`, booking),
          ),
        );
        expect(countAnswers(answers)).toEqual(nineteenTaken);
        expect(await countBooked()).toBe(before + round);
      }
      process.stdout.write(`${name}: ${rounds} rounds of one 201 and nineteen 409\n`);
    });

    test('books twenty times of one agenda at once through two gateways', async () => {
      const gateways = await Promise.all([serveConfig(config, environment), serveConfig(config, environment)]);
      const bookings = (await listBookings(gateways[0], serviceId)).slice(0, 20);
      const answers = await Promise.all(
        bookings.map((each, i) => gateways[i % 2]!.ask('POST', `/patients/${patientId}/appointments`, each)),
      );
      expect(countAnswers(answers)).toEqual({ '201': 20 });
    });
  });
}
