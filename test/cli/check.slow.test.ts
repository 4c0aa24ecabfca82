import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { makeCertificate } from '../fault-server/certificate.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { serve } from '../support/listen.ts';
import { runPuente } from '../support/process.ts';
import { createProvider } from '../support/provider.ts';

const folder = new ConfigFolder();
const { keys } = await createProvider('RS512');
const provider = await serve((_request, response) => response.end(JSON.stringify(keys)));
afterAll(() => folder.remove());

const introspection = { endpoint: `${provider}/introspect`, clientId: 'c', clientSecret: 'env:SECRET' };

/** The command over these settings of `auth.jwt`. */
async function check(jwt: object, environment: object = {}) {
  const given = { issuer: 'https://id.invalid', audience: 'puente', ...jwt };
  const file = folder.write('puente.yaml', JSON.stringify({ auth: { jwt: given } }));
  const program = join(import.meta.dirname, '../../src/cli/index.ts');
  const env = { PATH: process.env.PATH, ...environment };
  return new Promise<{ code: unknown; stderr: string }>((resolve) =>
    execFile(process.execPath, [program, 'check', '--config', file], { env }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    ),
  );
}

describe('puente check', () => {
  test('asks no issuer and no system, and warns of none', async () => {
    const { code, stderr } = await check({ jwksUri: 'http://127.0.0.1:1/keys' });
    expect({ code, warnings: stderr.match(/^warning: auth/gm) }).toEqual({ code: 0, warnings: null });
  });

  test.each([[['--live']], [['--live', '--patient', '1001']]])(
    'refuses %j with a sentence that names doctor',
    async (args) => {
      const { code, stdout, stderr } = await runPuente(['check', ...args]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^error: check sends no requests: run .*doctor, whose --rehearse replaces --patient$/m);
    },
  );

  test('warns of certificates that have ended, or do so within a month, by setting and file', async () => {
    const own = makeCertificate({ days: -1 });
    const ended = folder.write('-1.pem', own.cert);
    const ends = folder.write('12.5.pem', makeCertificate({ days: 12.5 }).cert);
    const settings = { baseUrl: 'https://fhir.invalid/r4', tls: { cert: ended, key: 'env:KEY' } };
    const jwt = { issuer: 'https://id.invalid', audience: 'puente', jwksUri: `${provider}/keys` };
    const file = folder.write(
      'certificates.yaml',
      JSON.stringify({
        adapter: { name: 'fhir', settings },
        auth: { jwt: { ...jwt, ca: ends }, issuers: [{ ...jwt, issuer: 'https://other.invalid', ca: ends }] },
      }),
    );
    const { code, stderr } = await runPuente(['check', '--config', file], { KEY: own.key }, { compares: false });
    const lines = stderr.split('\n').filter((line) => line.includes(' a certificate in '));
    expect(lines).toEqual([
      expect.stringMatching(/ auth\.jwt\.ca: a certificate in .*12\.5\.pem ends on 20.*, in 12 days; renew it/),
      expect.stringMatching(
        /^warning: .*:1 adapter\.settings\.tls\.cert: a certificate in .*-1\.pem ended on 20.*; renew it/,
      ),
      expect.stringMatching(/ auth\.issuers\[0\]\.ca: a certificate in .*12\.5\.pem ends on 20/),
    ]);
    expect([code, stderr.includes('BEGIN')]).toEqual([0, false]);
  });

  test('fails for a secret that is not there', async () => {
    const { code, stderr } = await check({ jwksUri: `${provider}/keys`, introspection });
    expect(stderr).toMatch(/auth\.jwt\.introspection\.clientSecret: env:SECRET is not set or empty/);
    expect(code).toBe(78);
  });

  test('fails for what keeps the state from being opened, and tells it with all else that is wrong', async () => {
    const jwt = { jwksUri: `${provider}/keys`, introspection };
    const state = {
      PUENTE_STATE_KIND: 'postgres',
      PUENTE_STATE_URL: 'env:URL',
      PUENTE_STATE_ENCRYPTION_KEY: 'env:KEY',
    };
    const { code, stderr } = await check(jwt, { ...state, URL: 'postgres://127.0.0.1:1/x' });
    expect(stderr).toMatch(/auth\.jwt\.introspection\.clientSecret: env:SECRET is not set or empty\n/);
    expect(stderr).toMatch(/^PUENTE_STATE_ENCRYPTION_KEY: env:KEY is not set or empty$/m);
    expect(code).toBe(78);
    const set = { SECRET: 's', KEY: 'ab'.repeat(32) };
    expect((await check(jwt, { ...state, ...set })).stderr).toMatch(/PUENTE_STATE_URL: env:URL is not set or empty/);
    expect((await check(jwt, { ...state, ...set, URL: 'postgres://127.0.0.1:1/x' })).code).toBe(0);
  });

  test('takes puente.yaml of the current folder where nobody names a file', async () => {
    folder.write('puente.yaml', 'institution: { locale: es-UY }');
    const program = join(import.meta.dirname, '../../src/cli/index.ts');
    const check = promisify(execFile)(process.execPath, [program, 'check'], {
      cwd: folder.path,
      env: { PATH: process.env.PATH },
    });
    expect((await check).stdout).toMatch(/^ok {2}puente\.yaml$/m);
  });
});
