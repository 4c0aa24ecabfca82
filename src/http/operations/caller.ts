import type { Scope } from '../../api/index.ts';
import type { OperationClass } from '../../guard/operation-class.ts';
import { requireScope } from '../auth/bearer.ts';
import type { Client } from '../auth/client.ts';
import type { Gateway } from '../gateway.ts';
import type { Middleware } from '../request-context.ts';
import { afterResponse } from '../send.ts';

/** Finds out by its token who sends the request. */
export const authenticate =
  (gateway: Gateway): Middleware =>
  async (req, res, next) => {
    res.locals.client = await gateway.authenticate(req);
    next();
  };

const anonymous: Client = { name: 'anonymous', scopes: new Set() };

export const admitAnonymous: Middleware = (_req, res, next) => {
  res.locals.client = anonymous;
  next();
};

export const authorize =
  (scope: Scope): Middleware =>
  (_req, res, next) => {
    requireScope(scope, res.locals.client!);
    next();
  };

/**
 * Bounds what a client may ask for, but for what is 503: an outage is not its fault. Those without a token are told apart by their addresses. Whoever hangs up keeps the place of
 * what goes on, as in the bulkhead: until the deadline at the latest.
 */
export const limitClient =
  ({ addresses, clientLimits }: Gateway, operationClass: OperationClass, isAnonymous: boolean): Middleware =>
  async (req, res, next) => {
    const { client, finished } = res.locals;
    const key = isAnonymous ? `anonymous ${addresses.find(req)}` : (client!.key ?? client!.name);
    res.locals.caller = { name: client!.name, key };
    const leave = await clientLimits.enter(key, operationClass);
    void finished.promise.then(() => afterResponse(res, () => leave(res.statusCode !== 503)));
    next();
  };
