import { describe, expect, test } from '@jest/globals';
import { logEvents } from '../src/ports/log-events.ts';
import { describeLogFields, findLogLines } from './tools/reference/log.ts';

describe('the log events', () => {
  const written = findLogLines();

  test('are those that the code writes, each with a level, and no other', () => {
    expect(Object.keys(logEvents).toSorted()).toEqual([...new Set(written.map(({ event }) => event))].toSorted());
    expect(written.filter(({ levels }) => levels.length === 0)).toEqual([]);
  });

  test('are named in a few lower-case words', () => {
    expect(written.length).toBeGreaterThan(8);
    expect(written.filter(({ event }) => !/^[a-z]+( [a-z]+){0,3}$/.test(event))).toEqual([]);
  });

  test('have fields that are explained', () => {
    const explained = describeLogFields().filter(([, about]) => about !== '');
    const fields = new Set(written.flatMap((line) => line.fields));
    expect(explained.map(([name]) => name).toSorted()).toEqual([...fields].toSorted());
  });
});
