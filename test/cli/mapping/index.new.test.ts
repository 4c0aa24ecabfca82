import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { adapters } from '../../../adapters/index.ts';
import { loadMapping } from '../../../adapters/mapping/file/load.ts';
import { type SystemKind, systemKinds, writeMapping } from '../../../src/cli/mapping/index.ts';
import { loadConfig } from '../../../src/config/read.ts';
import { makeFolder } from '../../support/sqlite-state.ts';

const folder = makeFolder();

describe('puente mapping new', () => {
  test.each(Object.keys(systemKinds) as SystemKind[])(
    'writes a file for %s that loads, with its hints, too',
    (kind) => {
      const file = join(folder, `${kind}.yaml`);
      writeMapping(file, kind);
      expect(loadMapping(file)).toMatchObject({ patients: {}, practitioners: {} });
      const text = readFileSync(file, 'utf8');
      const hinted = join(folder, `${kind}-hints.yaml`);
      // A hint stands right behind its #, or is indented further than a comment.
      writeFileSync(hinted, text.replaceAll(/^#(?! \S)/gm, ''));
      expect(loadMapping(hinted)).toMatchObject({ slots: {}, appointments: {} });
    },
  );

  test('writes beside it a configuration that names it, so that check and serve look at it', async () => {
    const file = join(mkdtempSync(join(folder, 'new-')), 'his.yaml');
    const config = writeMapping(file, 'sqlite') ?? '';
    const { config: loaded } = await loadConfig({ file: config, environment: {}, adapters });
    expect(loaded.adapter).toMatchObject({ name: 'mapping', settings: { file } });
  });

  test('leaves a configuration that is there as it is', () => {
    const beside = mkdtempSync(join(folder, 'new-'));
    writeFileSync(join(beside, 'puente.yaml'), 'adapter: { name: memory }\n');
    expect(writeMapping(join(beside, 'his.yaml'), 'sqlite')).toBeUndefined();
    expect(readFileSync(join(beside, 'puente.yaml'), 'utf8')).toBe('adapter: { name: memory }\n');
  });

  test('leaves a file that is there as it is', () => {
    const file = join(folder, 'mine.yaml');
    writeFileSync(file, 'system: mine\n');
    expect(() => writeMapping(file, 'sqlite')).toThrow(/mine\.yaml is there already; name another file/);
    expect(readFileSync(file, 'utf8')).toBe('system: mine\n');
  });
});
