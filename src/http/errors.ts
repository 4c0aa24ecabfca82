import { problems, Rejection, toProblemBody } from '../api/index.ts';
import type { Refusals } from '../auth/refusals.ts';
import type { Log } from '../ports/index.ts';
import { findCauseCode, findSaid, listFrames } from '../toolkit/failures.ts';
import { type CallerAddresses, toPlainAddress } from './addresses.ts';
import type { RequestTrail } from './audit.ts';
import type { ErrorMiddleware, RequestContext } from './request.ts';
import { type Reply, sendReply, toReply } from './send.ts';

/** Where a problem is recorded, and how to identify its caller. */
interface ProblemRecords {
  readonly trail: RequestTrail;
  readonly addresses: CallerAddresses;
  /** Counts the reasons for refusals. */
  readonly refusals: Refusals;
  readonly log: Log;
}

/**
 * Responds with the problem for any thrown value, and throws nothing itself, because Express would then send its own
 * page.
 */
export const sendProblems =
  (toProblemReply: ToProblemReply, { trail, addresses, refusals, log }: ProblemRecords): ErrorMiddleware =>
  (error, req, res, _next) => {
    const context = res.locals;
    try {
      context.finished.resolve();
      const rejection = error instanceof Rejection ? error : wrapError(error);
      const { code, reason, details } = rejection;
      const { at, cause, repeated } = details;
      context.code = code;
      context.repeated = repeated;
      context.refusal = reason;
      context.faults = details.faults;
      if (at !== undefined) context.at = at;
      const causeCode = reason ?? findCauseCode(cause);
      if (causeCode !== undefined && causeCode !== code) context.cause = causeCode;
      const said = findSaid(cause);
      if (said !== undefined) context.said = said;
      if (reason !== undefined) refusals.add(reason, reason === 'scope_missing' ? context.operation?.scope : undefined);
      if (code === 'internal_error') {
        // The place in our own code that threw.
        const name = cause instanceof Error ? cause.name : typeof cause;
        log.write('error', 'unhandled error', { requestId: context.requestId, cause: name, stack: listFrames(cause) });
      }
      if (res.headersSent) {
        res.destroy();
        return;
      }
      // A client that ignores a limit must queue for a new connection. A proxy's connection serves many callers, and stays open.
      if (repeated && !addresses.isProxy(toPlainAddress(req.socket.remoteAddress ?? '')))
        res.setHeader('Connection', 'close');
      const reply = toProblemReply(context, rejection);
      trail.recordProblem(res, reply.status, rejection);
      sendReply(res, context.requestId, reply);
    } catch {
      // The thrown value is not examined any further.
      res.destroy();
      log.write('error', 'unhandled error', { requestId: context.requestId, cause: 'problem_not_sent' });
    }
  };

/** The general text. For several requests under one key, it applies only to this one. */
const unchanged = /Nothing was changed(?: by this request)?/;

/** The problem details of a rejection, ready to be sent. */
export type ToProblemReply = (context: RequestContext, rejection: Rejection) => Reply;

/** @param strictStatusCodes true if an operation uses only the statuses of the API document. */
export const createProblemReplies =
  (basePath: string, strictStatusCodes: boolean): ToProblemReply =>
  (context, rejection) => {
    const { retryAfter, headers } = rejection.details;
    const strict = strictStatusCodes && context.operation?.listedStatuses === true;
    const problem = toProblemBody(rejection, context.requestId, basePath, strict);
    const body = context.hasKey
      ? { ...problem, detail: problem.detail.replace(unchanged, 'This request changed nothing') }
      : problem;
    const delay = retryAfter ?? (problems[rejection.code].status === 503 ? 1 : undefined);
    return toReply(body.status, body, {
      'Content-Type': 'application/problem+json; charset=utf-8',
      ...(delay !== undefined && { 'Retry-After': String(delay) }),
      ...headers,
    });
  };

/** Express and its parsers set a status below 500 on the caller's errors. Every other error is our own. */
function wrapError(error: unknown): Rejection {
  const status = (error as { status?: unknown } | undefined)?.status;
  const isCallers = typeof status === 'number' && status >= 400 && status < 500;
  return new Rejection(isCallers ? 'malformed_request' : 'internal_error', { cause: error });
}
