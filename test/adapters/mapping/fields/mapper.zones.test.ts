import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { createMapper } from '../../../../adapters/mapping/fields/mapper.ts';
import { of } from '../../../../adapters/mapping/file/names.ts';
import { type MappingFile, mappingSchema } from '../../../../adapters/mapping/file/schema.ts';
import { Zone } from '../../../../src/toolkit/zone.ts';

const HOUR = 3_600_000;
/** Nights in which the clocks go forward and back, where they do. */
const zones: readonly (readonly [string, readonly string[]])[] = [
  ['America/Argentina/Buenos_Aires', ['2026-03-08', '2026-11-01']],
  ['America/Santiago', ['2026-09-06', '2026-04-05']],
  ['America/New_York', ['2026-03-08', '2026-11-01']],
  ['Australia/Lord_Howe', ['2026-10-04', '2026-04-05']],
];

/** A mapper of what is taken, whose begin is written like this. */
const createOf = (format: string, zone: Zone) =>
  createMapper(
    mappingSchema.parse(
      parse(
        `{ system: x, taken: { fields: { practitionerId: p, start: { from: s${format && `, format: '${format}'`} } } } }`,
      ),
    ) as MappingFile,
    zone,
  );

const formats = ['', 'yyyy-MM-ddTHH:mm:ssZ', 'yyyy-MM-dd HH:mm:ss.SSSXXX', 'milliseconds', 'seconds'];
const written: Readonly<Record<string, (epoch: number) => string>> = {
  '': (epoch) => new Date(epoch).toISOString(),
  'yyyy-MM-ddTHH:mm:ssZ': (epoch) => new Date(epoch).toISOString().replace('.000', ''),
  'yyyy-MM-dd HH:mm:ss.SSSXXX': (epoch) => new Date(epoch).toISOString().replace('T', ' '),
  milliseconds: String,
  seconds: (epoch) => String(epoch / 1_000),
};

describe.each(zones)('in %s', (name, days) => {
  const zone = new Zone(name);

  test.each(formats)(
    'each quarter of an hour in the nights of the change is read as its local time, as %j',
    (format) => {
      const mapper = createOf(format, zone);
      const read = (start: string) => mapper.read('taken', [{ p: '7', s: start }], { omit: () => undefined })[0]!.start;
      for (const day of days) {
        const midnight = Date.parse(zone.toStartOfDay(day));
        for (let epoch = midnight - 2 * HOUR; epoch < midnight + 6 * HOUR; epoch += HOUR / 4) {
          const local = zone.toLocalTime(new Date(epoch).toISOString());
          expect(read(written[format]!(epoch))).toBe(local);
          if (format === '') continue;
          const [value] = mapper.toValues({ start: of('taken.start') }, { start: local })!.start!;
          expect(read(String(value))).toBe(local);
        }
      }
    },
  );

  test('a bound that the change skips is written as the start of its day', () => {
    const mapper = createOf('milliseconds', zone);
    for (const day of days) {
      const values = mapper.toValues({ from: of('slots.start') }, { from: `${day}T00:00:00` });
      expect(values).toEqual({ from: [Date.parse(zone.toStartOfDay(day))] });
    }
  });
});

describe('a day', () => {
  const zone = new Zone('America/Argentina/Buenos_Aires');
  const createBorn = (format = '') =>
    createMapper(
      mappingSchema.parse(
        parse(`
          system: x
          patients:
            fields:
              id: id
              gender: { value: Female }
              identifier: { type: { value: DNI }, value: id }
              birthDate: { from: nac${format && `, format: '${format}'`} }`),
      ) as MappingFile,
      zone,
    );
  const read = (nac: string, format?: string) => {
    const omitted: string[] = [];
    const [patient] = createBorn(format).read(
      'patients',
      [
        { id: '1', nac },
        { id: '2', nac: '' },
      ],
      {
        omit: ({ element }) => void omitted.push(element),
      },
    );
    return omitted.length > 0 ? omitted : patient?.birthDate;
  };

  test.each([
    ['1985-11-30T00:00:00.000Z', undefined],
    ['1985-11-30T03:00:00Z', undefined],
    ['1985-11-30 00:00:00-03', undefined],
    ['1985-11-30T00:00:00+05:00', undefined],
    ['502156800000', 'milliseconds'],
    ['502156800', 'seconds'],
    ['1985-11-30T00:00:00.000Z', 'yyyy-MM-ddT00:00:00.000Z'],
  ])('is that which is written in %s, as %s', (text, format) => {
    expect(read(text, format)).toBe('1985-11-30');
  });

  test.each(['0000-00-00', '1985-00-00', '1985-05-00', '0000', '1985-00', '0044-03-15 BC', 'infinity'])(
    'of birth is not known where it is %s',
    (text) => {
      expect(read(text)).toBe('');
    },
  );

  test.each(['1985', '1985-05'])('of birth is known in part where it is %s', (text) => {
    expect(read(text)).toBe(text);
  });

  test('of birth that cannot be read is told', () => {
    expect(read('30/11/1985')).toEqual(['birthDate']);
    expect(read('00/11/1985', 'dd/MM/yyyy')).toBe('');
  });

  test.each([
    ['milliseconds', 502156800000],
    ['yyyy-MM-ddT00:00:00.000Z', '1985-11-30T00:00:00.000Z'],
    ['', '1985-11-30'],
  ])('is written as %j has it', (format, written) => {
    const values = createBorn(format).toValues({ birthDate: of('patients.birthDate') }, { birthDate: '1985-11-30' });
    expect(values).toEqual({ birthDate: [written] });
  });
});

describe('a weekly schedule', () => {
  test.each([
    ['7:30', '07:30'],
    ['800', '08:00'],
    ['1000', '10:00'],
    ['08:00:00', '08:00'],
    ['24:00', '24:00'],
  ])('that ends at %s ends at %s', (to, read) => {
    const fields =
      '{ id: id, weekday: { value: MONDAY }, from: from, to: to, minutes: min, serviceId: id, practitionerId: id, locationId: id }';
    const mapper = createMapper(
      mappingSchema.parse(parse(`{ system: x, schedules: { fields: ${fields} } }`)) as MappingFile,
      new Zone('America/Argentina/Buenos_Aires'),
    );
    const rows = [{ id: '1', from: '6:00', to, min: '00:30:00' }];
    expect(mapper.read('schedules', rows, { omit: () => undefined })).toMatchObject([
      { from: '06:00', to: read, minutes: 30 },
    ]);
  });
});
