import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { report } from '../../src/cli/terminal.ts';

afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = undefined;
});

/** What is printed about the error. */
function print(error: object): string {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  report(Object.assign(new Error('with a secret'), error));
  expect(process.exitCode).toBe(1);
  return write.mock.calls.join('');
}

describe('a command that fails', () => {
  test.each([
    ['mkdir', '/srv/adapter cannot be used (EACCES)\n'],
    ['open', '/srv/adapter cannot be used (EACCES)\n'],
  ])('because of a file (%s) names the file, and no port', (syscall, text) => {
    expect(print({ code: 'EACCES', syscall, path: '/srv/adapter' })).toBe(text);
  });

  test('because of a bug says where, and not what', () => {
    expect(print({ code: 'EACCES' })).toMatch(/^puente crashed: Error EACCES\n/);
  });
});

describe('a gateway that cannot listen', () => {
  test.each([
    ['EACCES', 'port 80 on 127.0.0.1 is not allowed for this user: choose another port with --port or PUENTE_PORT\n'],
    ['EINVAL', '127.0.0.1 is not an address of this machine: set http.host to one, e.g. 127.0.0.1\n'],
  ])('names the port or the address (%s)', (code, text) => {
    expect(print({ code, syscall: 'listen', address: '127.0.0.1', port: 80 })).toBe(text);
  });

  test('by a name names the key of that', () => {
    const foreign = 'http.host is not an address of this machine: set http.host to one, e.g. 127.0.0.1\n';
    expect(print({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })).toBe(foreign);
  });
});
