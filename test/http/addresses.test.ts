import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { CallerAddresses, toCountedAddress, toPlainAddress } from '../../src/http/addresses.ts';

/** The address of a request that came from `remote` with this X-Forwarded-For. */
function find(trusted: readonly string[], remote: string, forwarded?: string): string {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: remote });
  const req = new IncomingMessage(socket);
  if (forwarded !== undefined) req.headers['x-forwarded-for'] = forwarded;
  return new CallerAddresses(trusted).find(req);
}

describe('the address of a caller', () => {
  test.each([
    ['is that of the connection', [], '192.0.2.1', undefined, '192.0.2.1'],
    ['is not what the caller itself says', [], '192.0.2.1', '198.51.100.1', '192.0.2.1'],
    ['is what a trusted proxy says', ['10.0.0.0/8'], '10.1.2.3', '192.0.2.1', '192.0.2.1'],
    [
      'is what the last of several trusted proxies says',
      ['10.0.0.0/8'],
      '10.1.2.3',
      '1.1.1.1, 192.0.2.1, 10.4.4.4',
      '192.0.2.1',
    ],
    ['is what a trusted proxy says with a port', ['10.0.0.0/8'], '10.1.2.3', '192.0.2.1:50123', '192.0.2.1'],
    ['is IPv6 in brackets', ['10.0.0.0/8'], '10.1.2.3', '[2001:db8:1:2::5]', '2001:db8:1:0'],
    ['is IPv6 in brackets with a port', ['10.0.0.0/8'], '10.1.2.3', '[2001:db8:1:2::5]:443', '2001:db8:1:0'],
    [
      'is what the last of several trusted proxies says, all with ports',
      ['10.0.0.0/8'],
      '10.1.2.3',
      '1.1.1.1:1, 192.0.2.1:50123, 10.4.4.4:9',
      '192.0.2.1',
    ],
    ['is that of the proxy when it says nothing', ['10.0.0.0/8'], '10.1.2.3', undefined, '10.1.2.3'],
    ['is that of the proxy when it says no address', ['10.0.0.0/8'], '10.1.2.3', 'unknown', '10.1.2.3'],
    ['is IPv4 also over IPv6', ['10.1.2.3'], '::ffff:10.1.2.3', '192.0.2.1', '192.0.2.1'],
    ['counts for the whole /56 of IPv6', ['::1'], '::1', '2001:db8:1:12f:3:4:5:6', '2001:db8:1:100'],
  ])('%s', (_what, trusted, remote, forwarded, address) => {
    expect(find(trusted, remote, forwarded)).toBe(address);
  });

  test.each([
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:0:12ff::1', '2001:db8:0:1200'],
    ['::1', '0:0:0:0'],
    ['2001::12ff:3:4:5:6', '2001:0:0:1200'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:0DB8:0:0:0:0:0:1', '2001:db8:0:0'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ])('%s counts as %s', (address, counted) => {
    expect(toCountedAddress(toPlainAddress(address))).toBe(counted);
  });
});
