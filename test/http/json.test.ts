import { describe, expect, test } from '@jest/globals';
import { Rejection } from '../../src/api/index.ts';
import { parseJson } from '../../src/http/json.ts';

/** What comes of a text: its value, or the words of the rejection. */
async function outcomeOf(text: string | Buffer): Promise<unknown> {
  try {
    return await parseJson(Buffer.from(text));
  } catch (error) {
    if (error instanceof Rejection) return `${error.code}: ${error.details.happened}`;
    throw error;
  }
}

const wrap = (string: string): string => `{"fields": [{"id": "a", "value": "${string}"}], "last" : [1, true, null]}`;

const escapes = ['', 'x', 'xy', 'xyz', 'wxyz', 'vwxyz'];
const long = (unit: string): string => unit.repeat(Math.ceil(150_000 / unit.length));

describe('a text with long strings', () => {
  const units = [
    'QUJD',
    '\\/',
    '\\\\',
    '\\"',
    '\\u00e9',
    '\\ud83d\\ude00',
    'é',
    '漢',
    '😀',
    '\\\\\\n',
    ': , [ { ] }',
    ' ',
  ];

  test.each(units)('is parsed as JSON.parse does, wherever a piece ends in %j', async (unit) => {
    for (const shift of escapes) {
      const text = wrap(shift + long(unit));
      expect((await outcomeOf(text)) as object).toEqual(JSON.parse(text));
    }
  });

  test.each([
    ['several of them', `["${long('a')}", "short", "${long('é')}", "${long('\\n')}"]`],
    ['one of them twice under a name', `{"a": "${long('a')}", "a": "${long('b')}"}`],
    ['one of them before a short one under its name', `{"a": "${long('a')}", "a": "b"}`],
    ['one under __proto__', `{"__proto__": "${long('a')}"}`],
    ['one as a name', `{"${long('a')}" : "${long('b')}"}`],
    ['nothing else', `"${long('a')}"`],
    ['a byte order mark', `\ufeff"${long('a')}"`],
  ])('is parsed as JSON.parse does: %s', async (_what, text) => {
    const parsed: unknown = await outcomeOf(text);
    const expected: unknown = JSON.parse(text.replace('\ufeff', ''));
    expect(JSON.stringify(parsed) === JSON.stringify(expected)).toBe(true);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.getPrototypeOf(expected));
  });
});

const wrong: readonly (readonly [what: string, start: string, end: string])[] = [
  ['that does not end', '"', ''],
  ['with a control character', '"', '\n"'],
  ['with an escape that does not exist', '"', '\\x"'],
  ['with half an escape', '"', '\\u00"'],
  ['that ends within an escape', '"', '\\'],
  ['before what belongs to nothing', '"', '" x'],
  ['without a comma before it', '[1 "', '"]'],
  ['in too many brackets', `${'['.repeat(21)}"`, `"${']'.repeat(21)}`],
  ['beside too many values', `[${'1,'.repeat(2_001)}"`, '"]'],
];

test.each(wrong)('a string %s is rejected in the same words, short or long', async (_what, start, end) => {
  const short = await outcomeOf(`${start}aaaa${end}`);
  expect(short).toMatch(/^malformed_request: The body /);
  expect(await outcomeOf(`${start}${long('aaaa')}${end}`)).toBe(short);
});

test('bytes that are no UTF-8 are rejected in the same words, in a short string or a long one', async () => {
  const short = await outcomeOf(Buffer.from('"aaaa\xff"', 'latin1'));
  expect(short).toBe('malformed_request: The body is not valid UTF-8.');
  expect(await outcomeOf(Buffer.from(`"${long('aaaa')}\xff"`, 'latin1'))).toBe(short);
});

test.each([
  ['base64', long('QUJD')],
  ['escaped characters', long('\\u00e9')],
  ['white space between its values', `", ${' '.repeat(150_000)}"next": "`],
])('others have their turn while megabytes are parsed: %s', async (_what, string) => {
  let turns = 0;
  let parsing = true;
  const count = () => {
    turns += 1;
    if (parsing) setImmediate(count);
  };
  setImmediate(count);
  await outcomeOf(wrap(string));
  parsing = false;
  expect(turns).toBeGreaterThanOrEqual(2);
});
