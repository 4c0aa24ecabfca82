import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { checkContract } from '../../../src/cli/contract/run.ts';
import { ConfigFolder } from '../../support/config-file.ts';
import { findFreePort } from '../../support/free-port.ts';
import { runSigho, writeHospitalMapping } from '../../support/mapped-hospital.ts';
import { readPrinted } from '../../support/printed.ts';
import { serve, token } from '../../support/process.ts';

const folder = new ConfigFolder();
const { url: system } = await runSigho();
const throughPort = await findFreePort();
const adapter = {
  name: 'mapping',
  settings: {
    file: writeHospitalMapping(`http://127.0.0.1:${throughPort}${new URL(system).pathname}`),
    keys: { kind: 'sqlite', file: `${folder.path}/keys.db`, encryptionKey: 'env:KEYS_KEY' },
  },
};
const config = { institution: { timeZone: 'America/Argentina/Buenos_Aires' }, adapter };
const gateway = await serve({
  PUENTE_CONFIG: folder.write('through.yaml', JSON.stringify(config)),
  SIGHO_USER: 'puente',
  SIGHO_PASSWORD: 'secreta',
  KEYS_KEY: randomBytes(32).toString('base64'),
});
afterAll(async () => {
  gateway.signal('SIGTERM');
  await gateway.ended;
  folder.remove();
});

const run = (through: string) =>
  readPrinted((output) =>
    checkContract(
      {
        url: gateway.url,
        map: 'examples/mapping-http/contract.yaml',
        only: 'lost.',
        level: 'destructive',
        verbose: true,
        through,
        throughPort,
      },
      {
        ...output,
        environment: { PUENTE_CONTRACT_TOKEN: token },
        signal: new AbortController().signal,
        progress: { write: () => {} },
      },
    ),
  );

test('a gateway is judged by writes whose answers are lost on a line to its system', async () => {
  const { code, printed } = await run(system);
  expect(printed).toContain('✔ appointments.book: a request whose answer is lost behind the gateway answers\n');
  expect(printed).toContain('✔ patients.register: ');
  expect(printed).toMatch(/ 0 failed, /);
  expect(code).toBe(0);
}, 60_000);

test('no line is opened to what is no address', async () => {
  await expect(run('the system')).rejects.toThrow(
    'the line to the system of --through cannot be opened (ERR_INVALID_URL)',
  );
});
