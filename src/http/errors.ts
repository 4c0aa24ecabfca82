import type { ErrorRequestHandler, Response } from 'express';
import { problems, Rejection, toProblemBody } from '../api/index.ts';
import type { Gateway } from './gateway.ts';
import { getRequestContext } from './request-context.ts';
import { send } from './send.ts';

/** Answers a request with the problem that it ended in, whatever was thrown. */
export function sendProblem(gateway: Gateway, res: Response, error: unknown): void {
  const rejection = error instanceof Rejection ? error : toRejection(error);
  const trail = getRequestContext(res);
  trail.code = rejection.code;
  const { at, cause, retryAfter, headers } = rejection.details;
  if (at !== undefined) trail.at = at;
  const code = findCauseCode(cause);
  if (code !== undefined && code !== rejection.code) trail.cause = code;
  if (rejection.code === 'internal_error') logUnhandledError(gateway, trail.requestId, cause);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const fold = gateway.compat.strictStatusCodes && trail.operation?.listedStatuses === true;
  const body = toProblemBody(rejection, trail.requestId, gateway.basePath, fold);
  const wait = retryAfter ?? (problems[rejection.code].status === 503 ? 1 : undefined);
  send(res, body.status, body, {
    'Content-Type': 'application/problem+json; charset=utf-8',
    ...(wait !== undefined && { 'Retry-After': String(wait) }),
    ...headers,
  });
}

/** The last handler of the app. */
export function createErrorHandler(gateway: Gateway): ErrorRequestHandler {
  return (error, _req, res, _next) => sendProblem(gateway, res, error);
}

/** Express and its parsers mark the errors of a request by a status below 500; everything else is a bug of ours. */
function toRejection(error: unknown): Rejection {
  const status = (error as { status?: unknown } | undefined)?.status;
  const callers = typeof status === 'number' && status >= 400 && status < 500;
  return new Rejection(callers ? 'malformed_request' : 'internal_error', { cause: error });
}

/** What a code looks like, unlike a word of a person: `ECONNREFUSED`, `HTTP_401`, `no_birth_date`. */
const codePattern = /^(?:[A-Z][A-Z0-9_]{1,40}|[a-z]+(?:_[a-z]+)+)$/;

/** The code of the innermost cause; never a message. A cause need not be an Error to have one. */
function findCauseCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return findCauseCode(cause) ?? (typeof code === 'string' && codePattern.test(code) ? code : undefined);
}

/** Says where our own code broke. */
function logUnhandledError({ log }: Gateway, requestId: string, error: unknown): void {
  const cause = error instanceof Error ? error.name : typeof error;
  log.write('error', 'bug', { requestId, cause, stack: listFrames(error) });
}

/** File and line of the frames in our own code, e.g. `src/api/perform.ts:38:20`. No message: it may hold a patient's data. */
export const listFrames = (error: unknown): string[] =>
  error instanceof Error
    ? [
        ...(error.stack ?? '').matchAll(
          /^ +at (?!.*node_modules).*\b((?:src|adapters)\/[\w./-]+\.[jt]s:\d+:\d+)\)?$/gm,
        ),
      ].map(([, frame]) => frame!)
    : [];
