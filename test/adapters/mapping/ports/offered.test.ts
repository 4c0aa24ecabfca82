import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { listOffered } from '../../../../src/ports/index.ts';
import { ConfigFolder } from '../../../support/config-file.ts';
import { makeDatabase, openMapping, writeMapping } from '../../../support/mapped-clinic.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

const openChanged = (change: (text: string) => string) => openMapping(writeMapping(makeDatabase(), change));

/** The file without the part from one line to before another. */
const cut = (from: string, to: string) => (text: string) =>
  text.slice(0, text.indexOf(from)) + text.slice(text.indexOf(to));

describe('what a mapping file does not answer', () => {
  test('is not offered, and said with all that is missing', async () => {
    const offer = await openChanged(cut('\nslots:', '\nrelatives:'));
    expect(listOffered(offer)).not.toContain('appointments.book');
    expect(offer.notes).toContain(
      'appointments.book is not offered: the file has no appointments.ofPatient, appointments.book, slots.between or schedules.all, slots.between or taken.between',
    );
    expect(offer.retryableWrites).not.toContain('appointments.book');
  });

  test('leaves a port that nothing answers without methods', async () => {
    const offer = await openChanged(cut('\nrelatives:', '\nentries:'));
    expect(listOffered(offer).filter((each) => each.startsWith('family-groups.'))).toEqual([]);
    expect(listOffered(offer)).toContain('directory.entries');
  });

  test.each([
    ['patients.register', 'patients.create returns exists', /\n +else: exists # the primary key of documentos[^\n]*/],
    ['appointments.book', 'appointments.book returns slot_taken', /\n +mustChange: 1\n +else: slot_taken/],
    ['insurance.create', 'coverages.create returns exists', /\n +mustChange: 1\n +else: exists/],
    ['family-groups.add', 'relatives.add returns exists', /\n +else: exists # the unique index[^\n]*/],
  ] as const)('is not offered either where two %s at once could both succeed', async (method, reason, line) => {
    const offer = await openChanged((text) => text.replace(line, ''));
    expect(listOffered(offer)).not.toContain(method);
    expect(offer.notes).toEqual([
      expect.stringContaining(`${method} is not offered: two clients at once could both succeed`),
    ]);
    expect(offer.notes?.[0]).toContain(reason);
  });
});

describe('an address of another host to which nothing is encrypted', () => {
  const small = readFileSync('test/support/mapping/small-http.yaml', 'utf8')
    .replaceAll('env:', 'file:/')
    .replace(/file:\/\w+/g, `file:${folder.write('secret', 's')}`);

  test.each([
    ['http://his.lan:8080', ['http.url of the mapping file is plain http to another host']],
    ['http://127.0.0.1:8080', []],
    ['https://his.lan', []],
  ])('is said: %s', async (url, said) => {
    const file = folder.write('http.yaml', small.replace(/url: .*/, `url: ${url}`));
    const { notes = [] } = await openMapping(file);
    expect(notes.filter((note) => note.startsWith('http.url'))).toEqual(
      said.map((text) => expect.stringContaining(text)),
    );
  });
});

describe('the keys of writes', () => {
  test('are said to be forgotten where they are kept in memory', async () => {
    const offer = await openChanged((text) => text.replace(/\n +remember:[^\n]*/, ''));
    expect(offer.notes).toEqual([expect.stringContaining('a restart loses them')]);
  });
});
