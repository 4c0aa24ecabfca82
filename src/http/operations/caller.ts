import { isAnonymous, type Scope } from '../../api/index.ts';
import { getOperationClass } from '../../guard/operation-class.ts';
import { requireScope } from '../auth/bearer.ts';
import type { AuthenticateRequest, Client } from '../auth/client.ts';
import type { CallerAddresses } from '../caller-address.ts';
import type { ClientLimits } from '../limits/client-limits.ts';
import type { Middleware, Step } from '../request-context.ts';
import { afterResponse } from '../send.ts';

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
      res.locals.caller = { name: client.name, key };
      const leave = await clientLimits.enter(key, operationClass);
      void finished.promise.then(() => afterResponse(res, () => leave(res.statusCode !== 503)));
      next();
    };
  };
