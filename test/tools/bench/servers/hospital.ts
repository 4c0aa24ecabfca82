/** The stand-in FHIR server of the tests, which executes searches: a hospital with 12,000 free slots of one service. */
import type { Schedule } from '@medplum/fhirtypes';
import { startFhirServer } from '../../../fhir-server/server.ts';
import { buildHospital } from '../../../hospital-in-fhir/hospital.ts';
import { announce } from './bodies.ts';

const DAY = 86_400_000;
const server = await startFhirServer({ resources: buildHospital(new Date()) });
for (const slot of await server.search('Slot', 'status=free&_count=5000')) await server.delete('Slot', slot.id);
const { id: _, ...model } = await server.read('Schedule', server.ids.get('Schedule/paz-central') ?? '');
const nine = Math.floor(Date.now() / DAY) * DAY + 2 * DAY + 43_200_000;
for (let number = 0; number < 24; number++) {
  const { id } = await server.create<Schedule>(model);
  const schedule = { reference: `Schedule/${id}` };
  for (let at = 0; at < 500; at++) {
    // Ten of twenty minutes on each of 50 days.
    const begins = nine + Math.floor(at / 10) * DAY + (at % 10) * 1_200_000;
    const [start = '', end] = [begins, begins + 1_200_000].map((moment) => new Date(moment).toISOString());
    server.load({ resourceType: 'Slot', id: `s-${number}-${at}`, schedule, status: 'free', start, end });
  }
}
announce(Number(new URL(server.url).port));
