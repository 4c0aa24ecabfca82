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

/** The hospital of the example. It ends after the last test. */
export async function runSigho(options?: Parameters<typeof startSigho>[0]): Promise<Sigho> {
  const sigho = await startSigho(options);
  running.push(sigho);
  return sigho;
}

/** The mapping file of the example over the system at this address, changed like this. */
export function writeHospitalMapping(url: string, change: (text: string) => string = (text) => text): string {
  const file = join(folder, `${randomUUID()}.yaml`);
  const text = readFileSync('examples/mapping-http/hospital.yaml', 'utf8');
  writeFileSync(file, change(text.replace('http://127.0.0.1:21610/sigho', url)));
  return file;
}

/** The hospital of the example, and the adapter over its mapping file changed like this. Both end after the last test. */
export async function openHospital(change?: (text: string) => string) {
  const sigho = await runSigho();
  const file = writeHospitalMapping(sigho.url, change);
  return { sigho, file, ports: await openMapping(file) };
}
