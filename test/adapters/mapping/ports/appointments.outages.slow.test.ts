import { describe, expect, test } from '@jest/globals';
import { expectBookedOnce, expectToldRightly } from '../../../support/booked-once.ts';
import {
  type Answered,
  bookAtOnce,
  bookUntilMade,
  countAnswers,
  listBookings,
  serveMapping,
} from '../../../support/mapped-gateways.ts';
import { makeHospital, mappedSystems } from '../../../support/mapped-systems.ts';

const rounds = Number(process.env.RESTART_ROUNDS ?? 2);
const postgres = mappedSystems.find(({ kind }) => kind === 'postgres');
const clinic = postgres?.missing === undefined ? await postgres?.make() : undefined;

describe('a PostgreSQL that is started again', () => {
  if (!clinic) return void test.skip(`skipped: ${postgres?.missing}`, () => undefined);

  test(`amid twenty bookings has each of them once, as the callers are told, in ${rounds} rounds`, async () => {
    const gateway = await serveMapping(clinic);
    const made: Answered[] = [];
    for (let round = 1; round <= rounds; round++) {
      const bookings = (await listBookings(gateway)).slice(0, 20);
      const [answers] = await Promise.all([bookAtOnce(gateway, bookings), clinic.restart?.()]);
      const known = await expectToldRightly(clinic, bookings, answers);
      const told = JSON.stringify(countAnswers(answers));
      process.stdout.write(`restart ${round}: ${known - made.length} booked, told ${told}\n`);
      made.push(...(await bookUntilMade(gateway, bookings)));
      await expectBookedOnce(clinic, made);
    }
  });
});

describe('a session that ends', () => {
  test('amid bookings is begun again by one of them, and each booking is made once', async () => {
    const requests = 40;
    const hospital = await makeHospital(requests);
    const seen = { requests: 0, logins: 0 };
    hospital.between.watch = () => (sent) => {
      const text = sent.toString('latin1');
      if (/^(GET|POST) /.test(text)) seen.requests++;
      if (text.startsWith('POST /sigho/entrar ')) seen.logins++;
      return 'passed';
    };
    const gateway = await serveMapping(hospital);
    const times = await listBookings(gateway);
    const answers: Answered[] = [];
    // Sessions end at other requests of a booking each time.
    for (const first of [0, 20, 40]) answers.push(...(await bookAtOnce(gateway, times.slice(first, first + 20))));
    process.stdout.write(`sessions: ${JSON.stringify(seen)}, told ${JSON.stringify(countAnswers(answers))}\n`);
    await expectBookedOnce(hospital, answers);
    expect(answers).toHaveLength(60);
    expect(seen.logins).toBeGreaterThan(1);
    expect(seen.logins).toBeLessThanOrEqual(1 + seen.requests / requests);
  });
});
