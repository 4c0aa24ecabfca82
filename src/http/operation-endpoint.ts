import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Answer,
  answersList,
  execute,
  getPortName,
  isAnonymous,
  isOffered,
  isWrite,
  type Operation,
  parseInput,
  Rejection,
  toRejection,
} from '../api/index.ts';
import { waitForEnd, withDeadline } from '../guard/deadline.ts';
import { LEASE_SLACK } from '../guard/idempotency/idempotency.ts';
import { getOperationClass } from '../guard/operation-class.ts';
import type { Call, OmittedRecord } from '../ports/index.ts';
import { requireScope } from './auth/bearer.ts';
import { readBody } from './body.ts';
import type { Client, Gateway } from './gateway.ts';
import { createOnce, readIdempotencyKey } from './idempotency.ts';
import { acceptsJson, parseQuery } from './request.ts';
import type { RequestContext } from './request-context.ts';
import { addHeaders, afterResponse, type Reply, sendReply, toReply } from './send.ts';

/** Handles one request; `params` are the decoded path parameters. */
export type Endpoint = (
  req: IncomingMessage,
  res: ServerResponse,
  context: RequestContext,
  params: Readonly<Record<string, string>>,
) => Promise<void>;

/**
 * The endpoint of an operation: authenticates, reads and checks the request, executes it under a deadline, with an
 * `Idempotency-Key` once, when there is room for it and the backend works, and responds.
 */
export function createOperationEndpoint(operation: Operation, gateway: Gateway): Endpoint {
  const offered = isOffered(operation, gateway.supports);
  const port = gateway.port(getPortName(operation));
  const anonymous = isAnonymous(operation, gateway);
  const writes = isWrite(operation);
  const { readDeadline, writeDeadline } = gateway.limits;
  const timeoutMs = gateway.guard.findDeadline(operation.name) ?? (writes ? writeDeadline : readDeadline);
  const once = createOnce(operation, gateway, timeoutMs);
  const operationClass = getOperationClass(operation.uses);
  const adapter = gateway.findOwner(operation.uses[0]);
  const kind = { adapter, port: getPortName(operation), class: operationClass, operation: operation.name };
  const enter = gateway.guard.createEntrance(kind);
  const protect = gateway.guard.protect(kind);

  const respond: Endpoint = async (req, res, context, params) => {
    context.operation = operation;
    const client = anonymous ? anonymousClient : await gateway.authenticate(req);
    context.client = client.name;
    if (!anonymous) requireScope(operation.scope, client);
    if (!offered) throw new Rejection('not_implemented');
    if (!(await acceptsJson(req))) throw new Rejection('not_acceptable');
    // Callers without a token are told apart by their addresses.
    const limited = anonymous ? `anonymous ${gateway.addresses.find(req)}` : (client.key ?? client.name);
    const leave = await gateway.clientLimits.enter(limited, operationClass);
    const bodyOver = Promise.withResolvers<unknown>();
    const holdBody = (release: () => void) => void bodyOver.promise.then(() => afterResponse(res, release));
    try {
      const idempotencyKey = readIdempotencyKey(req, gateway.idempotencyRequired.has(operation.name));
      // What was done under a key is repeated however much there is to do.
      if (idempotencyKey === undefined) requireRoom();
      const body = operation.body && (await readBody(req, res, gateway.bodies, holdBody, operation.bodyLimit));
      const input = parseInput(
        operation,
        { params, query: operation.query ? parseQuery(req) : {}, body },
        gateway.compat,
      );
      const omitted: OmittedRecord[] = [];

      const onDisconnect = (abandon: () => void) =>
        afterResponse(res, () => {
          if (!res.writableFinished) abandon();
        });
      // A write that was sent must complete, also when nobody waits for it.
      const reply = await withDeadline(
        writes ? { timeoutMs, writes } : { timeoutMs, writes, onDisconnect },
        (deadline) => {
          const call: Call = {
            requestId: context.requestId,
            client: client.key ?? client.name,
            now: context.receivedAt.toISOString(),
            signal: deadline.signal,
            timeLeft: deadline.timeLeft,
            omit: (record) => void omitted.push(record),
            ...(idempotencyKey !== undefined && { idempotencyKey }),
          };
          const attempt = async (call: Call) => toAnswerReply(await execute(operation, port, input, call));
          const work = once(call, input, context, (call) => protect(deadline, () => attempt(call)));
          // As for its key, work beyond its deadline counts a while longer.
          if (body !== undefined) bodyOver.resolve(waitForEnd(work, deadline, LEASE_SLACK));
          // It may outlive its deadline, and with it the response.
          return writes ? gateway.runningWrites.add(work) : work;
        },
      ).catch((error: unknown) => {
        throw toRejection(error, operation);
      });
      for (const { resourceType, element, count } of gateway.omittedRecords.add(omitted)) {
        gateway.log.write('warn', 'record omitted', {
          requestId: context.requestId,
          operation: operation.name,
          adapter,
          resourceType,
          element,
          count,
        });
      }
      const incomplete = omitted.length > 0 && answersList(operation);
      sendReply(
        res,
        context.requestId,
        incomplete ? addHeaders(reply, { 'Puente-Omitted': String(omitted.length) }) : reply,
      );
    } finally {
      // Whoever hangs up keeps the place of what goes on, as in the bulkhead: until the deadline at the latest.
      afterResponse(res, leave);
      bodyOver.resolve(undefined);
    }
  };
  // A caller may leave while the write is still being read: it begins all the same.
  return writes ? (...request) => gateway.runningWrites.add(respond(...request)) : respond;

  function requireRoom(): void {
    try {
      enter();
    } catch (error) {
      throw toRejection(error, operation);
    }
  }

  function toAnswerReply({ status, body, location }: Answer): Reply {
    return toReply(status, body, location === undefined ? {} : { Location: `${gateway.basePath}${location}` });
  }
}

const anonymousClient: Client = { name: 'anonymous', scopes: new Set() };
