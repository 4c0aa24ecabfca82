import { expect, test } from '@jest/globals';
import { toRecord } from '../../src/toolkit/records.ts';

interface Named {
  readonly id: string;
  readonly name?: string;
}

test('a record has no key whose value was undefined', () => {
  expect(Object.keys(toRecord<Named>({ id: 'a', name: undefined }))).toEqual(['id']);
});

test('a record does not compile before each of its fields is given, and those that it needs are more than undefined', () => {
  // @ts-expect-error name is missing
  expect(toRecord<Named>({ id: 'a' })).toEqual({ id: 'a' });
  // @ts-expect-error id is needed
  expect(toRecord<Named>({ id: undefined, name: 'x' })).toEqual({ name: 'x' });
});
