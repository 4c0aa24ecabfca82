import type { Request, Response } from 'express';
import {
  answersList,
  getPortName,
  isAnonymous,
  isOffered,
  type Operation,
  perform,
  Rejection,
  toRejection,
} from '../api/index.ts';
import { withDeadline } from '../guard/deadline.ts';
import type { Call, OmittedRecord } from '../ports/index.ts';
import { requireScope } from './auth/bearer.ts';
import { readBody } from './body.ts';
import type { Client, Gateway } from './gateway.ts';
import type { OmittedRecords } from './omitted-records.ts';
import { getRequestContext } from './request-context.ts';
import { send } from './send.ts';

/** Handles one request; `params` are the decoded path parameters. */
export type Endpoint = (req: Request, res: Response, params: Readonly<Record<string, string>>) => Promise<void>;

/** The endpoint of an operation: authenticates, reads the body, performs the operation under a deadline, and responds. */
export function createOperationEndpoint(
  operation: Operation,
  gateway: Gateway,
  omittedRecords: OmittedRecords,
): Endpoint {
  const offered = isOffered(operation, gateway.supports);
  const port = gateway.port(getPortName(operation));
  const anonymous = isAnonymous(operation, gateway);
  const writes = operation.scope.endsWith(':write');
  const timeoutMs = writes ? gateway.limits.writeDeadline : gateway.limits.readDeadline;

  return async (req, res, params) => {
    const context = getRequestContext(res);
    context.operation = operation;
    const client = anonymous ? anonymousClient : await gateway.authenticate(req.headers.authorization);
    context.client = client.name;
    if (!anonymous) requireScope(operation.scope, client);
    if (!offered) throw new Rejection('not_implemented');
    if (!req.accepts(['application/json', 'application/problem+json'])) throw new Rejection('not_acceptable');
    const idempotencyKey = parseIdempotencyKey(req);
    const body = operation.body && (await readBody(req, res, operation.bodyLimit));
    const omitted: OmittedRecord[] = [];

    const answer = await withDeadline(
      { timeoutMs, writes, ...(!writes && { disconnected: createDisconnectSignal(res) }) },
      (signal) => {
        const call: Call = {
          requestId: context.requestId,
          client: client.name,
          now: context.receivedAt.toISOString(),
          signal,
          omit: (record) => void omitted.push(record),
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        };
        return perform(operation, port, { params, query: req.query, body }, call, gateway.compat);
      },
    ).catch((error: unknown) => {
      throw toRejection(error, operation);
    });
    for (const { resourceType, element, count } of omittedRecords.add(omitted)) {
      gateway.log.write('warn', 'record omitted', {
        requestId: context.requestId,
        operation: operation.name,
        adapter: gateway.adapter,
        resourceType,
        element,
        count,
      });
    }
    send(res, answer.status, answer.body, {
      ...(omitted.length > 0 && answersList(operation) && { 'Puente-Omitted': String(omitted.length) }),
      ...(answer.location !== undefined && { Location: `${gateway.basePath}${answer.location}` }),
    });
  };
}

const anonymousClient: Client = { name: 'anonymous', scopes: new Set() };

/** Aborts when the caller disconnects. Used for reads only: a write that was sent must complete. */
function createDisconnectSignal(res: Response): AbortSignal {
  const disconnected = new AbortController();
  res.once('close', () => disconnected.abort());
  return disconnected.signal;
}

/** A quoted string (RFC 8941), or the bare key. */
const idempotencyKeyPattern = /^(?:"([\x20-\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x7e]{1,255}))$/;

function parseIdempotencyKey(req: Request): string | undefined {
  const header = req.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const match = typeof header === 'string' ? idempotencyKeyPattern.exec(header) : null;
  if (!match)
    throw new Rejection('malformed_request', {
      detail: 'Idempotency-Key must have 1 to 255 visible ASCII characters.',
    });
  return match[1] ?? match[2];
}
