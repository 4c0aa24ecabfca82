import { type ServedRequest, subscribe, telemetry } from '../../toolkit/telemetry.ts';

/** A request that an adapter, or the gateway in front of it, has failed. */
export interface FailedRequest {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly request: ServedRequest;
}

/** The requests of a client. */
export interface RecentClient {
  /** Empty for all requests without a valid token. */
  readonly name: string;
  /** As limits count it; undefined where it has not come so far. */
  limitKey: string | undefined;
  requests: number;
  /** By operation and code, such as `bookAppointment slot_taken`. */
  readonly problems: Map<string, number>;
}

/** Minutes for which the requests of clients count. */
export const RECENT_MINUTES = 15;
const FAILURES_OF_ADAPTER = 10;
/** Clients that are counted separately in one minute; all others are counted together. */
const MAX_CLIENTS = 100;

/** The last failures of each adapter, and what each client has asked for lately: for operators, and in memory alone. */
export class RecentRequests {
  readonly #failures = new Map<string, readonly FailedRequest[]>();
  readonly #stop = subscribe(telemetry.request.asyncEnd, (request) => this.#add(request));
  #minutes: readonly { readonly number: number; readonly clients: Map<string, RecentClient> }[] = [];

  /** The last ones of an adapter, the newest first. */
  listFailures(adapter: string): readonly FailedRequest[] {
    return this.#failures.get(adapter) ?? [];
  }

  /** In the order of their number of requests, descending. */
  listClients(): readonly RecentClient[] {
    const sums = new Map<string, RecentClient>();
    for (const counts of this.#listRecent().flatMap(({ clients }) => [...clients.values()])) {
      const sum = findClient(sums, counts.name, counts.limitKey);
      sum.requests += counts.requests;
      for (const [what, count] of counts.problems) addTo(sum.problems, what, count);
    }
    return [...sums.values()].toSorted((a, b) => b.requests - a.requests);
  }

  /** Hears no more. */
  close(): void {
    this.#stop();
  }

  #listRecent(number = Math.floor(Date.now() / 60_000)) {
    return this.#minutes.filter((minute) => minute.number > number - RECENT_MINUTES);
  }

  #add(request: ServedRequest): void {
    const { operation = '*', adapter, status = 0, code, cause, client = '', limitKey } = request;
    // Probes and pages are nobody's calls.
    if (adapter === undefined) return;
    const number = Math.floor(Date.now() / 60_000);
    if (this.#minutes.at(-1)?.number !== number)
      this.#minutes = [...this.#listRecent(number), { number, clients: new Map() }];
    const { clients } = this.#minutes.at(-1)!;
    const isApart = clients.has(client) || clients.size < MAX_CLIENTS;
    const counts = isApart ? findClient(clients, client, limitKey) : findClient(clients, '(others)', undefined);
    counts.requests += 1;
    if (code !== undefined) addTo(counts.problems, `${operation} ${code}`, 1);
    // A 501 with a cause: what is offered cannot be done at present. An open circuit only follows from earlier failures.
    if (status < 500 || (status === 501 && cause === undefined) || code === 'backend_circuit_open') return;
    const last = [{ at: Date.now(), request }, ...this.listFailures(adapter)];
    this.#failures.set(adapter, last.slice(0, FAILURES_OF_ADAPTER));
  }
}

function findClient(clients: Map<string, RecentClient>, name: string, limitKey: string | undefined): RecentClient {
  const found = clients.get(name) ?? { name, limitKey, requests: 0, problems: new Map() };
  found.limitKey = limitKey ?? found.limitKey;
  clients.set(name, found);
  return found;
}

const addTo = (counts: Map<string, number>, what: string, count: number): void =>
  void counts.set(what, (counts.get(what) ?? 0) + count);
