import { expect, test } from '@jest/globals';
import { enlargeWorld } from '../../../adapters/memory/large-world.ts';
import { loadWorld } from '../../../adapters/memory/load-world.ts';
import { parseWorld } from '../../../adapters/memory/world-file.ts';
import { PuenteProcess } from '../../support/process.ts';
import { bundledWorld } from '../../support/sandbox.ts';

const institution = { timeZone: 'America/Argentina/Buenos_Aires', locale: 'es-AR', bookingHorizonDays: 60 };

test('the large world has 10,000 patients, 60 practitioners and a year, without a contradiction', () => {
  const large = enlargeWorld(bundledWorld, 7);
  expect([large.patients.length, large.practitioners.length]).toEqual([10_000, 60]);
  const weeks = large.appointments.map(({ week }) => week);
  expect(weeks.reduce((a, b) => Math.max(a, b)) - weeks.slice(-1_000).reduce((a, b) => Math.min(a, b))).toBe(51);
  expect(parseWorld(JSON.parse(JSON.stringify(large))).appointments).toHaveLength(large.appointments.length);
});

test('the large world is the same for the same seed, and begins with the small one', () => {
  const large = enlargeWorld(bundledWorld, 7);
  expect(enlargeWorld(bundledWorld, 7)).toEqual(large);
  expect(enlargeWorld(bundledWorld, 8).patients).not.toEqual(large.patients);
  expect(large.patients.slice(0, bundledWorld.patients.length)).toEqual(bundledWorld.patients);
});

test('the large world takes a second and a half of processor time to make and to load, and a reset a tenth', () => {
  const spent = (work: () => unknown): number => {
    const { user, system } = process.threadCpuUsage();
    work();
    const after = process.threadCpuUsage();
    return (after.user - user + after.system - system) / 1_000;
  };
  let world: ReturnType<typeof loadWorld> | undefined;
  const load = spent(() => {
    world = loadWorld(enlargeWorld(bundledWorld, 7), institution, new Date().toISOString());
  });
  expect(load).toBeLessThan(1_500);
  expect(spent(() => world?.copy(() => 'new'))).toBeLessThan(load / 5);
});

test('serve --sandbox --world large finds people and free times in it', async () => {
  const running = new PuenteProcess(['serve', '--sandbox', '--port', '0', '--world', 'large', '--seed', '7']);
  await running.waitForOutput('\n');
  const { url, token } = JSON.parse(running.stdout) as { url: string; token: string };
  const ask = async (path: string) => {
    const answer = await fetch(url + path, { headers: { Authorization: `Bearer ${token}` } });
    return (await answer.json()) as Record<string, unknown[] | string>;
  };
  const patient = await ask('/patients/patient-10000');
  const { practitioner } = await ask('/practitioner/');
  const { appointments = '' } = await ask('/available-appointments/search?health_care_service_id=consulta-clinica');
  const cast = await ask('/patients/passport');
  running.signal('SIGTERM');
  await running.ended;
  expect([patient.id, practitioner?.length]).toEqual(['patient-10000', 60]);
  expect(appointments.length).toBeGreaterThan(100);
  expect(cast.identifier_type).toBe('Passport');
});
