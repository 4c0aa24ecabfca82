import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readWorld } from '../../../../adapters/memory/world-file.ts';
import { runPuente } from '../../../support/process.ts';
import { makeFolder } from '../../../support/sqlite-state.ts';

const folder = makeFolder();

/** The letters of an invented name, which no list of ours has. */
const toName = (index: number): string =>
  `Qx${'bcdfghjklmnpqrstvwz'[index % 19]}${'aeiou'[index % 5]}${'bcdfghjklmnpqrstvwz'[Math.floor(index / 19)]}uvo`;
const toDigits = (index: number): string => String(77_310_400 + index * 13);
const shift = (text: string, from: string, to: number) =>
  text.replaceAll(/[0-9A-Za-z]/g, (each) => {
    const offset = each.charCodeAt(0) - from.charCodeAt(0);
    return offset >= 0 && (from !== '0' || offset < 10) ? String.fromCodePoint(to + offset) : each;
  });

/** Each way in which somebody was seen to write a person into a text that is for something else. */
const shapes: readonly ((name: string, digits: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => shift(name, '!', 0xff01),
  (name) => [...name].join('\u200b'),
  (name) => [...name].join(' '),
  (name) => [...name].join('.'),
  (name) => name.replace('u', 'u\u0301'),
  (name) => `Control${name}Sra`,
  (name) => `Control Sra. ${name}`,
  (name) => `${name.toLowerCase()}@canario.example`,
  (name) => `^(?:${name}|otro)$`,
  (_, digits) => digits,
  (_, digits) => `DNI ${digits}`,
  (_, digits) => digits.replace(/(..)(...)(...)/, '$1.$2.$3'),
  (_, digits) => digits.replace(/(..)(...)(...)/, '$1,$2,$3'),
  (_, digits) => digits.replace(/(..)(...)(...)/, '$1–$2–$3'),
  (_, digits) => digits.replace(/(..)(...)(...)/, '$1\u00a0$2\u00a0$3'),
  (_, digits) => [...digits].join('\u200d'),
  (_, digits) => shift(digits, '0', 0x660),
  (_, digits) => shift(digits, '0', 0xff10),
  (_, digits) => shift(digits, '0', 0x1d7ce),
  (_, digits) => `[${digits}]{1}`,
  (name, digits) => `${name}${digits}`,
  (name, digits) => `${digits}-${name}`,
  (name, digits) => `${name} ${digits.slice(0, 4)}_${digits.slice(4)}`,
];
/** Four of each shape. */
const canaries = Array.from({ length: 4 * shapes.length }, (_, index) => {
  const [name, digits] = [toName(index), toDigits(index)];
  return { name, digits, text: shapes[index % shapes.length]!(name, digits) };
});

/** Letters and digits alone, of whichever alphabet and width. */
const bare = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[٠-٩]/g, (each) => String(each.codePointAt(0)! - 0x660))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');

/** The texts of a JSON file, names of fields included. */
const listTexts = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, each]) => [name, ...listTexts(each)])
    : [String(value)];

function findCanaries(value: unknown): readonly string[] {
  const texts = listTexts(value).map(bare);
  return canaries
    .filter(({ name, digits }) => texts.some((each) => each.includes(bare(name)) || each.includes(digits)))
    .map(({ text }) => text);
}

const mark = (text: string, kind: string): string => `${text}${kind}`;

/** An institution with a canary in each text of each record. */
const lists = (() => {
  const texts = canaries.map(({ text }) => text);
  const at = '2024-03-01T09:00:00.000Z';
  const address = (text: string) => ({
    ...{ street: text, number: text, floor: text, apartment: text },
    ...{ city: text, state: text, country: text, zipCode: text },
  });
  const phones = (value: string) => [{ type: value, value }];
  return {
    practitioners: texts.map((text) => ({
      ...{ id: mark(text, 'pr'), name: text, specialty: text, email: text, phone: text },
      ...{ workingHours: text, location: text, available: true, note: text },
    })),
    places: texts.map((text) => ({ id: mark(text, 'pl'), name: text, address: address(text), note: text })),
    services: texts.map((text) => ({
      ...{ id: mark(text, 'se'), name: text, description: text, type: 'CONSULTA', active: true, offeredIn: text },
      ...{ practitionerId: mark(text, 'pr'), extraDetails: text, patientInstruction: text, integrationId: text },
      ...{ appointmentRequired: true, requiresAuthorization: false, availabilityExceptions: text },
      ...{ minAge: null, maxAge: null, sexId: null, createdAt: at, updatedAt: at, deletedAt: null, note: text },
    })),
    carriers: texts.map((text) => ({ id: mark(text, 'ca'), name: text, active: true, note: text })),
    plans: Object.fromEntries(
      texts.map((text) => [mark(text, 'ca'), [{ id: mark(text, 'pn'), name: text, active: true, note: text }]]),
    ),
    ticketTypes: texts.map((text) => ({
      ...{ id: mark(text, 'ti'), createdAt: at, updatedAt: at, status: 'active', title: text, description: text },
      fields: ['string', 'date'].map((type) => ({
        ...{ id: mark(text, type), type, tooltip: text, validationRegex: type === 'string' ? text : '', note: text },
      })),
    })),
    changeReasons: texts.map((text) => ({ id: mark(text, 're'), label: text, note: text })),
    entries: texts.map((text) => ({
      location: {
        ...{ id: mark(text, 'lo'), name: text, latitude: text, longitude: text, address: text },
        ...{ zipCode: text, email: text, phones: phones(text), note: text },
      },
      providers: ['pharmacy', 'practitioner'].map((type) => ({
        ...{ id: mark(text, type), name: text, description: text, type, email: text, phones: phones(text), note: text },
        services: [{ id: mark(text, 'sv'), name: text, description: text, note: text }],
      })),
    })),
    slots: texts.map((text, index) => ({
      ...{ id: mark(text, 'sl'), time: `${String(8 + (index % 10)).padStart(2, '0')}:00:00`, minutes: 20 },
      ...{ serviceId: mark(text, 'se'), practitionerId: mark(text, 'pr'), locationId: mark(text, 'pl') },
    })),
  };
})();

