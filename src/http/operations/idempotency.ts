import { getFate, isWrite, type Operation, Rejection, toRejection } from '../../api/index.ts';
import type { Outcome } from '../../guard/idempotency/idempotency.ts';
import { parseIdempotencyKey } from '../../guard/idempotency/key.ts';
import type { Call } from '../../ports/index.ts';
import { toProblemReply } from '../errors.ts';
import type { Gateway } from '../gateway.ts';
import type { Middleware, RequestContext } from '../request-context.ts';
import { addHeaders, type Reply } from '../send.ts';

/** Reads the `Idempotency-Key`. */
export const readKey =
  (isRequired: boolean): Middleware =>
  (req, res, next) => {
    const header = req.headers['idempotency-key'];
    if (header === undefined && isRequired) throw new Rejection('idempotency_key_required');
    if (header !== undefined) {
      const key = typeof header === 'string' ? parseIdempotencyKey(header) : undefined;
      if (key === undefined) {
        throw new Rejection('malformed_request', {
          happened: 'Idempotency-Key must have 1 to 255 visible ASCII characters.',
        });
      }
      // It would be the key of every write that the same tool sends.
      if (/\{\{.*\}\}|^<\w+>$/.test(key)) {
        throw new Rejection('malformed_request', {
          happened:
            'Idempotency-Key is a placeholder, such as {{$guid}} or <string>, that nothing has replaced by a key.',
        });
      }
      res.locals.idempotencyKey = key;
    }
    next();
  };

/** Attempts a request with a call that says whether it was attempted before, or repeats the response of an earlier attempt. */
type AttemptOnce = (call: Call, context: RequestContext, attempt: (call: Call) => Promise<Reply>) => Promise<Reply>;

/** Attempts each write with an `Idempotency-Key` once, and any other request whenever it comes. */
export function withIdempotency(operation: Operation, gateway: Gateway, timeoutMs: number): AttemptOnce {
  const retryable = gateway.retryableWrites.has(operation.uses[0]);

  return async (call, context, attempt) => {
    const { requestId, client, idempotencyKey, signal } = call;
    if (idempotencyKey === undefined || !isWrite(operation)) return attempt(call);
    const { params, query, body } = context.input ?? {};
    const content = [operation.name, params, query, body];
    const request = { requestId, client, idempotencyKey, content, retryable, timeoutMs, signal };
    const { response, replayed } = await gateway.idempotency.once(
      request,
      (resumed) => attempt(resumed ? { ...call, resumed } : call),
      toOutcome,
    );
    context.replayed = replayed;
    return replayed ? addHeaders(response, { 'Idempotency-Replayed': 'true' }) : response;

    function toOutcome(error: unknown): Outcome {
      const rejection = toRejection(error, operation);
      const fate = getFate(rejection.code);
      return fate === 'done' ? { fate, response: toProblemReply(gateway, context, rejection) } : { fate };
    }
  };
}
