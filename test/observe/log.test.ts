import { Writable } from 'node:stream';
import { stripVTControlCharacters, styleText } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { WinstonLog } from '../../src/observe/log.ts';
import { Lines } from '../support/lines.ts';

const fields = { route: 'GET /patients/{id}', status: 200, ms: 1.5, client: 'app' } as const;

describe('the log', () => {
  test('writes one JSON line for each event, with the time in UTC', () => {
    const stream = new Lines();
    new WinstonLog({ level: 'info', format: 'json', stream }).write('info', 'request', fields);
    expect(stream.all).toHaveLength(1);
    const { time, ...rest } = JSON.parse(stream.all[0] ?? '');
    expect(time).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    expect(rest).toEqual({ level: 'info', event: 'request', ...fields });
  });

  test('writes no field that it does not know, and none of the same name as its own', () => {
    const stream = new Lines();
    const smuggled = { ...fields, identifier: '31465466', message: 'Ana', level: 'error', time: 'Ana' };
    new WinstonLog({ level: 'info', format: 'json', stream }).write('info', 'request', smuggled);
    expect(stream.all[0]).not.toMatch(/Ana|31465466/);
    expect(JSON.parse(stream.all[0] ?? '')).toMatchObject({ level: 'info', event: 'request' });
  });

  test('leaves out what is less important than its level', () => {
    const stream = new Lines();
    const log = new WinstonLog({ level: 'warn', format: 'json', stream });
    log.write('info', 'request');
    log.write('error', 'unhandled error');
    expect(stream.all.map((line) => JSON.parse(line).event)).toEqual(['unhandled error']);
  });

  test('is short for a person, and quotes what might forge a line', () => {
    const stream = new Lines();
    const log = new WinstonLog({ level: 'info', format: 'pretty', stream });
    log.write('info', 'request', { ...fields, client: 'a\n\u001b[31mb' });
    expect(stream.all).toHaveLength(1);
    expect(stripVTControlCharacters(stream.all[0] ?? '')).toMatch(
      /^\d\d:\d\d:\d\d request GET \/patients\/\{id\} 200 1\.5 ms client="a\\n\\u001b\[31mb"$/,
    );
  });

  test('shows a person in green what was answered, in yellow what was refused, and in red what went wrong', async () => {
    const stream = Object.assign(new Lines(), { isTTY: true });
    const log = new WinstonLog({ level: 'info', format: 'pretty', stream });
    const colours = { 200: 'green', 399: 'green', 400: 'yellow', 499: 'yellow', 500: 'red' } as const;
    for (const status of Object.keys(colours)) log.write('info', 'request', { status: Number(status) });
    await new Promise((resolve) => setImmediate(resolve));
    expect(stream.all.map((line) => line.split(' ').at(-1))).toEqual(
      Object.entries(colours).map(([status, colour]) => styleText(colour, status, { stream })),
    );
  });

  test('is pretty on a terminal and JSON elsewhere, unless it is told', async () => {
    const terminal = Object.assign(new Lines(), { isTTY: true });
    new WinstonLog({ level: 'info', format: 'auto', stream: terminal }).write('info', 'listening');
    new WinstonLog({ level: 'info', format: 'json', stream: terminal }).write('info', 'listening');
    await new Promise((resolve) => setImmediate(resolve));
    expect(terminal.all.map((line) => line.startsWith('{'))).toEqual([false, true]);
  });

  test('writes the lines of one turn of the event loop with few calls of the system', async () => {
    const calls: number[] = [];
    const stream = new Writable({
      write: (_line, _encoding, done) => {
        calls.push(1);
        done();
      },
      writev: (lines, done) => {
        calls.push(lines.length);
        done();
      },
    });
    const log = new WinstonLog({ level: 'info', format: 'json', stream });
    for (let i = 0; i < 100; i++) log.write('info', 'request', { status: i });
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toEqual([1, 99]);
    for (let i = 0; i < 3; i++) log.write('info', 'request');
    expect(calls).toEqual([1, 99, 1]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toEqual([1, 99, 1, 2]);
  });

  test('has written everything when it is closed, and drops what comes later', async () => {
    const stream = new Lines();
    const log = new WinstonLog({ level: 'info', format: 'json', stream });
    for (let i = 0; i < 1_000; i++) log.write('info', 'request', { status: i });
    await log.close();
    log.write('info', 'listening');
    expect(stream.all).toHaveLength(1_000);
  });
});
