import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { runPuente } from '../support/process.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const folder = makeFolder();
const pipe = join(folder, 'pipe');
execFileSync('mkfifo', [pipe]);
const large = join(folder, 'large');
writeFileSync(large, Buffer.alloc((4 << 20) + 1));
const key = join(folder, 'key');
writeFileSync(key, 'ab'.repeat(32));

/** Each setting that names a file, with a file that has no end, and what is said of it. */
const settings = (file: string): readonly (readonly [setting: string, yaml: string, said: RegExp])[] => [
  [
    'a secret',
    `state: { kind: sqlite, file: ${join(folder, 'a.db')}, encryptionKey: 'file:${file}' }`,
    /the file .* is a pipe or a device: name a file/,
  ],
  [
    'certificates',
    `auth: { jwt: { issuer: 'https://i.invalid', audience: a, ca: ${file} } }`,
    /is a pipe or a device: name a file/,
  ],
  [
    'keys of an issuer',
    `auth: { jwt: { issuer: 'https://i.invalid', audience: a, jwksFile: ${file} } }`,
    /is a pipe or a device: name a file/,
  ],
  ['a middleware', `http: { middleware: ${file} }`, /pipe or a device|must export|cannot be loaded/],
  ['a module', `adapter: { module: ${file} }`, /pipe or a device|must export|cannot be loaded/],
  ['a mapping file', `adapter: { name: mapping, settings: { file: ${file} } }`, /pipe or a device|larger than/],
  ['a world', `adapter: { settings: { world: ${file} } }`, /NOT_REGULAR|is not JSON/],
  [
    'a database',
    `adapter: { name: local, settings: { file: ${file}, encryptionKey: 'file:${key}', ticketTypes: [] } }`,
    /pipe|no database/,
  ],
];

describe('puente check', () => {
  test.each(['/dev/zero', pipe, large])('reads no configuration to an end that does not come: %s', async (file) => {
    const { code, stderr } = await runPuente(['check', '--config', file]);
    expect(code).toBe(78);
    expect(stderr).toMatch(/: is (a pipe or a device: name a file, or|larger than 256 KiB:) set another one with/);
  });

  const all = ['/dev/zero', pipe].flatMap((file) => settings(file).map((each) => [file, ...each] as const));
  test.each(all)('ends where %s stands for %s', async (_file, _setting, yaml, said) => {
    const config = join(folder, 'puente.yaml');
    writeFileSync(config, yaml);
    const { code, stderr } = await runPuente(['check', '--config', config]);
    expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringMatching(said) });
  });
});
