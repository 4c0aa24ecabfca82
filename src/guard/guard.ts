import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type AdapterImpairment,
  type Capability,
  Failure,
  type FailureKind,
  type Log,
  type PortName,
  writes,
} from '../ports/index.ts';
import { listCauses } from '../toolkit/failures.ts';
import { telemetry, trace } from '../toolkit/telemetry.ts';
import { Circuit, type CircuitOptions, type Observation } from './circuit.ts';
import type { Deadline } from './deadline.ts';

export interface BulkheadOptions {
  /** The maximum number of parallel calls. */
  readonly running: number;
  /** The maximum number of queued calls. */
  readonly queued: number;
}

/** The resources of one operation that it does not share with its class. */
export interface OperationOptions {
  /** Milliseconds from a request to its response. */
  readonly deadline?: number | undefined;
  /** With one of these, the operation has its own bulkhead. The other number is that of its class. */
  readonly running?: number | undefined;
  readonly queued?: number | undefined;
}

export interface GuardSettings {
  /** The limits of each bulkhead. Each port of an adapter has one for each class. */
  readonly bulkheads: Readonly<Record<OperationClass, BulkheadOptions>>;
  /** By name. */
  readonly operations: Readonly<Record<string, OperationOptions>>;
  /** The settings of circuits. Each client has one for each port and class. */
  readonly circuit: CircuitOptions;
}

/** A unit with its own bulkhead and circuits. */
export interface Protected {
  /** Its name. */
  readonly adapter: string;
  readonly port: PortName;
  readonly class: OperationClass;
  /** The name of a nested operation. Absent for an adapter's call. */
  readonly operation?: string;
}

/** A client for counting. Callers without a token are identified by their addresses. */
export interface CountedClient {
  /** The client's name in the log. */
  readonly name: string;
  /** The client's unique key. */
  readonly key: string;
}

/** Makes a call of the adapter if its bulkhead has a place and the backend works for that client. */
export type Protect = <T>(client: CountedClient, deadline: Deadline, call: () => Promise<T>) => Promise<T>;

/** A circuit, its subject, and the time of its last use by `performance.now()`. */
interface KnownCircuit {
  readonly kind: Protected;
  readonly client: CountedClient;
  readonly circuit: Circuit;
  usedAt: number;
}

/** The numbers of running and queued calls of a bulkhead. */
export interface Occupancy {
  /** Without an operation, unless the bulkhead belongs to one. */
  readonly kind: Protected;
  readonly running: number;
  readonly queued: number;
}

/** The running calls, and the callbacks that start queued ones. */
interface Bulkhead {
  /** Without an operation, unless the bulkhead belongs to one. */
  readonly kind: Protected;
  /** Of `kind`. */
  readonly part: string;
  readonly most: BulkheadOptions;
  running: number;
  readonly waiting: Set<() => void>;
}

/** The nested calls of a protected call, and whether one of them failed. */
interface NestedCalls {
  readonly adapter: string;
  readonly client: CountedClient;
  readonly deadline: Deadline;
  running: number;
  failed: boolean;
}

/** Isolates operations: one that hangs, fails or gets too many requests does not affect the others. */
export class Guard {
  readonly #settings: GuardSettings;
  readonly #log: Log;
  /** By subject and client. */
  readonly #circuits = new Map<string, KnownCircuit>();
  /** The time from which a new client triggers another cleanup of the circuits. */
  #scanAt = 0;
  readonly #bulkheads = new Map<string, Bulkhead>();
  readonly #nested = new AsyncLocalStorage<NestedCalls>();

  constructor(settings: GuardSettings, log: Log) {
    this.#settings = settings;
    this.#log = log;
  }

  /** The subjects with an open circuit of any client. */
  get impairments(): readonly AdapterImpairment[] {
    const parts = new Map(this.openCircuits.map((kind) => [getPart(kind), kind]));
    const sorted = [...parts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([, kind]) => toImpairment(kind));
  }

