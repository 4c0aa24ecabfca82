import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { type Openmrs, startOpenmrs } from '../../examples/hospitals/openmrs/system/server.mjs';
import { openMapping } from './mapped-clinic.ts';
import { makeFolder } from './sqlite-state.ts';

process.env.OPENMRS_PASSWORD = 'secreta';
const folder = makeFolder();
export const serviceId = '5e000000-0000-4000-8000-000000000501';
export const practitionerId = '40f00000-0000-4000-8000-000000052110';
export const patientId = '9a000000-0000-4000-8000-000000001002';

const running: Openmrs[] = [];
afterAll(async () => {
  for (const each of running.splice(0)) await each.close();
});

/** OpenMRS of the example, and the adapter over its mapping file changed like this. Both end after the last test. */
export async function openOpenmrs(change: (text: string) => string = (text) => text) {
  const openmrs = await startOpenmrs();
  running.push(openmrs);
  const file = join(folder, `${randomUUID()}.yaml`);
  const text = readFileSync('examples/hospitals/openmrs/openmrs.yaml', 'utf8');
  writeFileSync(file, change(text.replace('http://127.0.0.1:21620/openmrs/ws', openmrs.url)));
  return { openmrs, file, ports: await openMapping(file) };
}

/** What of a patient is not canceled there. */
export const listActive = ({ hospital }: Openmrs, id = patientId) =>
  hospital.appointments.filter(({ patient, status }) => patient.uuid === id && status !== 'Cancelled');
