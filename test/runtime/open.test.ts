import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { adapters } from '../../adapters/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { listOwnerNotes, openState, withState } from '../../src/runtime/open.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const folder = makeFolder();

/** The problems that keep a state with these variables from being opened; none when it opens. */
async function listProblems(environment: Readonly<Record<string, string>>): Promise<readonly string[]> {
  try {
    await (await openState(readConfig({ environment, adapters }))).close();
    return [];
  } catch (error) {
    return (error as { problems: string[] }).problems;
  }
}

function saveKey(name: string, key: string): string {
  const file = join(folder, name);
  writeFileSync(file, `${key}\n`);
  return `file:${file}`;
}

const sqlite = { PUENTE_STATE_KIND: 'sqlite', PUENTE_STATE_FILE: join(folder, 'state.db') };
const key = randomBytes(32);
const good = { ...sqlite, PUENTE_STATE_ENCRYPTION_KEY: saveKey('good', key.toString('base64')) };

describe('state', () => {
  test('is in memory unless something else is configured', async () => {
    expect(await listProblems({})).toEqual([]);
  });

  test('opens in a file again and again with the same key, in base64 or hexadecimal', async () => {
    expect(await listProblems(good)).toEqual([]);
    const hex = saveKey('hex', key.toString('hex'));
    expect(await listProblems({ ...good, PUENTE_STATE_ENCRYPTION_KEY: hex })).toEqual([]);
  });

  test('in a file needs the file and a key', async () => {
    expect(await listProblems({ PUENTE_STATE_KIND: 'sqlite' })).toEqual([
      expect.stringMatching(/state\.file: is required for sqlite: add it$/),
      expect.stringMatching(/state\.encryptionKey: is required for sqlite: add it$/),
    ]);
  });

  test.each([
    ['a key in the configuration', 'c2VjcmV0', /must be env:NAME or file:/],
    ['a key that is not there', 'env:NOT_THERE', /env:NOT_THERE is not set or empty$/],
    ['a key of another length', saveKey('short', 'c2VjcmV0'), /must be 32 bytes in base64 or hexadecimal/],
    ['another key', saveKey('other', randomBytes(32).toString('base64')), /is not the key that encrypted the state/],
  ])('does not open with %s', async (_what, reference, problem) => {
    expect(await listProblems(good)).toEqual([]);
    const problems = await listProblems({ ...good, PUENTE_STATE_ENCRYPTION_KEY: reference });
    expect(problems).toEqual([expect.stringMatching(/^PUENTE_STATE_ENCRYPTION_KEY: /)]);
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  test('does not open in a folder that is missing, and says why', async () => {
    const problems = await listProblems({ ...good, PUENTE_STATE_FILE: join(folder, 'missing', 'state.db') });
    expect(problems).toEqual([
      expect.stringMatching(/^PUENTE_STATE_FILE: cannot be used \(ENOENT: the folder does not exist/),
    ]);
  });

  test('of a command is not created, because an empty trail at a wrong path would pass for a verified one', async () => {
    const file = join(folder, 'wrong.db');
    const loaded = readConfig({ environment: { ...good, PUENTE_STATE_FILE: file }, adapters });
    await expect(withState(loaded, async () => undefined)).rejects.toThrow(
      'PUENTE_STATE_FILE: does not exist: correct the path, or start the gateway, which creates it',
    );
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    ['postgres', {}, 1],
    ['postgres', { PUENTE_INSTITUTION_NAME: 'Sanatorio Norte' }, 0],
    ['postgres', { PUENTE_INSTITUTION_ID: 'norte' }, 0],
    ['sqlite', {}, 0],
  ])('on %s of an institution with %j has %d notes that it belongs to nobody', (kind, institution, count) => {
    const given = { PUENTE_STATE_KIND: kind, PUENTE_STATE_URL: 'env:URL', PUENTE_STATE_FILE: 'state.db' };
    const environment = { ...given, PUENTE_STATE_ENCRYPTION_KEY: 'env:KEY', ...institution };
    expect(listOwnerNotes(readConfig({ environment, adapters }).config)).toHaveLength(count);
  });
});
