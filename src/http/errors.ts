import type { ParsedUrlQuery } from 'node:querystring';
import type { ErrorRequestHandler } from 'express';
import { problems, Rejection, toProblemBody } from '../api/index.ts';
import { findCauseCode, listFrames } from '../toolkit/causes.ts';
import { toPlainAddress } from './caller-address.ts';
import type { Gateway } from './gateway.ts';
import { recordProblem } from './operations/audit.ts';
import type { RequestContext } from './request-context.ts';
import { type Reply, sendReply, toReply } from './send.ts';

export type ErrorMiddleware = ErrorRequestHandler<
  Record<string, string>,
  unknown,
  unknown,
  ParsedUrlQuery,
  RequestContext
>;

type Response = Parameters<ErrorMiddleware>[2];

/** Responds with the problem for whatever was thrown, and throws nothing itself: Express would send a page of its own. */
export const sendProblems =
  (gateway: Gateway): ErrorMiddleware =>
  (error, _req, res, _next) => {
    try {
      res.locals.finished.resolve();
      sendProblem(gateway, res, error);
    } catch {
      // What was thrown is not looked at any further.
      res.destroy();
      gateway.log.write('error', 'unhandled error', { requestId: res.locals.requestId, cause: 'problem_not_sent' });
    }
  };

function sendProblem(gateway: Gateway, res: Response, error: unknown): void {
  const context = res.locals;
  const rejection = error instanceof Rejection ? error : toRejection(error);
  context.code = rejection.code;
  const { reason, details } = rejection;
  const { at, cause, repeated } = details;
  context.repeated = repeated;
  context.refusal = reason;
  if (at !== undefined) context.at = at;
  const scope = reason === 'scope_missing' ? context.operation?.scope : undefined;
  if (reason !== undefined) gateway.refusals.add(reason, scope);
  const causeCode = reason ?? findCauseCode(cause);
  if (causeCode !== undefined && causeCode !== rejection.code) context.cause = causeCode;
  if (rejection.code === 'internal_error') logUnhandledError(gateway, context.requestId, cause);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  // Whoever does not heed a limit comes again behind all others that wait for a connection. Those of a proxy are of many callers.
  if (repeated && !gateway.addresses.isProxy(toPlainAddress(res.req.socket.remoteAddress ?? '')))
    res.setHeader('Connection', 'close');
  const reply = toProblemReply(gateway, context, rejection);
  recordProblem(gateway, res, reply.status, rejection);
  sendReply(res, context.requestId, reply);
}

/** What is said of all requests: of several under one key it is true of this one alone. */
const unchanged = /Nothing was changed(?: by this request)?/;

/** The problem details of a rejection, ready to be sent. */
export function toProblemReply(gateway: Gateway, context: RequestContext, rejection: Rejection): Reply {
  const { retryAfter, headers } = rejection.details;
  const strict = gateway.compat.strictStatusCodes && context.operation?.listedStatuses === true;
  const problem = toProblemBody(rejection, context.requestId, gateway.basePath, strict);
  const body = context.hasKey
    ? { ...problem, detail: problem.detail.replace(unchanged, 'This request changed nothing') }
    : problem;
  const delay = retryAfter ?? (problems[rejection.code].status === 503 ? 1 : undefined);
  return toReply(body.status, body, {
    'Content-Type': 'application/problem+json; charset=utf-8',
    ...(delay !== undefined && { 'Retry-After': String(delay) }),
    ...headers,
  });
}

/** Express and its parsers mark the caller's errors with a status below 500; everything else is our own error. */
function toRejection(error: unknown): Rejection {
  const status = (error as { status?: unknown } | undefined)?.status;
  const isCallers = typeof status === 'number' && status >= 400 && status < 500;
  return new Rejection(isCallers ? 'malformed_request' : 'internal_error', { cause: error });
}

/** Logs where our own code threw. */
function logUnhandledError({ log }: Gateway, requestId: string, error: unknown): void {
  const cause = error instanceof Error ? error.name : typeof error;
  log.write('error', 'unhandled error', { requestId, cause, stack: listFrames(error) });
}
