import {
  type Answer,
  answersList,
  execute,
  getPortName,
  isWrite,
  type Operation,
  toRejection,
} from '../../api/index.ts';
import { type Deadline, waitForEnd, withDeadline } from '../../guard/deadline.ts';
import type { Protected } from '../../guard/guard.ts';
import { LEASE_SLACK } from '../../guard/idempotency/idempotency.ts';
import { getOperationClass } from '../../guard/operation-class.ts';
import type { Call, OmittedRecord } from '../../ports/index.ts';
import type { Gateway } from '../gateway.ts';
import type { Middleware, RequestContext } from '../request-context.ts';
import { addHeaders, afterResponse, type Reply, sendReply, toReply } from '../send.ts';
import { endAudit } from './audit.ts';
import { withIdempotency } from './idempotency.ts';

/** What the guard protects when it calls an operation. */
export const describeProtected = (operation: Operation, { findOwner }: Pick<Gateway, 'findOwner'>): Protected => ({
  adapter: findOwner(operation.uses[0]),
  port: getPortName(operation),
  class: getOperationClass(operation.uses),
  operation: operation.name,
});

/** Executes the operation under a deadline, with an `Idempotency-Key` once, when the backend works, and responds. */
export function callPort(operation: Operation, gateway: Gateway): Middleware {
  const { guard, limits, runningWrites } = gateway;
  const port = gateway.port(getPortName(operation));
  const writes = isWrite(operation);
  const timeoutMs = guard.findDeadline(operation.name) ?? (writes ? limits.writeDeadline : limits.readDeadline);
  const attemptOnce = withIdempotency(operation, gateway, timeoutMs);
  const protect = guard.protect(describeProtected(operation, gateway));

  return async (req, res) => {
    const context = res.locals;
    const omitted: OmittedRecord[] = [];
    const onDisconnect = (abandon: () => void) =>
      afterResponse(res, () => {
        if (!res.writableFinished) abandon();
      });
    // A write that was sent must complete, also when nobody waits for it.
    const options = writes ? { timeoutMs, writes } : { timeoutMs, writes, onDisconnect };
    const reply = await withDeadline(options, (deadline) => {
      const attempt = async (call: Call) => {
        const answer = await execute(operation, port, context.input ?? {}, call);
        context.created = answer.created;
        return toAnswerReply(answer);
      };
      const call = createCall(context, deadline, omitted);
      const work = attemptOnce(call, context, (call) => protect(context.caller!, deadline, () => attempt(call)));
      if (req.body !== undefined) context.callEnded = waitForEnd(work, deadline, LEASE_SLACK);
      // It may outlive its deadline, and with it the response.
      return writes ? runningWrites.add(work) : work;
    }).catch((error: unknown) => {
      throw toRejection(error, operation);
    });
    countOmitted(operation, gateway, context, omitted);
    const isIncomplete = omitted.length > 0 && answersList(operation);
    const complete = isIncomplete ? addHeaders(reply, { 'Puente-Omitted': String(omitted.length) }) : reply;
    await endAudit(operation, gateway, res, complete);
    sendReply(res, context.requestId, complete);
    context.finished.resolve();
  };

  function toAnswerReply({ status, body, location }: Answer): Reply {
    return toReply(status, body, location === undefined ? {} : { Location: `${gateway.basePath}${location}` });
  }
}

const createCall = (
  { requestId, client, receivedAt, idempotencyKey }: RequestContext,
  { signal, timeLeft }: Deadline,
  omitted: OmittedRecord[],
): Call => ({
  requestId,
  client: client!.key ?? client!.name,
  now: receivedAt.toISOString(),
  signal,
  timeLeft,
  omit: (record) => void omitted.push(record),
  idempotencyKey,
});

function countOmitted(
  operation: Operation,
  { findOwner, log, omittedRecords }: Gateway,
  context: RequestContext,
  omitted: readonly OmittedRecord[],
): void {
  context.omitted = omitted.length;
  for (const { resourceType, element, count } of omittedRecords.add(omitted)) {
    const adapter = findOwner(operation.uses[0]);
    log.write('warn', 'record omitted', {
      requestId: context.requestId,
      operation: operation.name,
      adapter,
      resourceType,
      element,
      count,
    });
  }
}