/** An adapter of somebody's own over those lists. */
function writeConfig(): string {
  const [data, module, config] = ['lists.json', 'planted.mjs', 'planted.yaml'].map((name) => join(folder, name));
  writeFileSync(data!, JSON.stringify(lists));
  writeFileSync(
    module!,
    `import { readFileSync } from 'node:fs';
import { adapter } from ${JSON.stringify(resolve('adapters/public.ts'))};
import { z } from ${JSON.stringify(resolve('node_modules/zod/index.js'))};
const lists = JSON.parse(readFileSync(${JSON.stringify(data)}, 'utf8'));
export default adapter({
  settings: z.object({}),
  offer: () => ({
    practitioners: { list: async () => lists.practitioners, changeReasons: async () => lists.changeReasons },
    directory: { locations: async () => lists.places, entries: async () => lists.entries },
    'care-services': { available: async () => lists.services },
    insurance: { carriers: async () => lists.carriers, plans: async (id) => lists.plans[id] },
    tickets: { types: async () => lists.ticketTypes },
    appointments: {
      slots: async ({ serviceId, from }) => {
        const items = lists.slots
          .filter((each) => each.serviceId === serviceId)
          .map(({ time, ...each }) => ({ ...each, modality: 'in-person', start: from + 'T' + time }));
        return { items, total: items.length };
      },
    },
  }),
});
`,
  );
  const institution = { name: `Sanatorio ${canaries[0]!.text}`, timeZone: 'America/Argentina/Buenos_Aires' };
  writeFileSync(config!, JSON.stringify({ institution, adapter: { module } }));
  return config!;
}

const config = writeConfig();
const make = (out: string, ...args: readonly string[]) =>
  runPuente(['sandbox', 'make', '--config', config, '--out', join(folder, out), ...args]);
const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));

describe('a hospital made of one with a person in every text', () => {
  test('holds no text of it by default, and can be served', async () => {
    const { code, stdout, stderr } = await make('default.json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(canaries).toHaveLength(100);
    expect(findCanaries([read('default.json'), stdout])).toEqual([]);
    const { services, practitioners, locations, carriers, ticketTypes, schedules } = readWorld(
      join(folder, 'default.json'),
    );
    for (const each of [services, practitioners, locations, carriers, ticketTypes, schedules])
      expect(each).toHaveLength(canaries.length);
    expect(schedules[0]).toMatchObject({ from: '08:00', to: '08:20', minutes: 20 });
    expect(ticketTypes[0]!.fields.map(({ type, validationRegex }) => [type, validationRegex !== ''])).toEqual([
      ['string', true],
      ['date', false],
    ]);
  }, 60_000);

  test('keeps the names that somebody has reviewed, and no other text', async () => {
    const review = join(folder, 'names.txt');
    const refused = await make('kept.json', '--keep', review);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('run this command with --review first') });
    const listed = await make('kept.json', '--review', review);
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('Delete each line') });
    const lines = readFileSync(review, 'utf8').trimEnd().split('\n');
    expect(new Set(lines.map((line) => JSON.parse(line)))).toEqual(new Set(canaries.map(({ text }) => text)));
    // What a terminal would not show is seen in the list.
    expect(lines.join('')).not.toMatch(/[\p{Cf}\p{Cc}]/u);
    writeFileSync(review, `${lines[8]}\n`);
    expect(await make('kept.json', '--keep', review)).toMatchObject({ code: 0, stderr: '' });
    const kept: string = JSON.parse(lines[8]!);
    expect(findCanaries(read('kept.json'))).toEqual([kept]);
    const { services, practitioners } = readWorld(join(folder, 'kept.json'));
    expect(services.filter(({ name }) => name === kept)).toHaveLength(1);
    expect(practitioners.filter(({ name }) => name === kept)).toEqual([]);
  }, 60_000);
});