  /** The open circuits. */
  get openCircuits(): readonly Protected[] {
    this.#forgetUnused();
    return [...this.#circuits.values()].flatMap(({ kind, circuit }) => (circuit.isClosed ? [] : [kind]));
  }

  /** The occupancy of each bulkhead. */
  get occupancies(): readonly Occupancy[] {
    return [...this.#bulkheads.values()].map(({ kind, running, waiting }) => ({ kind, running, queued: waiting.size }));
  }

  /** Closes every circuit, so that the next calls are made. */
  reset(): void {
    for (const { kind, client, circuit } of this.#circuits.values())
      if (!circuit.isClosed) this.#logChange('closed', kind, client);
    this.#circuits.clear();
  }

  /** The adapter of the current protected call. Undefined outside of one. */
  get currentAdapter(): string | undefined {
    return this.#nested.getStore()?.adapter;
  }

  /**
   * Protects the operations of one class of a port. It rejects calls at once with `overloaded`, and with the code
   * `backend_circuit_open` while the backend fails the client. A queued call fails in the same way when the signal of its
   * deadline aborts.
   */
  protect(kind: Protected): Protect {
    const bulkhead = this.#getBulkhead(kind);
    return (client, deadline, call) => {
      if (deadline.signal.aborted || isFull(bulkhead)) return Promise.reject(overload);
      if (bulkhead.running === bulkhead.most.running)
        return waitForPlace(bulkhead, deadline.signal).then(() => this.#call(bulkhead, client, deadline, call));
      bulkhead.running += 1;
      return this.#call(bulkhead, client, deadline, call);
    };
  }

  /**
   * Fails like a protected call that is rejected at once, before the request costs anything. It guarantees nothing for
   * the call, because other calls may come in between.
   */
  createAdmissionCheck(kind: Protected): (client: CountedClient) => void {
    const bulkhead = this.#getBulkhead(kind);
    return (client) => {
      if (isFull(bulkhead)) throw overload;
      this.#getCircuit(bulkhead, client).requireTrial();
    };
  }

  /**
   * Protects a nested call from one adapter to another, within the same deadline. Its outcome counts for the circuit of
   * the second adapter, but not of the first.
   */
  async protectNested<T>(kind: Protected, call: () => Promise<T>): Promise<T> {
    const nested = this.#nested.getStore();
    if (!nested) return call();
    nested.running += 1;
    nested.deadline.nestedCalls += 1;
    try {
      return await this.protect(kind)(nested.client, nested.deadline, call);
    } catch (error) {
      nested.failed ||= isFault(error);
      throw error;
    } finally {
      nested.running -= 1;
      nested.deadline.nestedCalls -= 1;
    }
  }

  /** Holds a bulkhead place until the call settles or its deadline passes. */
  #call<T>(bulkhead: Bulkhead, client: CountedClient, deadline: Deadline, call: () => Promise<T>): Promise<T> {
    const answer = Promise.withResolvers<T>();
    const ended = this.#getCircuit(bulkhead, client).run(() => {
      const nested = { adapter: bulkhead.kind.adapter, client, deadline, running: 0, failed: false };
      const made = this.#nested.run(nested, call);
      answer.resolve(made);
      return observe(made, nested);
    });
    const release = () => releasePlace(bulkhead);
    ended.then(release, release);
    // The circuit is open, and the call was not made.
    ended.catch(answer.reject);
    return answer.promise;
  }

  #getCircuit({ kind, part }: Bulkhead, client: CountedClient): Circuit {
    const now = performance.now();
    const key = `${part} ${client.key}`;
    const known = this.#circuits.get(key);
    if (known && !this.#isForgotten(known, now)) {
      known.usedAt = now;
      return known.circuit;
    }
    // The number of clients is unlimited, so the cleanup runs at most once a second.
    if (known || now >= this.#scanAt) this.#forgetUnused(now);
    const circuit = new Circuit(this.#settings.circuit, (change) => this.#logChange(change, kind, client));
    this.#circuits.set(key, { kind, client, circuit, usedAt: now });
    return circuit;
  }

  #isForgotten({ usedAt }: KnownCircuit, now: number): boolean {
    const { window, longestOpen } = this.#settings.circuit;
    return usedAt <= now - Math.max(window, 2 * longestOpen);
  }

  /** Drops the circuits of clients that no longer send requests. */
  #forgetUnused(now = performance.now()): void {
    this.#scanAt = now + 1_000;
    for (const [key, known] of this.#circuits) {
      if (!this.#isForgotten(known, now)) continue;
      this.#circuits.delete(key);
      if (!known.circuit.isClosed) this.#logChange('closed', known.kind, known.client);
    }
  }

  #logChange(change: 'opened' | 'closed', { adapter, port, class: name }: Protected, client: CountedClient): void {
    if (change === 'opened')
      this.#log.write('warn', 'circuit opened', { adapter, port, class: name, client: client.name });
    else this.#log.write('info', 'circuit closed', { adapter, port, class: name, client: client.name });
  }

