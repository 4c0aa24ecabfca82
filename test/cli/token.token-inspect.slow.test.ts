import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigFolder } from '../support/config-file.ts';
import { serve } from '../support/listen.ts';
import { runPuente } from '../support/process.ts';
import { createProvider, inSeconds } from '../support/provider.ts';

const folder = new ConfigFolder();
const { keys, sign } = await createProvider();
const others = await createProvider();
const provider = await serve((_request, response) => response.end(JSON.stringify(keys)));
afterAll(() => folder.remove());

folder.write('keys.json', JSON.stringify(keys));
const usual = { preset: 'keycloak', issuer: 'i', audience: 'puente', algorithms: ['RS256'] };
const jwksUri = `${provider}/keys`;
const claims = {
  iss: 'i',
  aud: 'puente',
  typ: 'Bearer',
  azp: 'app',
  sub: 'ana',
  scope: 'slots:read',
  exp: inSeconds(60),
};

/** The command with this on its standard input. */
function inspect(input: string, where: object = { jwksFile: 'keys.json' }) {
  const file = folder.write('puente.yaml', JSON.stringify({ auth: { jwt: { ...usual, ...where } } }));
  return runPuente(['token', 'inspect', '--config', file], {}, { input, compares: false });
}

describe('puente token inspect', () => {
  test('says what is in a token, and that it passes every check', async () => {
    const token = await sign({ typ: 'JWT' }, claims);
    const { code, stdout } = await inspect(`Bearer ${token}\n`);
    expect(stdout).toMatch(/^ {2}client: "app"\n {2}scopes: \["slots:read"\]$/m);
    expect(stdout).toMatch(/^ok {4}bad_signature$/m);
    expect([code, stdout.includes('wrong '), stdout.includes(token)]).toEqual([0, false, false]);
  });

  test('says which checks fail, names the page with the fixes, and exits with 1', async () => {
    const token = await sign({ typ: 'JWT' }, { ...claims, aud: 'other', iat: inSeconds(3_600) });
    const { code, stdout } = await inspect(token);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ {2}aud: "other"\n(.*\n)*The gateway expects\n(.*\n)* {2}audience: "puente"$/m);
    expect(stdout.match(/^wrong .*$/gm)).toEqual(['wrong wrong_audience', 'wrong issued_ahead']);
    expect(stdout).toMatch(/^"When a token is refused" in docs\/how-to\/identity\.md /m);
    for (const part of [...token.split('.'), 'ana']) expect(stdout).not.toContain(part);
  });

  test.each([
    ['unknown_key', sign, 'gone'],
    ['bad_signature', others.sign, 'k1'],
  ])('says %s of keys that the issuer publishes, and exits with 1', async (reason, by, kid) => {
    const { code, stdout, stderr } = await inspect(await by({ typ: 'JWT', kid }, claims), { jwksUri });
    expect(stdout).toContain(`  kid: "${kid}"\n`);
    expect(stdout.match(/^wrong .*$/gm)).toEqual([`wrong ${reason}`]);
    expect([code, stderr]).toEqual([1, '']);
  });
});
