import { setTimeout as sleep } from 'node:timers/promises';
import { listImpairments, lookAtIssuer } from '../http/auth/examine-issuer.ts';
import type { JwtSettings } from '../http/auth/jwt.ts';
import type { Impairment, Log } from '../ports/index.ts';

/** Milliseconds between two looks at an issuer. */
const INTERVAL_MS = 60_000;

/** Looks at the issuers of tokens in the background, so that no probe waits for a provider, and none is asked more often for it. */
export class IssuersHealth {
  readonly #issuers: readonly JwtSettings[];
  readonly #log: Log;
  readonly #stopped = new AbortController();

  constructor(issuers: readonly JwtSettings[], log: Log) {
    this.#issuers = issuers;
    this.#log = log;
  }

  /** What limits the gateway now, as far as was seen: a request may have seen more since the last look. */
  get impairments(): readonly Impairment[] {
    return this.#issuers.flatMap(listImpairments).map(({ code, detail }) => ({ code, detail }));
  }

  /** Looks now and every minute, until `stop`. Logs every change. */
  watch(interval: number = INTERVAL_MS): void {
    for (const issuer of this.#issuers) void this.#watchIssuer(issuer, interval);
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #watchIssuer(issuer: JwtSettings, interval: number): Promise<void> {
    const { signal } = this.#stopped;
    let before: readonly Impairment[] = [];
    while (!signal.aborted) {
      await lookAtIssuer(issuer);
      if (signal.aborted) return;
      const found = listImpairments(issuer);
      for (const { code, cause, host } of found) {
        if (before.some((known) => known.code === code)) continue;
        this.#log.write('warn', 'issuer impaired', {
          code,
          ...(cause !== undefined && { cause }),
          ...(host !== undefined && { host }),
        });
      }
      if (before.length > 0 && found.length === 0) this.#log.write('info', 'issuer recovered');
      before = found;
      await sleep(interval, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
