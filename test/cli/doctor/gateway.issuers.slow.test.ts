import { afterAll, describe, expect, test } from '@jest/globals';
import type { Finding } from '../../../src/ports/index.ts';
import { ConfigFolder } from '../../support/config-file.ts';
import { serve } from '../../support/listen.ts';
import { runPuente } from '../../support/process.ts';
import { createProvider } from '../../support/provider.ts';

const folder = new ConfigFolder();
const { keys } = await createProvider('RS512');
const provider = await serve((request, response) => {
  if (request.url === '/introspect') response.writeHead(401).end();
  else response.writeHead(200, { Date: new Date(Date.now() - 600_000).toUTCString() }).end(JSON.stringify(keys));
});
const { host } = new URL(provider);
afterAll(() => folder.remove());

const introspection = { endpoint: `${provider}/introspect`, clientId: 'c', clientSecret: 'env:SECRET' };

/** What the command finds wrong with these settings of `auth.jwt`, one line each. */
async function diagnose(jwt: object, environment: Readonly<Record<string, string>> = {}) {
  const given = { issuer: 'https://id.invalid', audience: 'puente', ...jwt };
  const file = folder.write('puente.yaml', JSON.stringify({ auth: { jwt: given } }));
  const { code, stdout } = await runPuente(['doctor', '--json', '--config', file], environment);
  const { checks }: { checks: Finding[] } = JSON.parse(stdout);
  return { code, wrong: checks.filter(({ ok }) => ok === false).map(({ detail, fix }) => `${detail}; ${fix}`) };
}

describe('puente doctor', () => {
  test('tells an issuer without keys of an accepted algorithm, with another time, and that knows no client of ours', async () => {
    const { code, wrong } = await diagnose({ jwksUri: `${provider}/keys`, introspection }, { SECRET: 's' });
    expect(wrong).toEqual([
      expect.stringMatching(/^no key of 127.* verifies RS256.*: its keys are for RS512; add the provider/),
      expect.stringMatching(/^the clock of the issuer is 10 minutes behind .*; synchronize both machines/),
      expect.stringMatching(/^127.* does not report .* \(HTTP_401\).*; check clientId and the secret/),
    ]);
    expect(code).toBe(1);
  });

  test('tells one that cannot be reached', async () => {
    const { wrong } = await diagnose({ jwksUri: 'http://127.0.0.1:1/keys' });
    expect(wrong).toEqual([
      expect.stringMatching(/^the keys .* from 127\.0\.0\.1:1 \(ECONNREFUSED\); start the provider/),
    ]);
  });

  test('says that nothing speaks TLS where an https address has the port of http', async () => {
    const { wrong } = await diagnose({ jwksUri: `https://${host}/keys` });
    expect(wrong).toEqual([expect.stringMatching(/ \(ERR_SSL_WRONG_VERSION_NUMBER\); .*: the port has no TLS$/)]);
  });
});
