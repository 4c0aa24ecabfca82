import { expect, test } from '@jest/globals';
import { buildExample, operations, type Rejection } from '../../src/api/index.ts';
import { parseInput } from '../../src/api/perform.ts';

const odd: readonly unknown[] = [null, true, 5, -1, 1.5, 1e21, '', 'x', 'x'.repeat(5_000), '2026-02-30', [], [1], {}];

/** The value with each of its parts replaced by something odd, missing, or too often there. */
function* change(value: unknown): Generator<unknown> {
  yield* odd;
  if (Array.isArray(value)) {
    yield Array(500).fill(value[0]);
    for (const each of change(value[0])) yield [each];
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, surplus: 1 };
    for (const [name, inner] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
      for (const each of change(inner)) yield { ...value, [name]: each };
    }
  }
}

test('what is wrong with a value is said in our words, never in those of a library', () => {
  const said = new Set<string>();
  for (const operation of operations) {
    const { params = {}, query = {}, body } = buildExample(operation, new Date());
    const asked = Object.entries(query).flatMap(([name]) =>
      ['', 'x', '-1', 'x'.repeat(5_000), ['a', 'b']].map((each) => ({
        params,
        body,
        query: { ...query, [name]: each },
      })),
    );
    const sent = [...change(body)].map((each) => ({ params, query, body: each }));
    for (const request of [...asked, ...sent]) {
      try {
        parseInput(operation, request);
      } catch (error) {
        for (const { message } of (error as Rejection).details.faults ?? []) said.add(message);
      }
    }
  }
  expect(said.size).toBeGreaterThan(30);
  const ours = /^(must (be|have|name|not)|is (required|an unknown field)$|\w+(,| or) .* is required$)/;
  expect([...said].filter((message) => !ours.test(message) || /\bint\b|expected/.test(message))).toEqual([]);
});
