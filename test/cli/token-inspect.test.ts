import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigFolder } from '../support/config-file.ts';
import { createProvider, inSeconds } from '../support/provider.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

const { keys, sign } = await createProvider();
folder.write('keys.json', JSON.stringify(keys));
const file = folder.write(
  'puente.yaml',
  'auth: { jwt: { preset: keycloak, issuer: i, audience: puente, jwksFile: keys.json, algorithms: [RS256] } }\n',
);
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
function inspect(input: string) {
  const program = join(import.meta.dirname, '../../src/cli/index.ts');
  const args = [program, 'token', 'inspect', '--config', file];
  const { status, stdout } = spawnSync(process.execPath, args, {
    input,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  return { code: status, stdout };
}

describe('puente token inspect', () => {
  test('says step by step that a token is well', async () => {
    const token = await sign({ typ: 'JWT' }, claims);
    const { code, stdout } = inspect(`Bearer ${token}\n`);
    expect(stdout).toMatch(/^ok {4}its client is app$/m);
    expect([code, stdout.includes('wrong'), stdout.includes(token)]).toEqual([0, false, false]);
  });

  test('says what is wrong, with the fix, and exits with 1', async () => {
    const token = await sign({ typ: 'JWT' }, { ...claims, aud: 'other' });
    const { code, stdout } = inspect(token);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^wrong wrong_audience: .*\n {6}let the provider put "puente" there/m);
    for (const part of [...token.split('.'), 'ana']) expect(stdout).not.toContain(part);
  });
});
