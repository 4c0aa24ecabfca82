import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, SocketAddress } from 'node:net';
import { isAnonymous, Rejection, type Scope } from '../api/index.ts';
import { type Authenticate, requireScope } from '../auth/bearer.ts';
import type { AuthenticateRequest, Client } from '../auth/client.ts';
import type { RefusalReason } from '../auth/token-client.ts';
import { getOperationClass } from '../guard/guard.ts';
import { type ClientLimits, type RateLimiter, requireAllowed, type Taken } from './limits.ts';
import type { Middleware, Step } from './request.ts';
import { afterResponse } from './send.ts';

/**
 * Finds out by its token who sends the request, and refuses who may not.
 * @param anonymousGroupA whether operations of Group A accept requests without a token.
 */
export const identifyClient =
  (authenticate: AuthenticateRequest, anonymousGroupA: boolean): Step =>
  (operation) =>
    isAnonymous(operation, { anonymousGroupA }) ? admitAnonymous : requireToken(authenticate, operation.scope);

/** As for an operation with this scope. */
export const requireToken = (authenticate: AuthenticateRequest, scope: Scope): readonly Middleware[] => [
  async (req, res, next) => {
    res.locals.client = await authenticate(req);
    next();
  },
  (_req, res, next) => {
    requireScope(scope, res.locals.client!);
    next();
  },
];

const anonymous: Client = { name: 'anonymous', scopes: new Set() };

const admitAnonymous: Middleware = (_req, res, next) => {
  res.locals.client = anonymous;
  next();
};

/**
 * Bounds what a client may ask for, but for what is 503: an outage is not its fault. Those without a token are told apart by their addresses. Whoever hangs up keeps the place of
 * what goes on, as in the bulkhead: until the deadline at the latest.
 */
export const limitClient =
  (clientLimits: ClientLimits, addresses: CallerAddresses): Step =>
  ({ uses }) => {
    const operationClass = getOperationClass(uses);
    return async (req, res, next) => {
      const { finished } = res.locals;
      const client = res.locals.client!;
      const key = client === anonymous ? `anonymous ${addresses.find(req)}` : (client.key ?? client.name);
      res.locals.counted = { name: client.name, key };
      const leave = await clientLimits.enter(key, operationClass);
      void finished.promise.then(() => afterResponse(res, () => leave(res.statusCode !== 503)));
      next();
    };
  };

/**
 * Counts the requests of each address whose token fails or is missing. Valid tokens are accepted whatever others at the address do: many clients
 * may share it, and a client whose token has just expired comes back with a new one. Beyond the limit only no issuer is
 * asked about tokens that it may never have issued.
 * @throws Rejection as `authenticate` does, or `rate_limited` for a request without a valid token beyond the limit of its address.
 */
export function limitFailedTokens(
  authenticate: Authenticate,
  addresses: CallerAddresses,
  failures: RateLimiter,
): AuthenticateRequest {
  return async (req) => {
    const findAddress = () => addresses.find(req);
    const refuse = (taken: Taken, reason?: string) => requireAllowed(taken, failures.quota, 'failedTokens', reason);
    try {
      return await authenticate(req.headers.authorization, {
        findAddress,
        requireAttempt: async () => refuse(await failures.look(findAddress()), 'not_asked' satisfies RefusalReason),
        countFailure: async () => void (await failures.take(findAddress())),
      });
    } catch (error) {
      if (error instanceof Rejection && error.code === 'unauthenticated')
        refuse(await failures.take(findAddress()), error.reason);
      throw error;
    }
  };
}

/** Tells the addresses of callers from those of the proxies in front of the gateway. */
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

  /** The address that requests are counted by: IPv6 by its /64. */
  find(request: IncomingMessage): string {
    return toCountedAddress(this.findExact(request));
  }

  /** The address from which a trusted proxy, or else the connection, says that the request comes. */
  findExact({ socket, headers }: IncomingMessage): string {
    const hops = String(headers['x-forwarded-for'] ?? '').split(',');
    let address = toPlainAddress(socket.remoteAddress ?? '');
    while (hops.length > 0 && this.isProxy(address)) {
      const hop = toPlainAddress(dropPort(hops.pop()!.trim()));
      if (isIP(hop) === 0) break;
      address = hop;
    }
    return address;
  }
}

const getFamily = (address: string): 'ipv4' | 'ipv6' => (address.includes(':') ? 'ipv6' : 'ipv4');

/** Some proxies write a port behind the address, and IPv6 between brackets, as in a URL. */
const dropPort = (hop: string): string => hop.replace(/^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/, '$1$2');

/** An address in one spelling, that of RFC 5952, without a zone; an IPv4 address that came over IPv6, as IPv4. */
export function toPlainAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const { address: plain } = new SocketAddress({ address: address.replace(/%.*$/, ''), family: 'ipv6' });
  return plain.replace(/^::ffff:(?=\d+\.)/, '');
}

/** One host often has a whole /64 of IPv6, so it counts as one address. @param address as `toPlainAddress` returns it. */
export function toCountedAddress(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', rest] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const missing = rest === undefined ? 0 : 8 - groups.length - rest.split(':').filter(Boolean).length;
  return [...groups, ...Array<string>(missing).fill('0'), ...(rest ?? '').split(':').filter(Boolean)]
    .slice(0, 4)
    .join(':');
}
