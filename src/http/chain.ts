import type { IncomingMessage } from 'node:http';
import {
  execute,
  getOutcome,
  getPortName,
  isOffered,
  isWrite,
  listIgnored,
  type Operation,
  type PerformOptions,
  parseInput,
  Rejection,
  toRejection,
} from '../api/index.ts';
import { Deadline, waitForEnd } from '../guard/deadline.ts';
import { type Guard, getOperationClass, type Protected } from '../guard/guard.ts';
import { type Idempotency, LEASE_SLACK, parseIdempotencyKey } from '../guard/idempotency.ts';
import type { Call, Capability, Offer, PortName } from '../ports/index.ts';
import { Omissions } from '../toolkit/omissions.ts';
import type { ServedRoute } from './app.ts';
import type { RunningWrites } from './drain.ts';
import type { ToProblemReply } from './errors.ts';
import type { ErrorMiddleware, FindAdapter, Middleware, RequestContext, Step } from './request.ts';
import { addHeaders, afterResponse, type Reply, sendReply, toReply } from './send.ts';

/** Serves each operation at its route through these steps. */
export const serveOperations = (
  operations: readonly Operation[],
  steps: readonly Step[],
  sendProblems: ErrorMiddleware,
): readonly ServedRoute[] =>
  operations.map((operation) => ({
    route: operation.route,
    // The chain ends with the problem sender: after `next(error)`, Express would search all routes of the application
    // for one.
    chain: [...steps.flatMap((step) => step(operation)), sendProblems],
  }));

/**
 * Sets the operation and its adapter. Counts a write for the shutdown, which also waits for writes whose caller has
 * left.
 */
export const beginOperation =
  (runningWrites: RunningWrites, findAdapter: FindAdapter): Step =>
  (operation) => {
    const writes = isWrite(operation);
    const adapter = findAdapter(operation);
    return (_req, res, next) => {
      res.locals.operation = operation;
      res.locals.adapter = adapter;
      if (writes) void runningWrites.add(res.locals.finished.promise);
      next();
    };
  };

export const requireOffered =
  (supports: ReadonlySet<Capability>): Step =>
  (operation) =>
    isOffered(operation, supports) ? [] : rejectNotOffered;

const rejectNotOffered: Middleware = () => {
  throw new Rejection('not_implemented');
};

/** Parameters of a media type except its weight, such as `charset=utf-8`. The value may be quoted. */
const parameters = /;\s*(?!q\s*=)[^\s=;,"]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*)/gi;

export const requireJsonAccepted: Step = () => (req, _res, next) => {
  const accept = req.headers.accept?.replaceAll(parameters, '').trim() || '*/*';
  // JSON has no parameters, so they are ignored. The content negotiation would see another type.
  req.headers.accept = accept;
  if (accept !== '*/*' && !req.accepts(['application/json', 'application/problem+json']))
    throw new Rejection('not_acceptable');
  next();
};

export const checkInput =
  (options: PerformOptions): Step =>
  (operation) =>
  (req, res, next) => {
    const hasQuery = req.url.includes('?');
    const query = hasQuery ? req.query : {};
    const ignored = hasQuery ? listIgnored(operation, query) : [];
    // Problems also have it: a misspelled parameter may be the reason for a missing one.
    if (ignored.length > 0) res.setHeader('Puente-Ignored', ignored.join(', '));
    res.locals.input = parseInput(operation, { params: req.params, query, body: req.body }, options);
    next();
  };

export const sendAnswer: Step = () => (_req, res) => {
  sendReply(res, res.locals.requestId, res.locals.reply!);
  res.locals.finished.resolve();
};

/** The offered methods of each port, from all adapters. */
export type Ports = Pick<Offer, PortName>;

/** Makes the call of a request, and turns its answer into the response. */
export type CreateAttempt = (operation: Operation) => Attempt;
export type Attempt = (call: Call, deadline: Deadline, context: RequestContext) => Promise<Reply>;

/** Calls the port of the operation. */
export const executeOnPort =
  (ports: Ports, basePath: string): CreateAttempt =>
  (operation) => {
    const port = ports[getPortName(operation)];
    return async (call, _deadline, context) => {
      const { status, body, location, version, created } = await execute(operation, port, context.input ?? {}, call);
      context.created = created;
      return toReply(status, body, {
        ...(location !== undefined && { Location: `${basePath}${location}` }),
        ...(version !== undefined && { ETag: `"${version}"` }),
      });
    };
  };

/** Attempts the call if the bulkhead has a place and the backend works. */
export const protect =
  (createAttempt: CreateAttempt, guard: Guard, findAdapter: FindAdapter): CreateAttempt =>
  (operation) => {
    const attempt = createAttempt(operation);
    const run = guard.protect(describeProtected(operation, findAdapter));
    return (call, deadline, context) => run(context.counted!, deadline, () => attempt(call, deadline, context));
  };

/** Rejects at once a request that the guard would reject. A response under a key is replayed even under overload. */
export const requireAdmission =
  (guard: Guard, findAdapter: FindAdapter): Step =>
  (operation) => {
    const check = guard.createAdmissionCheck(describeProtected(operation, findAdapter));
    return (_req, res, next) => {
      if (res.locals.idempotencyKey === undefined) {
        try {
          check(res.locals.counted!);
        } catch (error) {
          throw toRejection(error, operation);
        }
      }
      next();
    };
  };

const describeProtected = (operation: Operation, findAdapter: FindAdapter): Protected => ({
  adapter: findAdapter(operation),
  port: getPortName(operation),
  class: getOperationClass(operation.uses),
  operation: operation.name,
});

/**
 * Attempts the operation within its deadline.
 * @param findDeadline returns the milliseconds from a request to its response.
 */
export const callPort =
  (createAttempt: CreateAttempt, findDeadline: (operation: Operation) => number, runningWrites: RunningWrites): Step =>
  (operation) => {
    const attempt = createAttempt(operation);
    const timeoutMs = findDeadline(operation);
    const writes = isWrite(operation);

    return async (req, res, next) => {
      const context = res.locals;
      const omissions = new Omissions();
      const concerned = new Set<string>();
      context.concerned = concerned;
      const deadline = new Deadline(timeoutMs, writes);
      // A write that was sent must complete, even if nobody waits for it.
      if (!writes) afterResponse(res, () => res.writableFinished || deadline.abandon());
      try {
        const call = createCall(req, context, deadline, { omissions, concerned });
        const work = attempt(call, deadline, context);
        if (req.body !== undefined) context.callEnded = waitForEnd(work, deadline, LEASE_SLACK);
        // It may outlive its deadline, and therefore the response.
        context.reply = await deadline.limit(writes ? runningWrites.add(work) : work);
      } catch (error) {
        throw toRejection(error, operation);
      } finally {
        deadline.end();
      }
      context.omitted = omissions.list.map(({ record }) => record);
      next();
    };
  };

/** The versions of `If-Match`. Weak ones match nothing (RFC 9110, section 13.1.1). Undefined if any version matches. */
const parseIfMatch = (header: string): readonly string[] | undefined =>
  /^\s*\*?\s*$/.test(header)
    ? undefined
    : [...header.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, version]) => (weak ? [] : (version ?? [])));

