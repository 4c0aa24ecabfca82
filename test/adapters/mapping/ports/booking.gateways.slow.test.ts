import { describe, expect, test } from '@jest/globals';
import { listBookings, serveMapping } from '../../../support/mapped-gateways.ts';
import { openHospital } from '../../../support/mapped-hospital.ts';
import { type ClinicServer, clinicServers } from '../../../support/server-clinics.ts';

const ROUNDS = 10;
const nineteenTaken = ['201 ', ...Array.from({ length: 19 }, () => '409 slot_taken')];

const systems = [
  ...clinicServers,
  {
    kind: 'the HTTP system of the example',
    missing: undefined,
    make: async () => {
      const { sigho, file } = await openHospital();
      const count = () => sigho.hospital.turnos.filter(({ paciente }) => paciente === 1002).length;
      const environment = { SIGHO_USER: 'puente', SIGHO_PASSWORD: 'secreta' };
      return { file, environment, run: async () => [{ booked: count() }] };
    },
  },
];

// Servers end after the last test, which only the file itself may ask for, before the tests begin.
const made: { kind: string; missing: string | undefined; system?: Awaited<ReturnType<ClinicServer['make']>> }[] = [];
for (const { kind, missing, make } of systems) {
  made.push({ kind, missing, ...(missing === undefined && { system: await make() }) });
}

describe.each(made)('over $kind', ({ missing, system }) => {
  if (missing !== undefined) return void test.skip(`skipped: ${missing}`, () => undefined);

  test('of twenty bookings of one slot through two gateways at once one is made, and nineteen are told that it is taken', async () => {
    const { file, environment, run } = system!;
    const gateways = await Promise.all([serveMapping(file, environment), serveMapping(file, environment)]);
    for (let round = 1; round <= ROUNDS; round++) {
      const [booking] = await listBookings(gateways[0]);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => gateways[i % 2]!.ask('POST', '/patients/1002/appointments', booking)),
      );
      expect(answers.map(({ status, code = '' }) => `${status} ${code}`).toSorted()).toEqual(nineteenTaken);
      const [row] = await run('SELECT count(*) AS booked FROM turnos WHERE id_paciente = 1002');
      expect(Number(row?.booked)).toBe(round);
    }
  }, 120_000);
});
