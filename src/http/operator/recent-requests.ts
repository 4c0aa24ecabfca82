import { type ServedRequest, subscribe, telemetry } from '../../toolkit/telemetry.ts';

/** A request that an adapter, or the gateway in front of it, has failed at a time: milliseconds since 1970. */
export type FailedRequest = ServedRequest & { readonly at: number };

/** Requests of one client, either without a problem or with the same one. */
export interface CountedRequests {
  /** Its name. Empty for all requests without a valid token. */
  readonly client: string;
  /**
   * The keys by which limits count clients of this name, two at most. Empty if no request came so far. Each address or user
   * without a name, and each issuer, has a key of its own.
   */
  readonly limitKeys: readonly string[];
  /** Empty without a problem. */
  readonly operation: string;
  /** The code of the problem, and of its cause. */
  readonly code: string | undefined;
  readonly cause: string | undefined;
  readonly count: number;
  /** When the last one ended. Milliseconds since 1970. */
  readonly last: number;
}

/** Minutes for which requests count. */
export const RECENT_MINUTES = 15;
const FAILURES_OF_ADAPTER = 10;
/** Clients that are counted separately in one minute; all others are counted together. */
const MAX_CLIENTS = 100;

/** The last failures of each adapter, and what each client has asked for lately: for operators, and in memory alone. */
export class RecentRequests {
  readonly #failures = new Map<string, readonly FailedRequest[]>();
  readonly #stop = subscribe(telemetry.request.asyncEnd, (request) => this.#add(request));
  #minutes: readonly Minute[] = [];

  /** The last ones of each adapter, the newest first. */
  listFailures(): readonly FailedRequest[] {
    return [...this.#failures.values()].flat().toSorted((a, b) => b.at - a.at);
  }

  /** The newest first. */
  list(): readonly CountedRequests[] {
    const sums = new Map<string, CountedRequests>();
    for (const each of this.#listMinutes().flatMap(({ counts }) => [...counts.values()])) add(sums, each);
    return [...sums.values()].toSorted((a, b) => b.last - a.last);
  }

  /** Hears no more. */
  close(): void {
    this.#stop();
  }

  #listMinutes(number = Math.floor(Date.now() / 60_000)) {
    return this.#minutes.filter((minute) => minute.number > number - RECENT_MINUTES);
  }

  #add(request: ServedRequest): void {
    const { operation = '*', adapter, status = 0, code, cause, client = '', limitKey } = request;
    // Probes and pages are nobody's calls.
    if (adapter === undefined) return;
    const last = Date.now();
    const number = Math.floor(last / 60_000);
    if (this.#minutes.at(-1)?.number !== number)
      this.#minutes = [...this.#listMinutes(number), { number, clients: new Set(), counts: new Map() }];
    const { clients, counts } = this.#minutes.at(-1)!;
    if (clients.size < MAX_CLIENTS) clients.add(client);
    const limitKeys = limitKey === undefined ? [] : [limitKey];
    const who = clients.has(client) ? { client, limitKeys } : { client: '(others)', limitKeys: [] };
    const what = code === undefined ? { operation: '', code, cause: undefined } : { operation, code, cause };
    add(counts, { ...who, ...what, count: 1, last });
    // A 501 with a cause: what is offered cannot be done at present. An open circuit only follows from earlier failures.
    if (status < 500 || (status === 501 && cause === undefined) || code === 'backend_circuit_open') return;
    const failures = [{ ...request, at: last }, ...(this.#failures.get(adapter) ?? [])];
    this.#failures.set(adapter, failures.slice(0, FAILURES_OF_ADAPTER));
  }
}

interface Minute {
  readonly number: number;
  readonly clients: Set<string>;
  readonly counts: Map<string, CountedRequests>;
}

function add(counts: Map<string, CountedRequests>, each: CountedRequests): void {
  const key = [each.client, each.operation, each.code, each.cause].join(' ');
  const { count = 0, limitKeys = [] } = counts.get(key) ?? {};
  counts.set(key, {
    ...each,
    count: each.count + count,
    limitKeys: joinKeys([...limitKeys, ...each.limitKeys]),
  });
}

const joinKeys = (keys: readonly string[]): readonly string[] => [...new Set(keys)].slice(0, 2);
