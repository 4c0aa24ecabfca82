import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { adapters } from '../../../../adapters/index.ts';
import { readWords, type SystemKind, systemKinds, writeMapping } from '../../../../adapters/mapping/commands/index.ts';
import { loadMapping } from '../../../../adapters/mapping/file/load.ts';
import { loadConfig } from '../../../../src/config/read.ts';
import { makeFolder } from '../../../support/sqlite-state.ts';

describe('the words after puente mapping try', () => {
  test('are a question and values by name, several of one name in a list', () => {
    const words = ['appointments.book', '--slotIds', '7', '--slotIds', '8', '--authorization', 'true'];
    expect(readWords(words)).toEqual({
      entry: 'appointments.book',
      given: { slotIds: ['7', '8'], authorization: true },
    });
  });

  test('may have the values first', () => {
    expect(readWords(['--id', '12', 'patients.byId'])).toEqual({ entry: 'patients.byId', given: { id: '12' } });
  });

  test.each([
    [['patients.byDocument', '--identifer', '1'], '--identifer is not known: did you mean --identifier?'],
    [['patients.byId', '--id'], '--id has no value: add one after it'],
    [['--id', '1'], 'name exactly one question, e.g. patients.byId --id 12'],
  ])('are refused with what mends them: %j', (words, problem) => {
    expect(() => readWords(words)).toThrow(expect.objectContaining({ problems: [problem] }));
  });

  test.each([[[]], [['a', 'b']], [['a', '--nothing', '1']], [['a', '--id']]])('are refused: %j', (words) => {
    expect(() => readWords(words)).toThrow(expect.objectContaining({ name: 'ConfigProblems' }));
  });
});

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
    expect(() => writeMapping(file, 'sqlite')).toThrow(/mine\.yaml exists already: name another file/);
    expect(readFileSync(file, 'utf8')).toBe('system: mine\n');
  });
});
