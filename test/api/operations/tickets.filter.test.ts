import { expect, test } from '@jest/globals';
import { parseInput, Rejection } from '../../../src/api/index.ts';
import { findOperation } from '../../support/fake-port.ts';

const parse = (status: string) =>
  parseInput(findOperation('listTickets'), { params: { id: 'ana' }, query: { status }, body: undefined });

test('a filter of tickets compares the status as the institution wrote it', () => {
  expect(parse('revisio\u0301n')).toMatchObject({ query: { status: 'revisio\u0301n' } });
});

test('a filter of tickets by an empty status, which no ticket has, is refused', () => {
  expect(() => parse('')).toThrow(Rejection);
});
