import { getFate, isWrite, Rejection, toRejection } from '../../api/index.ts';
import type { Idempotency } from '../../guard/idempotency/idempotency.ts';
import { parseIdempotencyKey } from '../../guard/idempotency/key.ts';
import type { Capability } from '../../ports/index.ts';
import type { ToProblemReply } from '../errors.ts';
import type { Step } from '../request-context.ts';
import { addHeaders } from '../send.ts';
import type { CreateAttempt } from './call-port.ts';

/**
 * Reads the `Idempotency-Key`.
 * @param required the names of the operations that accept no request without one.
 */
export const readKey =
  (required: readonly string[]): Step =>
  ({ name }) =>
  (req, res, next) => {
    const header = req.headers['idempotency-key'];
    if (header === undefined && required.includes(name)) throw new Rejection('idempotency_key_required');
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

/** Attempts each write with an `Idempotency-Key` once, and any other request whenever it comes. */
export const attemptOnce =
  (
    createAttempt: CreateAttempt,
    idempotency: Idempotency,
    retryableWrites: ReadonlySet<Capability>,
    toProblemReply: ToProblemReply,
  ): CreateAttempt =>
  (operation) => {
    const attempt = createAttempt(operation);
    if (!isWrite(operation)) return attempt;
    const retryable = retryableWrites.has(operation.uses[0]);

    return async (call, deadline, context) => {
      const { requestId, client, idempotencyKey, signal } = call;
      if (idempotencyKey === undefined) return attempt(call, deadline, context);
      const { params, query, body } = context.input ?? {};
      const content = [operation.name, params, query, body];
      const { timeoutMs } = deadline;
      const { response, replayed } = await idempotency.once(
        { requestId, client, idempotencyKey, content, retryable, timeoutMs, signal },
        (resumed) => attempt(resumed ? { ...call, resumed } : call, deadline, context),
        (error) => {
          const rejection = toRejection(error, operation);
          const fate = getFate(rejection.code);
          return fate === 'done' ? { fate, response: toProblemReply(context, rejection) } : { fate };
        },
      );
      context.replayed = replayed;
      return replayed ? addHeaders(response, { 'Idempotency-Replayed': 'true' }) : response;
    };
  };