  #getBulkhead(kind: Protected): Bulkhead {
    const { operation = '', ...ofClass } = kind;
    const { running, queued } = this.#settings.operations[operation] ?? {};
    const isShared = running === undefined && queued === undefined;
    const part = getPart(kind);
    const key = isShared ? part : `operation ${operation}`;
    const shared = this.#settings.bulkheads[kind.class];
    const most = { running: running ?? shared.running, queued: queued ?? shared.queued };
    const known = this.#bulkheads.get(key);
    if (known) return known;
    const bulkhead = { kind: isShared ? ofClass : kind, part, most, running: 0, waiting: new Set<() => void>() };
    this.#bulkheads.set(key, bulkhead);
    return bulkhead;
  }
}

/** Created once, because the stack trace costs a tenth of a rejection. */
const overload = new Failure('overloaded', 'too many calls of this kind are running', { retryAfter: 1 });

const getPart = ({ adapter, port, class: name }: Protected): string => `${adapter} ${port} ${name}`;

const toImpairment = ({ adapter, port, class: name }: Protected): AdapterImpairment => ({
  adapter,
  code: 'backend_circuit_open',
  detail: `the backend fails at operations of the port ${port} and the class ${name}: clients whose calls fail are rejected until one succeeds; the log has the failures`,
});

const isFull = ({ most, running, waiting }: Bulkhead): boolean =>
  running >= most.running && waiting.size >= most.queued;

/**
 * Resolves when a queued call may run.
 * @throws Failure `overloaded` if the signal aborts before.
 */
async function waitForPlace({ kind, waiting }: Bulkhead, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => {
    waiting.delete(resolve);
    reject(overload);
  };
  waiting.add(resolve);
  signal.addEventListener('abort', giveUp, { once: true });
  await trace(
    telemetry.guardWait,
    () => ({ ...kind }),
    () => promise,
  );
  signal.removeEventListener('abort', giveUp);
}

/** Passes the place of an ended call to the longest waiting one. */
function releasePlace(bulkhead: Bulkhead): void {
  const [next] = bulkhead.waiting;
  if (!next) {
    bulkhead.running -= 1;
    return;
  }
  bulkhead.waiting.delete(next);
  next();
}

/** The failures of a backend that does not work. A backend that answers works, even with an error about a record. */
const faults: ReadonlySet<FailureKind> = new Set(['unavailable', 'timeout', 'outcome_unknown']);

/** Codes of failures of a working backend that denies the gateway a request. */
const refusals: ReadonlySet<string | undefined> = new Set(['backend_auth', 'forbidden']);

/** The backend's health when the call ends or its deadline passes. */
async function observe(answer: Promise<unknown>, nested: NestedCalls): Promise<Observation> {
  const { deadline } = nested;
  try {
    await deadline.limit(answer);
    return 'works';
  } catch (error) {
    if (!isFault(error)) return 'works';
    return deadline.isAbandoned || nested.failed || nested.running > 0 ? 'unclear' : 'fails';
  }
}

function isFault(error: unknown): boolean {
  const failure = findFailure(error);
  return failure !== undefined && faults.has(failure.kind) && !refusals.has(failure.code);
}

const findFailure = (error: unknown): Failure | undefined =>
  listCauses(error).find((each): each is Failure => each instanceof Failure);

/** Kinds of operations with different loads of a backend. Each has its own bulkhead. */
export const operationClasses = ['read', 'write', 'slotSearch', 'patientSearch'] as const;
export type OperationClass = (typeof operationClasses)[number];

/** The class of the operation that uses these methods. */
export function getOperationClass(uses: readonly Capability[]): OperationClass {
  if (uses.some((capability) => writes.includes(capability))) return 'write';
  if (uses.includes('appointments.slots')) return 'slotSearch';
  return uses.includes('patients.search') ? 'patientSearch' : 'read';
}
