import type { JWTPayload } from 'jose';
import type { TimedAnswer } from '../../toolkit/http-client/examine-clock.ts';

/** Milliseconds for which a token tells of the clock: that of the issuer may have been set meanwhile. */
const TOLD_MS = 600_000;

/** The clock of an issuer, as far as its tokens tell, which were issued no later than now. */
export class IssuerClock {
  #last = { iat: 0, until: 0 };

  /** Learns from a token of which it is certain that the issuer made it. `now` is in seconds since 1970. */
  see({ iat = 0 }: JWTPayload, now: number): void {
    if (iat > now) this.#last = { iat, until: performance.now() + TOLD_MS };
  }

  /** The last token from the future, as if the issuer had told its time with it now; undefined when there was none. */
  get told(): TimedAnswer | undefined {
    const { iat, until } = this.#last;
    if (performance.now() >= until) return undefined;
    return { headers: { date: new Date(iat * 1000).toUTCString() }, sentAt: 0, receivedAt: Date.now() };
  }
}
