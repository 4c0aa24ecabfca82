import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { adapters } from '../../adapters/index.ts';
import { listKeys, toVariable } from '../../src/config/keys.ts';
import { readConfig } from '../../src/config/read.ts';
import { configSchema } from '../../src/config/schema.ts';
import { compose } from '../../src/runtime/container.ts';
import { packageRoot } from '../../src/toolkit/package.ts';
import { ConfigFolder } from '../support/config-file.ts';

const text = readFileSync(join(packageRoot, 'config/default.yaml'), 'utf8');
const schema = configSchema({
  adapters: ['memory'],
  chosen: {
    path: ['adapter'],
    name: 'memory',
    builtIn: 'memory',
    module: undefined,
    folders: ['', ''],
    adapter: adapters.memory,
  },
  further: [],
  production: false,
});
const keys = listKeys(schema).map(({ path }) => path);

/** The comment lines right above a key, commented out or not, within its section. */
function findComment(path: readonly string[]): string {
  let lines = text.split('\n');
  for (const [depth, part] of path.entries()) {
    const at = lines.findIndex((line) => new RegExp(`^ {${depth * 2}}(# )?${part}:`).test(line));
    if (at < 0) return '';
    if (depth === path.length - 1) return lines[at - 1] ?? '';
    lines = lines.slice(at + 1);
  }
  return '';
}

describe('config/default.yaml', () => {
  test.each(keys.map((path) => [path.join('.'), path] as const))('explains %s', (_name, path) => {
    expect(findComment(path)).toMatch(path.length === 1 ? /^# +\S/ : /^ +# +\S/);
  });

  test('gives every key a variable of its own', () => {
    expect(new Set(keys.map(toVariable)).size).toBe(keys.length);
    expect(toVariable(['auth', 'allowAnonymousGroupA'])).toBe('PUENTE_AUTH_ALLOW_ANONYMOUS_GROUP_A');
  });

  test('is a whole configuration wherever it is copied to', async () => {
    const folder = new ConfigFolder();
    const environment = { PUENTE_TOKEN: 'token-for-trying-out-the-copy-of-it' };
    const loaded = readConfig({ file: folder.write('copy.yaml', text), port: undefined, environment, adapters });
    const { close } = await compose(loaded);
    await close();
    folder.remove();
  });
});
