import type { IncomingMessage } from 'node:http';
import { type AnyInput, getFate, isWrite, type Operation, Rejection, toRejection } from '../api/index.ts';
import type { Outcome } from '../guard/idempotency/idempotency.ts';
import { parseIdempotencyKey } from '../guard/idempotency/key.ts';
import type { Call } from '../ports/index.ts';
import { toProblemReply } from './errors.ts';
import type { Gateway } from './gateway.ts';
import type { RequestContext } from './request-context.ts';
import { addHeaders, type Reply, toWhole } from './send.ts';

/**
 * The `Idempotency-Key` of a request.
 * @throws Rejection `malformed_request`, or `idempotency_key_required`.
 */
export function readIdempotencyKey(req: IncomingMessage, required: boolean): string | undefined {
  const header = req.headers['idempotency-key'];
  if (header === undefined) {
    if (required) throw new Rejection('idempotency_key_required');
    return undefined;
  }
  const key = typeof header === 'string' ? parseIdempotencyKey(header) : undefined;
  if (key !== undefined) return key;
  throw new Rejection('malformed_request', {
    happened: 'Idempotency-Key must have 1 to 255 visible ASCII characters.',
  });
}

/** Attempts a request with a call that says whether it was attempted before, or repeats the response of an earlier attempt. */
type Once = (
  call: Call,
  input: AnyInput,
  context: RequestContext,
  attempt: (call: Call) => Promise<Reply>,
) => Promise<Reply>;

/** Attempts each write with an `Idempotency-Key` once, and any other request whenever it comes. */
export function createOnce(operation: Operation, gateway: Gateway, timeoutMs: number): Once {
  const resumable = gateway.resumes.has(operation.uses[0]);

  return async (call, input, context, attempt) => {
    const { requestId, client, idempotencyKey, signal } = call;
    if (idempotencyKey === undefined || !isWrite(operation)) return attempt(call);
    const content = [operation.name, input.params, input.query, input.body];
    const request = { requestId, client, idempotencyKey, content, resumable, timeoutMs, signal };
    const { response, replayed } = await gateway.idempotency.once(
      request,
      async (resumed) => toWhole(await attempt(resumed ? { ...call, resumed } : call)),
      toOutcome,
    );
    return replayed ? addHeaders(response, { 'Idempotency-Replayed': 'true' }) : response;

    function toOutcome(error: unknown): Outcome {
      const rejection = toRejection(error, operation);
      const fate = getFate(rejection.code);
      return fate === 'done' ? { fate, response: toWhole(toProblemReply(gateway, context, rejection)) } : { fate };
    }
  };
}
