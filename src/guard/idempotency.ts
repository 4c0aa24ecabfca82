import { hash } from 'node:crypto';
import { Failure, type Log, throwKeyReused } from '../ports/index.ts';
import { type KeyRecord, type Outcome, type State, StateUnavailable, type StoredResponse } from '../state/state.ts';

/** A request that must happen once. */
export interface KeyedRequest {
  readonly requestId: string;
  readonly client: string;
  readonly idempotencyKey: string;
  /** The content of the request as JSON values: equal for equal requests. */
  readonly content: readonly unknown[];
  /** True if a write with an unknown outcome may be sent again, because the adapter finds the earlier one. */
  readonly retryable: boolean;
  /** The maximum milliseconds of an attempt. */
  readonly timeoutMs: number;
  /** The request is not attempted after it has aborted. */
  readonly signal: AbortSignal;
}

/** Milliseconds for which an attempt keeps its lease after its deadline, because it may end late. */
export const LEASE_SLACK = 5_000;
/** The clock difference in milliseconds that is tolerated between two gateways, or before and after a restart. */
const CLOCK_TOLERANCE = 5_000;
/** Milliseconds for which the response of a request without a change is stored: long enough for its repetitions. */
const UNCHANGED_RETENTION = 600_000;
/** The maximum size of a stored response. The adapter repeats a longer one if it can. */
const MAX_STORED_CHARACTERS = 256 * 1024;

/** Lets a request with a key happen once, and replays its response afterwards. */
export class Idempotency {
  readonly #state: State;
  readonly #log: Log;
  readonly #retention: number;

  /** @param retention milliseconds for which a key is stored. */
  constructor(state: State, log: Log, retention: number) {
    this.#state = state;
    this.#log = log;
    this.#retention = retention;
  }

  /**
   * Attempts the request, unless an earlier attempt is running or complete.
   * @param attempt rejects only if `toOutcome` knows the effect of its error. `resumed` is true if an earlier attempt
   * may have taken effect.
   * @throws Failure conflict `idempotency_key_in_use`, invalid `idempotency_key_reused`, outcome_unknown
   * `outcome_unresolved`, or overloaded `idempotency_store_unavailable`. Otherwise the error of the attempt.
   */
  async once(
    request: KeyedRequest,
    attempt: (resumed: boolean) => Promise<StoredResponse>,
    toOutcome: (error: unknown) => Outcome,
  ): Promise<{ readonly response: StoredResponse; readonly replayed: boolean }> {
    const key = toStoredKey(request);
    const claimed = await this.#claim(key, request);
    if ('response' in claimed) return { response: claimed.response, replayed: true };
    try {
      if (request.signal.aborted) throw new Failure('timeout', 'the deadline passed before the attempt');
      const response = await attempt(claimed.attempt > 1);
      await this.#settle(key, request, claimed.attempt, { state: 'done', response });
      return { response, replayed: false };
    } catch (error) {
      await this.#settle(key, request, claimed.attempt, toOutcome(error));
      throw error;
    }
  }

  /** The number of the attempt that may be made now, or the response of the earlier one. */
  async #claim(
    key: string,
    request: KeyedRequest,
  ): Promise<{ readonly attempt: number } | { readonly response: StoredResponse }> {
    const { idempotency } = this.#state;
    const fingerprint = computeFingerprint(request.content);
    const now = this.#state.now();
    const leaseUntil = now + request.timeoutMs + LEASE_SLACK;
    const lease = { now, leaseUntil, expiresAt: leaseUntil + this.#retention };
    const client = computeFingerprint(request.client);
    const known = await this.#ask(() => idempotency.claim(key, { ...lease, client, fingerprint }));
    if (!known) return { attempt: 1 };
    if (known.fingerprint !== fingerprint) throwKeyReused();
    if (known.state === 'done') return { response: known.response };
    if (isRunning(known, now)) throwKeyInUse();
    if (!request.retryable)
      throw new Failure('outcome_unknown', 'the outcome cannot be determined', { code: 'outcome_unresolved' });
    if (!(await this.#ask(() => idempotency.reclaim(key, known.attempt, lease)))) throwKeyInUse();
    return { attempt: known.attempt + 1 };
  }

  /** The caller gets the answer even if the store fails: a retry after the lease then determines the outcome. */
  async #settle(key: string, request: KeyedRequest, attempt: number, outcome: Outcome): Promise<void> {
    try {
      const kept = this.#toKept(outcome, attempt, request);
      const settled = await this.#state.idempotency.settle(key, attempt, ...kept);
      if (!settled) this.#log.write('warn', 'attempt overtaken', { requestId: request.requestId });
    } catch (error) {
      const cause = error instanceof StateUnavailable ? error.code : 'unknown';
      this.#log.write('error', 'outcome not stored', { requestId: request.requestId, cause });
    }
  }

  /** The outcome of all attempts so far, and its expiry. */
  #toKept(outcome: Outcome, attempt: number, { retryable }: KeyedRequest): [Outcome, expiresAt?: number] {
    // A later attempt without a change is no evidence about the first one.
    const isFirst = attempt === 1;
    if (outcome.state !== 'done') return [isFirst ? outcome : { state: 'unknown' }];
    const { body, status } = outcome.response;
    if (retryable && body.length > MAX_STORED_CHARACTERS) return [{ state: 'unknown' }];
    const changedNothing = isFirst && status >= 400;
    return changedNothing ? [outcome, this.#state.now() + Math.min(UNCHANGED_RETENTION, this.#retention)] : [outcome];
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (cause) {
      if (!(cause instanceof StateUnavailable)) throw cause;
      throw new Failure('overloaded', 'the keys cannot be looked up', { code: 'idempotency_store_unavailable', cause });
    }
  }
}

/** The stored form of the client and its key, which reveals neither. */
const toStoredKey = ({ client, idempotencyKey }: KeyedRequest): string => computeFingerprint(client, idempotencyKey);

/** A lease from the future comes from a clock that was set back later. */
const isRunning = ({ state, claimedAt, leaseUntil }: KeyRecord, now: number): boolean =>
  state === 'running' && claimedAt <= now + CLOCK_TOLERANCE && now < leaseUntil;

function throwKeyInUse(): never {
  throw new Failure('conflict', 'an earlier request with this key is still running', {
    code: 'idempotency_key_in_use',
    retryAfter: 1,
  });
}

/** A digest of JSON values that does not depend on the order of object fields. */
export const computeFingerprint = (...values: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(sortFields(values)));

function sortFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortFields);
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, item]) => [name, sortFields(item)]));
}

/** 1 to 255 visible ASCII characters. */
const keyPattern = /^[\x21-\x7e]{1,255}$/;
/** A String of RFC 8941, section 3.3.3. */
const stringPattern = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/**
 * The key of an `Idempotency-Key` header: a String of structured fields or the bare key, which are equivalent.
 * Undefined if it is neither, or does not have 1 to 255 visible ASCII characters.
 */
export function parseIdempotencyKey(header: string): string | undefined {
  const quoted = stringPattern.exec(header)?.[1]?.replaceAll(/\\(["\\])/g, '$1');
  const key = quoted ?? (header.includes('"') ? '' : header);
  return keyPattern.test(key) ? key : undefined;
}
