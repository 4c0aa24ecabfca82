import { execute, getPortName, isWrite, type Operation, toRejection } from '../../api/index.ts';
import { type Deadline, waitForEnd, withDeadline } from '../../guard/deadline.ts';
import type { Guard, Protected } from '../../guard/guard.ts';
import { LEASE_SLACK } from '../../guard/idempotency/idempotency.ts';
import { getOperationClass } from '../../guard/operation-class.ts';
import type { Call, Offer, OmittedRecord, PortName } from '../../ports/index.ts';
import type { FindAdapter, RequestContext, Step } from '../request-context.ts';
import type { RunningWrites } from '../running-writes.ts';
import { afterResponse, type Reply, toReply } from '../send.ts';

/** What is offered of each port, by whichever adapters have it. */
export type Ports = Pick<Offer, PortName>;

/** What makes the call that a request asks for, and turns its answer into the response. */
export type CreateAttempt = (operation: Operation) => Attempt;
export type Attempt = (call: Call, deadline: Deadline, context: RequestContext) => Promise<Reply>;

/** Calls the port of the operation. */
export const executeOnPort =
  (ports: Ports, basePath: string): CreateAttempt =>
  (operation) => {
    const port = ports[getPortName(operation)];
    return async (call, _deadline, context) => {
      const { status, body, location, created } = await execute(operation, port, context.input ?? {}, call);
      context.created = created;
      return toReply(status, body, location === undefined ? {} : { Location: `${basePath}${location}` });
    };
  };

/** Attempts it when there is room and the backend works. */
export const protect =
  (createAttempt: CreateAttempt, guard: Guard, findAdapter: FindAdapter): CreateAttempt =>
  (operation) => {
    const attempt = createAttempt(operation);
    const run = guard.protect(describeProtected(operation, findAdapter));
    return (call, deadline, context) => run(context.caller!, deadline, () => attempt(call, deadline, context));
  };

/** Refuses at once what the guard would refuse. What was done under a key is repeated however much there is to do. */
export const requireRoom =
  (guard: Guard, findAdapter: FindAdapter): Step =>
  (operation) => {
    const check = guard.createAdmissionCheck(describeProtected(operation, findAdapter));
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
  };

const describeProtected = (operation: Operation, findAdapter: FindAdapter): Protected => ({
  adapter: findAdapter(operation),
  port: getPortName(operation),
  class: getOperationClass(operation.uses),
  operation: operation.name,
});

/**
 * Attempts the operation under its deadline.
 * @param findDeadline the milliseconds from a request to its response.
 */
export const callPort =
  (createAttempt: CreateAttempt, findDeadline: (operation: Operation) => number, runningWrites: RunningWrites): Step =>
  (operation) => {
    const attempt = createAttempt(operation);
    const timeoutMs = findDeadline(operation);
    const writes = isWrite(operation);

    return async (req, res, next) => {
      const context = res.locals;
      const omitted: OmittedRecord[] = [];
      const onDisconnect = (abandon: () => void) =>
        afterResponse(res, () => {
          if (!res.writableFinished) abandon();
        });
      // A write that was sent must complete, also when nobody waits for it.
      const options = writes ? { timeoutMs, writes } : { timeoutMs, writes, onDisconnect };
      context.reply = await withDeadline(options, (deadline) => {
        const work = attempt(createCall(context, deadline, omitted), deadline, context);
        if (req.body !== undefined) context.callEnded = waitForEnd(work, deadline, LEASE_SLACK);
        // It may outlive its deadline, and with it the response.
        return writes ? runningWrites.add(work) : work;
      }).catch((error: unknown) => {
        throw toRejection(error, operation);
      });
      context.omitted = omitted;
      next();
    };
  };

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
