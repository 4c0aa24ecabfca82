import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { type Sigho, startSigho } from '../../examples/mapping-http/system/server.mjs';
import { openMapping } from './mapped-clinic.ts';
import { makeFolder } from './sqlite-state.ts';

Object.assign(process.env, { SIGHO_USER: 'puente', SIGHO_PASSWORD: 'secreta' });
const folder = makeFolder();

const running: Sigho[] = [];
afterAll(async () => {
  for (const each of running.splice(0)) await each.close();
});

/** The hospital of the example, and the adapter over its mapping file changed like this. Both end after the last test. */
export async function openHospital(change: (text: string) => string = (text) => text) {
  const sigho = await startSigho();
  running.push(sigho);
  const text = readFileSync('examples/mapping-http/hospital.yaml', 'utf8');
  const file = join(folder, `${randomUUID()}.yaml`);
  writeFileSync(file, change(text.replace('http://127.0.0.1:21610/sigho', sigho.url)));
  return { sigho, file, ports: await openMapping(file) };
}
