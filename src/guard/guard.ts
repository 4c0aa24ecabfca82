import { type BulkheadPolicy, bulkhead, isBulkheadRejectedError, isTaskCancelledError } from 'cockatiel';
import { Failure, type FailureKind, type Impairment, type Log, type PortName } from '../ports/index.ts';
import { Circuit, type CircuitOptions, type Observation } from './circuit.ts';
import type { Deadline } from './deadline.ts';
import { type OperationClass, operationClasses } from './operation-class.ts';

export interface BulkheadOptions {
  /** How many calls run at the same time. */
  readonly running: number;
  /** How many more wait until one of them ends. */
  readonly queued: number;
}

export interface GuardSettings {
  /** For each port one of each. */
  readonly bulkheads: Readonly<Record<OperationClass, BulkheadOptions>>;
  /** One for each class of operations. */
  readonly circuit: CircuitOptions;
}

/** Makes a call of the adapter if there is room for it and the backend works. */
export type Protect = <T>(deadline: Deadline, call: () => Promise<T>) => Promise<T>;

/** Keeps an operation that hangs, fails or is asked for too often from taking the others with it. */
export class Guard {
  readonly #settings: GuardSettings;
  readonly #circuits: Readonly<Record<OperationClass, Circuit>>;
  readonly #bulkheads = new Map<string, BulkheadPolicy>();

  constructor(settings: GuardSettings, adapter: string, log: Log) {
    this.#settings = settings;
    const createCircuit = (name: OperationClass) =>
      new Circuit(settings.circuit, (change) => {
        if (change === 'opened') log.write('warn', 'circuit opened', { adapter, class: name });
        else log.write('info', 'circuit closed', { adapter, class: name });
      });
    this.#circuits = {
      read: createCircuit('read'),
      write: createCircuit('write'),
      slotSearch: createCircuit('slotSearch'),
      patientSearch: createCircuit('patientSearch'),
    };
  }

  /** The open circuits. */
  get impairments(): readonly Impairment[] {
    return operationClasses.filter((name) => !this.#circuits[name].isClosed).map(toImpairment);
  }

  /**
   * Protects the operations of one class of a port. What it refuses fails at once with `overloaded`, and with the code
   * `backend_circuit_open` while the backend fails; so does what waits for room until the signal of its deadline aborts.
   */
  protect(port: PortName, name: OperationClass): Protect {
    const circuit = this.#circuits[name];
    const rooms = this.#getBulkhead(port, name);

    return <T>(deadline: Deadline, call: () => Promise<T>): Promise<T> => {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const run = () =>
        circuit.run(() => {
          const answer = call();
          resolve(answer);
          return observe(answer, deadline);
        });
      // Ignored once the call is made: its own answer counts, be it late.
      if (rooms.executionSlots === 0) deadline.signal.addEventListener('abort', () => reject(createOverload()));
      rooms.execute(run, deadline.signal).catch((error: unknown) => {
        reject(isBulkheadRejectedError(error) || isTaskCancelledError(error) ? createOverload() : error);
      });
      return promise;
    };
  }

  #getBulkhead(port: PortName, name: OperationClass): BulkheadPolicy {
    const key = `${port} ${name}`;
    const { running, queued } = this.#settings.bulkheads[name];
    const known = this.#bulkheads.get(key) ?? bulkhead(running, queued);
    this.#bulkheads.set(key, known);
    return known;
  }
}

const createOverload = (): Failure =>
  new Failure('overloaded', 'too many calls of this kind are running', { retryAfter: 1 });

const toImpairment = (name: OperationClass): Impairment => ({
  code: 'backend_circuit_open',
  detail: `the backend fails at operations of the class ${name}, which are rejected until one of them succeeds; see the log for its failures`,
});

/** The failures of a backend that does not work. */
const faults: ReadonlySet<FailureKind> = new Set(['unavailable', 'timeout', 'bad_answer', 'outcome_unknown']);

/** What the call says about the backend when it ends or its deadline passes. */
async function observe(answer: Promise<unknown>, { passed, isAbandoned }: Deadline): Promise<Observation> {
  try {
    await Promise.race([answer, passed]);
    return 'works';
  } catch (error) {
    const failure = findFailure(error);
    if (!failure || !faults.has(failure.kind) || failure.code === 'backend_auth' || failure.at !== undefined)
      return 'works';
    return isAbandoned() ? 'unclear' : 'fails';
  }
}

const findFailure = (error: unknown): Failure | undefined => {
  if (error instanceof Failure || !(error instanceof Error)) return error instanceof Failure ? error : undefined;
  return findFailure(error.cause);
};
