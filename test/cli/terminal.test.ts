import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { report } from '../../src/cli/terminal.ts';
import { ListenFailure } from '../../src/toolkit/problems.ts';

afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = undefined;
});

/** What is printed about the error. */
function print(error: object): string {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  report(error instanceof Error ? error : Object.assign(new Error('with a secret'), error));
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

const cannotListen = (section: 'http' | 'ops', fields: object) =>
  new ListenFailure(section, Object.assign(new Error('listen'), fields));

describe('a gateway that cannot listen', () => {
  test.each([
    ['EACCES', 'port 80 on 127.0.0.1 is not allowed for this user: choose another port with --port or PUENTE_PORT\n'],
    ['EINVAL', '127.0.0.1 is not an address of this machine: set http.host to one, e.g. 127.0.0.1\n'],
  ])('names the port or the address (%s)', (code, text) => {
    expect(print(cannotListen('http', { code, address: '127.0.0.1', port: 80 }))).toBe(text);
  });

  test('by a name names the key of that', () => {
    const foreign = 'http.host is not an address of this machine: set http.host to one, e.g. 127.0.0.1\n';
    expect(print(cannotListen('http', { code: 'ENOTFOUND' }))).toBe(foreign);
  });

  test('for the probes names the port of the probes', () => {
    const taken =
      'port 81 on 127.0.0.1 is in use: stop the other program, or choose another port with PUENTE_OPS_PORT\n';
    expect(print(cannotListen('ops', { code: 'EADDRINUSE', address: '127.0.0.1', port: 81 }))).toBe(taken);
  });
});
