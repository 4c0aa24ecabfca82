import { isAnonymous, isProblemCode, problems, Rejection, type Scope } from '../api/index.ts';
import { type Authenticate, requireScope } from '../auth/bearer.ts';
import type { AuthenticateRequest, Client } from '../auth/client.ts';
import type { RefusalReason } from '../auth/refusals.ts';
import { getOperationClass } from '../guard/guard.ts';
import type { CallerAddresses } from './addresses.ts';
import { type ClientLimits, type RateLimiter, requireAllowed } from './limits.ts';
import type { Middleware, RequestContext, Step } from './request.ts';
import { afterResponse } from './send.ts';

/**
 * Identifies the client of a request by its token, and refuses requests without permission.
 * @param anonymousGroupA true if operations of Group A accept requests without a token.
 */
export const identifyClient =
  (authenticate: AuthenticateRequest, anonymousGroupA: boolean): Step =>
  (operation) =>
    isAnonymous(operation, { anonymousGroupA }) ? admitAnonymous : requireToken(authenticate, operation.scope);

/** Refuses requests without a token with this scope. */
export const requireToken = (authenticate: AuthenticateRequest, scope: Scope): readonly Middleware[] => [
  async (req, res, next) => {
    res.locals.client = await authenticate(req);
    requireScope(scope, res.locals.client);
    next();
  },
];

const anonymous: Client = { name: 'anonymous', scopes: new Set() };

const admitAnonymous: Middleware = (_req, res, next) => {
  res.locals.client = anonymous;
  next();
};

/**
 * Limits the requests of a client, except those that end in a problem of the status 503, even if the caller gets
 * another status: an outage is not its fault. Clients without a token are identified by their addresses. After a
 * disconnect the operation keeps its place, as in the bulkhead, at most until the deadline.
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
      const finish = await clientLimits.enter(key, operationClass);
      void finished.promise.then(() => afterResponse(res, () => finish(isServed(res.locals))));
      next();
    };
  };

const isServed = ({ code = '' }: RequestContext): boolean => !isProblemCode(code) || problems[code].status !== 503;

/**
 * Counts the requests of each address whose token fails or is missing. Valid tokens are always accepted, because many
 * clients may share an address, and a client with an expired token returns with a new one. Beyond the limit, issuers
 * are not asked about tokens that they may not have issued.
 * @throws Rejection as `authenticate` does, or `rate_limited` for a request without a valid token beyond the limit of
 * its address.
 */
export function limitFailedTokens(
  authenticate: Authenticate,
  addresses: CallerAddresses,
  failures: RateLimiter,
): AuthenticateRequest {
  return async (req) => {
    const findAddress = () => addresses.find(req);
    const count = async (reason?: string) =>
      requireAllowed(await failures.take(findAddress()), failures.quota, 'failedTokens', reason);
    try {
      return await authenticate(req.headers.authorization, {
        findAddress,
        requireAttempt: async () => {
          const { allowed } = await failures.look(findAddress());
          if (!allowed) await count('not_asked' satisfies RefusalReason);
        },
        countFailure: async () => void (await failures.take(findAddress())),
      });
    } catch (error) {
      if (error instanceof Rejection && error.code === 'unauthenticated') await count(error.reason);
      throw error;
    }
  };
}
