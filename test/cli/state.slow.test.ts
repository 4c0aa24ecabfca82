import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { runPuente, serve, token } from '../support/process.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const folder = makeFolder();
const keys = { OLD: randomBytes(32).toString('base64'), NEW: randomBytes(32).toString('base64') };
const createEnvironment = () => {
  const file = join(folder, randomUUID());
  return (encryptionKey: string) => ({
    ...keys,
    PUENTE_STATE_KIND: 'sqlite',
    PUENTE_STATE_FILE: file,
    PUENTE_STATE_ENCRYPTION_KEY: encryptionKey,
  });
};
const headers = { Authorization: `Bearer ${token}` };

describe('puente state rotate', () => {
  test('encrypts anew while a gateway serves, after which the old key is not needed', async () => {
    const withKeys = createEnvironment();
    const before = await serve(withKeys('env:OLD'));
    expect((await fetch(`${before.url}/patients/ana`, { headers })).status).toBe(200);
    before.signal('SIGTERM');
    await before.ended;

    const both = withKeys('[env:NEW, env:OLD]');
    const gateway = await serve(both);
    const rotated = await runPuente(['state', 'rotate'], both);
    expect(rotated).toMatchObject({ code: 0, stderr: '' });
    expect(rotated.stdout).toMatch(/^[34] rows were encrypted again, under the key [0-9a-f]{8}\nno row is left .*\n$/);
    expect(Object.values(keys).filter((key) => rotated.stdout.includes(key))).toEqual([]);
    expect((await fetch(`${gateway.url}/patients/ana`, { headers })).status).toBe(200);
    gateway.signal('SIGTERM');
    await gateway.ended;

    expect(await runPuente(['audit', 'verify'], withKeys('env:NEW'))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(': 6 records up to 6'),
    });
    expect(await runPuente(['audit', 'verify'], withKeys('env:OLD'))).toMatchObject({ code: 78 });
  });

  test('wants a list of keys, and exits with 78 without', async () => {
    const { code, stderr } = await runPuente(['state', 'rotate'], createEnvironment()('env:OLD'));
    expect({ code, stderr }).toEqual({
      code: 78,
      stderr: 'PUENTE_STATE_ENCRYPTION_KEY: must be a list with the new key before the old one\n',
    });
  });
});
