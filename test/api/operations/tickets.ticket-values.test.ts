import { describe, expect, test } from '@jest/globals';
import { Rejection } from '../../../src/api/index.ts';
import { maxValueLength, validateTicketFields } from '../../../src/api/operations/tickets.ts';
import { text } from '../../../src/api/scalars.ts';
import { Failure, type TicketFieldType, type TicketType } from '../../../src/ports/index.ts';

function makeType(...fields: { type?: TicketFieldType; validationRegex?: string }[]): TicketType {
  return {
    id: 'tipo',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    status: 'active',
    title: '',
    description: '',
    fields: fields.map(({ type = 'string', validationRegex = '' }, index) => ({
      id: `campo-${index}`,
      type,
      tooltip: '',
      validationRegex,
    })),
  };
}

async function findFaults(type: TicketType, fields: { id: string; value: string }[]) {
  try {
    validateTicketFields(type, fields);
    return [];
  } catch (error) {
    if (error instanceof Rejection) return error.details.faults?.map(({ at }) => at);
    throw error;
  }
}

/** Whether one value fits one field. */
const fits = async (value: string, type: TicketFieldType, validationRegex = ''): Promise<boolean> =>
  (await findFaults(makeType({ type, validationRegex }), [{ id: 'campo-0', value }]))?.length === 0;

const measureMs = async (act: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await act();
  return performance.now() - start;
};

describe('acceptedFields', () => {
  test('takes a ticket that leaves out fields of the type', async () => {
    expect(validateTicketFields(makeType({}, {}), [{ id: 'campo-1', value: 'x' }])).toEqual([
      { id: 'campo-1', value: 'x' },
    ]);
  });

  test('points at each fault: an unknown field, a field given twice, a value that does not fit', async () => {
    const fields = [
      { id: 'campo-0', value: 'sí' },
      { id: 'otro', value: 'x' },
      { id: 'campo-0', value: 'true' },
      { id: 'campo-1', value: 'x' },
    ];
    expect(await findFaults(makeType({ type: 'boolean' }, { type: 'number' }), fields)).toEqual([
      '/fields/0/value',
      '/fields/1/id',
      '/fields/2/id',
      '/fields/3/value',
    ]);
  });

  test('normalises text to NFC before it is matched and filed', async () => {
    const [field] = validateTicketFields(makeType({ validationRegex: '^.$' }), [{ id: 'campo-0', value: 'e\u0301' }]);
    expect(field?.value).toBe('\u00e9');
  });

  test.each<[TicketFieldType, string[], string[]]>([
    ['string', ['', 'hola', 'dos\nlíneas'], ['\u0000', '\ud800', 'x'.repeat(4001)]],
    ['date', ['2028-02-29', '2026-12-31'], ['2026-02-29', '2026/12/31', '2026-12-31T00:00']],
    [
      'number',
      ['0', '-3', '12.50', '9'.repeat(308)],
      ['1,5', '1e5', 'NaN', '0x10', '.5', '5.', ' 5', '٣', '9'.repeat(309)],
    ],
    ['boolean', ['true', 'false'], ['TRUE', '1', 'sí']],
    ['file', ['', 'QQ==', 'QUE=', 'QUFB', '+/+/'], ['QQ', 'QR==', 'QQ==QQ==', 'QU B', 'QUFB\n', 'QU中Q']],
  ])('takes and refuses values of type %s', async (type, good, bad) => {
    for (const value of good) expect([value, await fits(value, type)]).toEqual([value, true]);
    for (const value of bad) expect([value, await fits(value, type)]).toEqual([value, false]);
  });

  test.each<[TicketFieldType, string]>([
    ['string', ''],
    ['string', '^\\d{3}$'],
    ['date', ''],
    ['number', ''],
    ['boolean', ''],
    ['file', ''],
  ])('counts an empty value of type %s with the pattern %p as absent', (type, validationRegex) => {
    const ticketType = makeType({ type, validationRegex }, {});
    const blanks = type === 'file' ? [''] : ['', ' ', '\n'];
    for (const value of blanks) {
      const fields = [
        { id: 'campo-0', value },
        { id: 'campo-1', value: 'x' },
      ];
      expect(validateTicketFields(ticketType, fields)).toEqual([{ id: 'campo-1', value: 'x' }]);
    }
  });

  test('matches the pattern of the field against the whole value', async () => {
    expect(await fits('abc', 'string', 'b')).toBe(false);
    expect(await fits('b', 'string', 'b')).toBe(true);
    expect(await fits('ab', 'string', 'a|ab')).toBe(true);
    expect(await fits('Enalapril 10 mg', 'string', '^[\\p{L}0-9 ,.\\-]{3,80}$')).toBe(true);
    expect(await fits('12/05', 'string', '^\\d{2}\\/\\d{2}$')).toBe(true);
    expect(await fits('100', 'number', '^[1-9][0-9]?$')).toBe(false);
  });

  test('matches a hostile pattern in linear time', async () => {
    const value = `${'a'.repeat(3999)}!`;
    expect(await measureMs(async () => expect(await fits(value, 'string', '^(a+)+$')).toBe(false))).toBeLessThan(1000);
  });

  test('matches patterns with lookaround and backreferences, which the linear engine refuses', async () => {
    expect(await fits('12', 'string', '^(?!0)\\d+$')).toBe(true);
    expect(await fits('012', 'string', '^(?!0)\\d+$')).toBe(false);
    expect(await fits('abab', 'string', '(ab)\\1')).toBe(true);
    expect(await fits('xabab', 'string', '(ab)\\1')).toBe(false);
    expect(await fits('a-b', 'string', '(?=a)a\\-b')).toBe(true);
  });

  test('gives up on a hostile pattern that the linear engine refuses', async () => {
    const value = `${'a'.repeat(100)}!`;
    expect(await measureMs(async () => expect(await fits(value, 'string', '^(?=a)(a+)+$')).toBe(false))).toBeLessThan(
      1000,
    );
  });

  test('blames the institution for a pattern that is not a regular expression', async () => {
    const check = async () => validateTicketFields(makeType({ validationRegex: '(' }), [{ id: 'campo-0', value: 'x' }]);
    await expect(check).rejects.toThrow(Failure);
    await expect(check).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test('runs no pattern on a file', async () => {
    expect(await fits('QUFB', 'file', '^$')).toBe(true);
  });

  test('looks at no text again that is too long', async () => {
    expect(text(4000).safeParse('\u0000\ud800'.repeat(2_001)).error?.issues).toHaveLength(1);
  });

  test('takes a file of exactly 7 MiB, quickly, and refuses one byte more', async () => {
    const largest = Buffer.alloc(7 * 1024 * 1024).toString('base64');
    const larger = Buffer.alloc(7 * 1024 * 1024 + 1).toString('base64');
    expect(largest).toHaveLength(maxValueLength);
    expect(await measureMs(async () => expect(await fits(largest, 'file')).toBe(true))).toBeLessThan(2_000);
    expect(await fits(larger, 'file')).toBe(false);
    expect(await fits(`${'A'.repeat(65_534)}==QUFB`, 'file')).toBe(false);
    expect(
      await measureMs(async () => expect(await fits(`${largest.slice(0, -4)}!${'='.repeat(3)}`, 'file')).toBe(false)),
    ).toBeLessThan(2_000);
  });
});
