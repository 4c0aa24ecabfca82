import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, SocketAddress } from 'node:net';

/** Separates the addresses of callers from those of the proxies in front of the gateway. */
export class CallerAddresses {
  readonly #proxies = new BlockList();

  /** @param trustedProxies addresses and subnets in CIDR notation, e.g. `10.0.0.0/8`. */
  constructor(trustedProxies: readonly string[]) {
    for (const proxy of trustedProxies) {
      const [address = '', prefix] = proxy.split('/');
      const family = getFamily(address);
      this.#proxies.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family);
    }
  }

  isProxy(address: string): boolean {
    return isIP(address) !== 0 && this.#proxies.check(address, getFamily(address));
  }

  /** The address under which requests are counted. IPv6 addresses count by their /56. */
  find(request: IncomingMessage): string {
    return toCountedAddress(this.findExact(request));
  }

  /** The caller's address according to a trusted proxy, or otherwise the connection. */
  findExact({ socket, headers }: IncomingMessage): string {
    let address = toPlainAddress(socket.remoteAddress ?? '');
    const forwarded = headers['x-forwarded-for'];
    const hops = forwarded === undefined ? [] : String(forwarded).split(',');
    while (hops.length > 0 && this.isProxy(address)) {
      const hop = toPlainAddress(dropPort(hops.pop()!.trim()));
      if (isIP(hop) === 0) break;
      address = hop;
    }
    return address;
  }
}

const getFamily = (address: string): 'ipv4' | 'ipv6' => (address.includes(':') ? 'ipv6' : 'ipv4');

/** Some proxies append a port to the address, and write IPv6 in brackets, as in a URL. */
const dropPort = (hop: string): string => hop.replace(/^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/, '$1$2');

/** An address in the spelling of RFC 5952, without a zone. An IPv4 address over IPv6 becomes IPv4. */
export function toPlainAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const { address: plain } = new SocketAddress({ address: address.replace(/%.*$/, ''), family: 'ipv6' });
  return plain.replace(/^::ffff:(?=\d+\.)/, '');
}

/**
 * One customer of a provider often has a whole /56 of IPv6, so it counts as one address, in the form of its first 64
 * bits.
 * @param address as `toPlainAddress` returns it.
 */
export function toCountedAddress(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', rest] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const missing = rest === undefined ? 0 : 8 - groups.length - rest.split(':').filter(Boolean).length;
  const all = [...groups, ...Array<string>(missing).fill('0'), ...(rest ?? '').split(':').filter(Boolean)];
  const [first, second, third, fourth = '0'] = all;
  return [first, second, third, (Number.parseInt(fourth, 16) & 0xff00).toString(16)].join(':');
}
