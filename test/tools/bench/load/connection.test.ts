import { expect, test } from '@jest/globals';
import { ResponseReader } from './connection.ts';

const response = Buffer.from('HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhello');

test.each([1, 2, 7, 40, response.length])('a response in pieces of %i bytes has its status at its end', (size) => {
  const reader = new ResponseReader();
  for (let turn = 0; turn < 2; turn++) {
    const seen: (number | undefined)[] = [];
    for (let at = 0; at < response.length; at += size) seen.push(reader.read(response.subarray(at, at + size)));
    expect(seen.at(-1)).toBe(201);
    expect(seen.slice(0, -1).every((status) => status === undefined)).toBe(true);
  }
});

test('a response that does not say how long it is, or is longer, fails', () => {
  expect(() => new ResponseReader().read(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))).toThrow('without Content-Length');
  expect(() => new ResponseReader().read(Buffer.concat([response, response]))).toThrow('longer');
});
