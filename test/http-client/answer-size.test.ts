import { describe, expect, test } from '@jest/globals';
import { ListSize, parseJsonObject, weighJson } from '../../src/http-client/answer-size.ts';
import { createHttpClient } from '../../src/http-client/axios.ts';
import { toNetworkFailure } from '../../src/http-client/failures.ts';
import { serve } from '../support/listen.ts';

const weigh = (text: string) => weighJson(Buffer.from(text), 1_000_000);
const tooLarge = expect.objectContaining({ kind: 'bad_answer', cause: { code: 'TOO_LARGE' } });

describe('what an answer weighs', () => {
  test('is its bytes, or 25 for each value when that is more', () => {
    expect(weigh(JSON.stringify(['x'.repeat(500)]))).toBe(504);
    expect(weigh('[1,2,3]')).toBe(75);
  });

  test('has no end beyond 100 levels', () => {
    expect(weigh('['.repeat(100))).toBe(2_500);
    expect(weigh('['.repeat(101))).toBe(Number.POSITIVE_INFINITY);
  });
});

test('a list may weigh four times as much as one answer', () => {
  const size = new ListSize(100);
  for (const page of [100, 100, 100, 99]) size.add(page);
  size.add(1);
  expect(() => size.add(1)).toThrow(tooLarge);
});

describe('a JSON object', () => {
  const many = `{"x":[${Array(50_000).fill('""').join()}]}`;

  test('that is small and has many values is too large', () => {
    expect(() => parseJsonObject(Buffer.from(many), 'application/json')).toThrow(tooLarge);
    expect(parseJsonObject(Buffer.from(many), 'application/json', 2_000_000)).toHaveProperty('x');
  });

  test('is counted as it is read, in whatever charset it comes', () => {
    // Byte by byte the first character would begin a text.
    const bytes = Buffer.from(`{"\u2200":1,${many.slice(1)}`, 'utf16le');
    expect(bytes[6]).toBe(0x22);
    expect(() => parseJsonObject(bytes, 'application/json; charset=utf-16le')).toThrow(tooLarge);
  });
});

test('a client refuses such an answer before it is parsed, and says that its write may have been done', async () => {
  const url = await serve((_req, res) => res.writeHead(200).end(`[${'['.repeat(200)}`));
  const http = createHttpClient({ base: url, timeout: 5_000, maxBytes: 100_000, tls: {} });
  const error: unknown = await http.get('/').catch((thrown: unknown) => thrown);
  expect(toNetworkFailure(error, false)).toEqual(tooLarge);
  expect(toNetworkFailure(error, true)).toMatchObject({ kind: 'outcome_unknown', cause: { code: 'TOO_LARGE' } });
});
