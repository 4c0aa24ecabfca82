import {
  isAnonymous,
  isOffered,
  isWrite,
  type Operation,
  parseInput,
  Rejection,
  toRejection,
} from '../../api/index.ts';
import { getOperationClass } from '../../guard/operation-class.ts';
import { type ErrorMiddleware, sendProblems } from '../errors.ts';
import type { Gateway } from '../gateway.ts';
import type { Middleware } from '../request-context.ts';
import { beginAudit } from './audit.ts';
import { readBody } from './body.ts';
import { callPort, describeProtected } from './call-port.ts';
import { admitAnonymous, authenticate, authorize, limitClient } from './caller.ts';
import { readKey } from './idempotency.ts';

/** What a request to an operation passes, one concern each. */
export function createChain(operation: Operation, gateway: Gateway): readonly (Middleware | ErrorMiddleware)[] {
  const anonymous = isAnonymous(operation, gateway);
  return [
    setOperation(operation),
    ...(isWrite(operation) ? [countWrite(gateway)] : []),
    ...(anonymous ? [admitAnonymous] : [authenticate(gateway), authorize(operation.scope)]),
    ...(isOffered(operation, gateway.supports) ? [] : [rejectNotOffered]),
    requireJsonAccepted,
    limitClient(gateway, getOperationClass(operation.uses), anonymous),
    readKey(gateway.idempotencyRequired.has(operation.name)),
    requireRoom(operation, gateway),
    ...(operation.body ? readBody(gateway, operation.bodyLimit) : []),
    checkInput(operation, gateway),
    ...beginAudit(operation, gateway),
    callPort(operation, gateway),
    // To that of the application Express would look at all other routes first.
    sendProblems(gateway),
  ];
}

const setOperation =
  (operation: Operation): Middleware =>
  (_req, res, next) => {
    res.locals.operation = operation;
    next();
  };

/** Counts it for the shutdown. A caller may leave while the write is still being read: it begins all the same. */
const countWrite =
  ({ runningWrites }: Gateway): Middleware =>
  (_req, res, next) => {
    void runningWrites.add(res.locals.finished.promise);
    next();
  };

const rejectNotOffered: Middleware = () => {
  throw new Rejection('not_implemented');
};

/** What is said of a media type besides how much it is wanted, such as `charset=utf-8`, whose value may be quoted. */
const parameters = /;\s*(?!q\s*=)[^\s=;,"]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*)/gi;

const requireJsonAccepted: Middleware = (req, _res, next) => {
  const accept = req.headers.accept?.replaceAll(parameters, '').trim() || '*/*';
  // JSON has no parameters, and with any of them it is JSON: the negotiation would take them for another type.
  req.headers.accept = accept;
  if (accept !== '*/*' && !req.accepts(['application/json', 'application/problem+json']))
    throw new Rejection('not_acceptable');
  next();
};

/** Refuses at once what the guard would refuse. What was done under a key is repeated however much there is to do. */
function requireRoom(operation: Operation, gateway: Gateway): Middleware {
  const check = gateway.guard.createAdmissionCheck(describeProtected(operation, gateway));
  return (_req, res, next) => {
    if (res.locals.idempotencyKey === undefined) {
      try {
        check(res.locals.caller!);
      } catch (error) {
        throw toRejection(error, operation);
      }
    }
    next();
  };
}

const checkInput =
  (operation: Operation, { compat }: Gateway): Middleware =>
  (req, res, next) => {
    const query = operation.query ? req.query : {};
    res.locals.input = parseInput(operation, { params: req.params, query, body: req.body }, compat);
    next();
  };
