import { Rejection } from '../../api/index.ts';
import type { CallerAddresses } from '../caller-address.ts';
import { requireAllowed } from '../limits/client-limits.ts';
import type { RateLimiter, Taken } from '../limits/rate-limiter.ts';
import type { Authenticate } from './bearer.ts';
import type { AuthenticateRequest } from './client.ts';
import type { RefusalReason } from './refusal.ts';

/**
 * Counts the requests of each address whose token fails or is missing. Valid tokens are accepted whatever others at the address do: many clients
 * may share it, and a client whose token has just expired comes back with a new one. Beyond the limit only no issuer is
 * asked about tokens that it may never have issued.
 * @throws Rejection as `authenticate` does, or `rate_limited` for a request without a valid token beyond the limit of its address.
 */
export function createRequestAuthenticator(
  authenticate: Authenticate,
  addresses: CallerAddresses,
  failures: RateLimiter,
): AuthenticateRequest {
  return async (req) => {
    const findAddress = () => addresses.find(req);
    const refuse = (taken: Taken, reason?: string) => requireAllowed(taken, failures.quota, 'failedTokens', reason);
    try {
      return await authenticate(req.headers.authorization, {
        findAddress,
        requireAttempt: async () => refuse(await failures.look(findAddress()), 'not_asked' satisfies RefusalReason),
        countFailure: async () => void (await failures.take(findAddress())),
      });
    } catch (error) {
      if (error instanceof Rejection && error.code === 'unauthenticated')
        refuse(await failures.take(findAddress()), error.reason);
      throw error;
    }
  };
}