const createCall = (
  { headers }: IncomingMessage,
  { requestId, client, receivedAt, idempotencyKey }: RequestContext,
  { signal, timeLeft }: Deadline,
  { omissions, concerned }: { readonly omissions: Omissions; readonly concerned: Set<string> },
): Call => ({
  requestId,
  client: client!.key ?? client!.name,
  now: receivedAt,
  signal,
  timeLeft,
  omit: omissions.add,
  concerns: (patientId) => void concerned.add(patientId),
  idempotencyKey,
  ifMatch: headers['if-match'] === undefined ? undefined : parseIfMatch(headers['if-match']),
});

/**
 * Reads the `Idempotency-Key`.
 * @param required the names of the operations that require one.
 */
export const readKey =
  (required: readonly string[]): Step =>
  ({ name }) =>
  (req, res, next) => {
    const header = req.headers['idempotency-key'];
    if (header === undefined && required.includes(name)) throw new Rejection('idempotency_key_required');
    if (header !== undefined) {
      const key = typeof header === 'string' ? parseIdempotencyKey(header) : undefined;
      if (key === undefined) {
        throw new Rejection('malformed_request', {
          happened: 'Idempotency-Key must have 1 to 255 visible ASCII characters.',
        });
      }
      // A placeholder would be the key of every write of the same tool.
      if (/\{\{.*\}\}|^<\w+>$/.test(key)) {
        throw new Rejection('malformed_request', {
          happened: 'Idempotency-Key is an unreplaced placeholder, such as {{$guid}} or <string>.',
        });
      }
      res.locals.idempotencyKey = key;
    }
    next();
  };

/** The identification and replay of writes with a key. */
interface KeyedWrites {
  readonly idempotency: Idempotency;
  readonly retryableWrites: ReadonlySet<Capability>;
  readonly toProblemReply: ToProblemReply;
}

/** Attempts each write with an `Idempotency-Key` once, and any other request each time. */
export const attemptOnce =
  (createAttempt: CreateAttempt, { idempotency, retryableWrites, toProblemReply }: KeyedWrites): CreateAttempt =>
  (operation) => {
    const attempt = createAttempt(operation);
    if (!isWrite(operation)) return attempt;
    const retryable = retryableWrites.has(operation.uses[0]);

    return async (call, deadline, context) => {
      const { requestId, client, idempotencyKey, signal } = call;
      if (idempotencyKey === undefined) return attempt(call, deadline, context);
      const { params, query, body } = context.input ?? {};
      const content = [operation.name, params, query, body];
      const { timeoutMs } = deadline;
      const { response, replayed } = await idempotency.once(
        { requestId, client, idempotencyKey, content, retryable, timeoutMs, signal },
        (resumed) => attempt(resumed ? { ...call, resumed } : call, deadline, context),
        (error) => {
          const rejection = toRejection(error, operation);
          const state = getOutcome(rejection.code);
          return state === 'done' ? { state, response: toProblemReply(context, rejection) } : { state };
        },
      );
      context.replayed = replayed;
      return replayed ? addHeaders(response, { 'Idempotency-Replayed': 'true' }) : response;
    };
  };
