import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loadMapping } from '../../../adapters/mapping/file/load.ts';
import { type SystemKind, systemKinds, writeMapping } from '../../../src/cli/mapping/new.ts';
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

  test('leaves a file that is there as it is', () => {
    const file = join(folder, 'mine.yaml');
    writeFileSync(file, 'system: mine\n');
    expect(() => writeMapping(file, 'sqlite')).toThrow(/mine\.yaml is there already; name another file/);
    expect(readFileSync(file, 'utf8')).toBe('system: mine\n');
  });
});
