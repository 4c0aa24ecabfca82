import { AsyncLocalStorage } from 'node:async_hooks';
import { type BulkheadPolicy, bulkhead, isBulkheadRejectedError, isTaskCancelledError } from 'cockatiel';
import { type AdapterImpairment, Failure, type FailureKind, type Log, type PortName } from '../ports/index.ts';
import { listCauses } from './causes.ts';
import { Circuit, type CircuitOptions, type Observation } from './circuit.ts';
import type { Deadline } from './deadline.ts';
import { type OperationClass, operationClasses } from './operation-class.ts';

export interface BulkheadOptions {
  /** How many calls run at the same time. */
  readonly running: number;
  /** How many more wait until one of them ends. */
  readonly queued: number;
}

/** What one operation has of its own instead of sharing it with those of its class. */
export interface OperationOptions {
  /** Milliseconds from a request to its response. */
  readonly deadline?: number | undefined;
  /** With one of these it has a bulkhead of its own, whose other number is that of its class. */
  readonly running?: number | undefined;
  readonly queued?: number | undefined;
}

export interface GuardSettings {
  /** For each port of an adapter one of each. */
  readonly bulkheads: Readonly<Record<OperationClass, BulkheadOptions>>;
  /** By name. */
  readonly operations: Readonly<Record<string, OperationOptions>>;
  /** For each adapter one for each class of operations. */
  readonly circuit: CircuitOptions;
}

/** What is protected apart from all else. */
export interface Protected {
  /** Its name. */
  readonly adapter: string;
  readonly port: PortName;
  readonly class: OperationClass;
  /** Its name, unless an adapter makes the call. */
  readonly operation?: string;
}

/** Makes a call of the adapter if there is room for it and the backend works. */
export type Protect = <T>(deadline: Deadline, call: () => Promise<T>) => Promise<T>;

/** What a protected call waits for of other adapters, and whether one of them failed it. */
interface NestedCalls {
  readonly deadline: Deadline;
  running: number;
  failed: boolean;
}

/** Keeps an operation that hangs, fails or is asked for too often from taking the others with it. */
export class Guard {
  readonly #settings: GuardSettings;
  readonly #log: Log;
  /** By adapter and class. */
  readonly #circuits = new Map<string, Pick<Protected, 'adapter' | 'class'> & { readonly circuit: Circuit }>();
  readonly #bulkheads = new Map<string, BulkheadPolicy>();
  readonly #nested = new AsyncLocalStorage<NestedCalls>();

  constructor(settings: GuardSettings, log: Log) {
    this.#settings = settings;
    this.#log = log;
  }

  /** The open circuits. */
  get impairments(): readonly AdapterImpairment[] {
    return [...this.#circuits.values()]
      .filter(({ circuit }) => !circuit.isClosed)
      .toSorted((a, b) => operationClasses.indexOf(a.class) - operationClasses.indexOf(b.class))
      .map(toImpairment);
  }

  /** The milliseconds of an operation that has a deadline of its own. */
  findDeadline(operation: string): number | undefined {
    return this.#settings.operations[operation]?.deadline;
  }

  /**
   * Protects the operations of one class of a port. What it refuses fails at once with `overloaded`, and with the code
   * `backend_circuit_open` while the backend fails; so does what waits for room until the signal of its deadline aborts.
   */
  protect(kind: Protected): Protect {
    const circuit = this.#getCircuit(kind);
    const rooms = this.#getBulkhead(kind);

    return <T>(deadline: Deadline, call: () => Promise<T>): Promise<T> => {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const run = () =>
        circuit.run(() => {
          const nested = { deadline, running: 0, failed: false };
          const answer = this.#nested.run(nested, call);
          resolve(answer);
          return observe(answer, nested);
        });
      // Ignored once the call is made: its own answer counts, be it late.
      if (rooms.executionSlots === 0) deadline.signal.addEventListener('abort', () => reject(overload));
      rooms.execute(run, deadline.signal).catch((error: unknown) => {
        reject(isBulkheadRejectedError(error) || isTaskCancelledError(error) ? overload : error);
      });
      return promise;
    };
  }

  /**
   * What fails as a protected call would that is refused at once, before anything is spent on the request. It promises
   * nothing for the call: others may come in between.
   */
  createEntrance(kind: Protected): () => void {
    const circuit = this.#getCircuit(kind);
    const rooms = this.#getBulkhead(kind);
    return () => {
      if (rooms.executionSlots === 0 && rooms.queueSlots === 0) throw overload;
      circuit.requireTrial();
    };
  }

  /**
   * Protects a call that one adapter makes of another in the course of a protected one, within the same deadline. What
   * the other does counts for its own circuit, and not for that of the first.
   */
  async protectNested<T>(kind: Protected, call: () => Promise<T>): Promise<T> {
    const nested = this.#nested.getStore();
    if (!nested) return call();
    nested.running += 1;
    try {
      return await this.protect(kind)(nested.deadline, call);
    } catch (error) {
      nested.failed ||= isFault(error);
      throw error;
    } finally {
      nested.running -= 1;
    }
  }

  #getCircuit({ adapter, class: name }: Protected): Circuit {
    const key = `${adapter} ${name}`;
    const known = this.#circuits.get(key);
    if (known) return known.circuit;
    const circuit = new Circuit(this.#settings.circuit, (change) => {
      if (change === 'opened') this.#log.write('warn', 'circuit opened', { adapter, class: name });
      else this.#log.write('info', 'circuit closed', { adapter, class: name });
    });
    this.#circuits.set(key, { adapter, class: name, circuit });
    return circuit;
  }

  #getBulkhead({ adapter, port, class: name, operation = '' }: Protected): BulkheadPolicy {
    const shared = this.#settings.bulkheads[name];
    const own = this.#settings.operations[operation] ?? {};
    const { running = shared.running, queued = shared.queued } = own;
    const isShared = own.running === undefined && own.queued === undefined;
    const key = isShared ? `${adapter} ${port} ${name}` : `operation ${operation}`;
    const known = this.#bulkheads.get(key) ?? bulkhead(running, queued);
    this.#bulkheads.set(key, known);
    return known;
  }
}

/** One for all: of what a refusal costs, the stack trace of an error is a tenth. */
const overload = new Failure('overloaded', 'too many calls of this kind are running', { retryAfter: 1 });

const toImpairment = ({ adapter, class: name }: Pick<Protected, 'adapter' | 'class'>): AdapterImpairment => ({
  adapter,
  code: 'backend_circuit_open',
  detail: `the backend fails at operations of the class ${name}, which are rejected until one of them succeeds; see the log for its failures`,
});

/** The failures of a backend that does not work. */
const faults: ReadonlySet<FailureKind> = new Set(['unavailable', 'timeout', 'bad_answer', 'outcome_unknown']);

/** What the call says about the backend when it ends or its deadline passes. */
async function observe(answer: Promise<unknown>, nested: NestedCalls): Promise<Observation> {
  const { passed, isAbandoned } = nested.deadline;
  try {
    await Promise.race([answer, passed]);
    return 'works';
  } catch (error) {
    if (!isFault(error)) return 'works';
    return isAbandoned() || nested.failed || nested.running > 0 ? 'unclear' : 'fails';
  }
}

function isFault(error: unknown): boolean {
  const failure = findFailure(error);
  return (
    failure !== undefined && faults.has(failure.kind) && failure.code !== 'backend_auth' && failure.at === undefined
  );
}

const findFailure = (error: unknown): Failure | undefined =>
  listCauses(error).find((each): each is Failure => each instanceof Failure);
