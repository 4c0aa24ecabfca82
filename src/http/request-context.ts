import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Operation } from '../api/index.ts';

/** What is known about a request; each step of its handling adds to it. */
export interface RequestContext {
  readonly requestId: string;
  readonly receivedAt: Date;
  /** The same moment, by `performance.now()`. */
  readonly startedAt: number;
  operation?: Operation;
  /** The method and path template of an endpoint that is no operation, e.g. `GET /livez`. */
  route?: string;
  client?: string;
  code?: string;
  cause?: string;
  at?: string;
}

const requestIdPattern = /^[\x21-\x7e]{1,128}$/;

/** The context of a request that begins. Its id is the caller's `X-Request-Id` if that has 1 to 128 visible ASCII characters. */
export function createRequestContext({ headers }: IncomingMessage): RequestContext {
  const given = headers['x-request-id'];
  const requestId = typeof given === 'string' && requestIdPattern.test(given) ? given : randomUUID();
  return { requestId, receivedAt: new Date(), startedAt: performance.now() };
}
