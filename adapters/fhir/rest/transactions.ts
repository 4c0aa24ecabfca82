import { isObject } from '../../../src/http-client/answer-size.ts';
import { type Call, Failure, type Impairment } from '../../../src/ports/index.ts';
import { Cached } from '../../../src/toolkit/cached.ts';
import { ignoreFailure } from '../../../src/toolkit/failures.ts';
import type { Resource } from '../schema/resources.ts';
import type { Codes } from '../schema/terminology.ts';
import { impair, isBadRequest, notAtomic, requireSearch, testAtomicity } from './atomicity.ts';
import type { FhirClient } from './client.ts';
import { NON_ATOMIC_TRANSACTION } from './errors.ts';
import { type EntryResult, isDone, NonAtomicTransaction, type TransactionEntry } from './transaction-entries.ts';
import type { FaultSignal, ServerCall } from './transport.ts';
import { tryRace } from './uniqueness.ts';

const REFUSAL = 'the institution’s system cannot do this safely';

/** For operators only. The adapter treats all kinds alike. */
export type ServerKind = 'hapi' | 'medplum' | 'other';

/** The statements and the test results of a server. */
export interface ServerFindings {
  readonly kind: ServerKind;
  /** The reason why transactions are unsafe. Undefined if they are safe. */
  readonly impairment: Impairment | undefined;
}

const notR4 = impair('not_r4', 'does not speak FHIR R4 (4.0)', 'set baseUrl to its R4 endpoint');

/** Milliseconds before an impaired server is tested again, and the minimum between two tests after faults. */
const RETEST_MS = 15_000;

/** Milliseconds between two tests of a server without an impairment: each test leaves a trace in its history. */
const CALM_RETEST_MS = 300_000;

interface TransactionsOptions {
  /** True if the server is tested only after it has executed a transaction non-atomically. */
  readonly trusted: boolean;
  /** The time limit of the whole test. */
  readonly timeoutMs: number;
  readonly faults: FaultSignal;
}

/** A passed test, with the ends of its validity: one for normal operation, and one for any event. */
interface PassedTest {
  readonly findings: ServerFindings;
  readonly until: number;
  readonly atLeastUntil: number;
}

/**
 * Sends transactions only to a server that executes them atomically. Some servers execute them as a batch without an
 * error, and a slot could then be taken without an appointment. The first need tests the server, and `refreshFindings`
 * tests it again.
 */
export class Transactions {
  readonly #client: FhirClient;
  readonly #codes: Codes;
  readonly #trusted: boolean;
  readonly #faults: FaultSignal;
  readonly #findings: Cached<ServerFindings, ServerCall>;
  /** The number of non-atomic executions after a passed test. */
  #nonAtomicCount = 0;
  /** True if the server reports a version conflict as 400, like any other rejection. */
  #hidesConflicts = false;
  #passed: PassedTest | undefined;

  constructor(client: FhirClient, codes: Codes, { trusted, timeoutMs, faults }: TransactionsOptions) {
    this.#client = client;
    this.#codes = codes;
    this.#trusted = trusted;
    this.#faults = faults;
    const ttlMs = ({ impairment }: ServerFindings) => (impairment ? RETEST_MS : Number.POSITIVE_INFINITY);
    this.#findings = new Cached((call) => this.#loadFindings(call), { ttlMs, timeoutMs });
  }

  /** Throws unsupported `backend_not_atomic` unless a transaction may be sent. */
  async requireAtomic(call: ServerCall): Promise<void> {
    if (this.#nonAtomicCount === 0 && (this.#trusted || !(await this.#findings.get(call)).impairment)) return;
    throw new Failure('unsupported', REFUSAL, { code: 'backend_not_atomic' });
  }

  /**
   * Sends the entries as one transaction, if that is safe. After a partial execution, it undoes the part, and sends no
   * more until the server passes a test.
   * @throws Failure as `requireAtomic` and `FhirClient.transaction` do; unsupported when a part was executed and
   * undone.
   */
  async send(entries: readonly TransactionEntry[], call: Call): Promise<EntryResult[]> {
    await this.requireAtomic(call);
    try {
      return await this.#client.transaction(entries, call);
    } catch (error) {
      if (this.#hidesConflicts && isBadRequest(error) && (await isStale(this.#client, entries, call)))
        throw toConflict(error);
      if (!(error instanceof NonAtomicTransaction)) throw error;
      this.#nonAtomicCount++;
      this.#faults.report();
      const left = await undoTransaction(this.#client, entries, error.results, call);
      if (left.length === 0) throw new Failure('unsupported', REFUSAL, { code: 'backend_not_atomic', cause: error });
      throw new Failure('outcome_unknown', error.message, {
        code: NON_ATOMIC_TRANSACTION,
        at: left.join(','),
        cause: { code: 'transaction_not_undone' },
      });
    }
  }

  /** Allows the next refresh to test the server, although the last test found no impairment. */
  allowRetest(): void {
    if (this.#passed) this.#passed = { ...this.#passed, until: this.#passed.atLeastUntil };
  }

  /**
   * Returns the current findings. Tests an impaired server, on permission, and every five minutes; otherwise only
   * searches. May fail.
   */
  async refreshFindings(call: ServerCall): Promise<ServerFindings> {
    try {
      const findings = await this.#findings.reload(call);
      return this.#nonAtomicCount > 0 ? { ...findings, impairment: notAtomic } : findings;
    } catch (error) {
      this.#passed = undefined;
      throw error;
    }
  }

  /** The server's own statement, without a test. Fails if the server cannot be reached. */
  async readStatement(call: ServerCall): Promise<ServerFindings> {
    const statement = await this.#client.metadata(call);
    const software = isObject(statement.software) ? String(statement.software.name) : '';
    const kind = (['hapi', 'medplum'] as const).find((name) => software.toLowerCase().includes(name)) ?? 'other';
    return { kind, impairment: String(statement.fhirVersion).startsWith('4.0') ? undefined : notR4 };
  }

  async #loadFindings(call: ServerCall): Promise<ServerFindings> {
    const before = this.#nonAtomicCount;
    if (this.#passed && before === 0 && performance.now() < this.#passed.until) {
      await requireSearch(this.#client, call);
      return this.#passed.findings;
    }
    const statement = await this.readStatement(call);
    if (statement.impairment) return statement;
    const { kind } = statement;
    if (!this.#trusted || before > 0) {
      const { impairment, hidesConflicts } = await testAtomicity(this.#client, this.#codes, call);
      if (impairment) return { kind, impairment };
      this.#hidesConflicts = hidesConflicts;
      await tryRace(this.#client, this.#codes, call).catch(ignoreFailure);
    }
    const now = performance.now();
    this.#passed = { findings: statement, until: now + CALM_RETEST_MS, atLeastUntil: now + RETEST_MS };
    if (before === this.#nonAtomicCount) this.#nonAtomicCount = 0;
    return statement;
  }
}

/** True if another client has changed a resource that the entries change. */
async function isStale(client: FhirClient, entries: readonly TransactionEntry[], call: ServerCall): Promise<boolean> {
  for (const entry of entries) {
    if ('create' in entry) continue;
    const { resourceType, id, meta } = entry.resource;
    const stored: Resource | undefined = await client.readCurrent(resourceType, id, call);
    if (stored?.meta?.versionId !== meta?.versionId) return true;
  }
  return false;
}

const toConflict = (cause: unknown): Failure =>
  new Failure('conflict', 'the data was changed by another request at the same time', {
    code: 'version_conflict',
    cause,
  });

/** The time limit of the undo in milliseconds, even after the end of the call. */
const UNDO_MS = 5_000;

/**
 * Undoes the executed entries of a transaction, by the ids in its answer. Removes created resources and restores
 * changed ones, unless another client changed them again.
 * @returns the types of the resources that may still be as the transaction left them.
 */
export async function undoTransaction(
  client: FhirClient,
  entries: readonly TransactionEntry[],
  results: readonly EntryResult[],
  { requestId }: ServerCall,
): Promise<readonly string[]> {
  const call = { requestId, signal: AbortSignal.timeout(UNDO_MS) };
  const left = new Set<string>();
  // In reverse order: entries may refer to previous ones, and servers keep referenced resources.
  for (const [index, entry] of [...entries.entries()].reverse()) {
    const result = results[index];
    const isUndone = result && (await undoEntry(client, entry, result, call).catch(ignoreFailure));
    if (!isUndone) left.add('create' in entry ? entry.create.resourceType : entry.resource.resourceType);
  }
  return [...left];
}

/** Returns true if nothing is left of the entry. */
async function undoEntry(
  client: FhirClient,
  entry: TransactionEntry,
  result: EntryResult,
  call: ServerCall,
): Promise<boolean> {
  const { status, type, id, version } = result;
  if (!isDone(result)) return status >= 400 && status <= 499 && status !== 408;
  if ('create' in entry) {
    if (entry.ifNoneExist && status === 200) return true;
    const { resourceType } = entry.create;
    if (type !== resourceType || id === undefined) return false;
    await client.remove(resourceType, id, call);
    return true;
  }
  if (version === undefined) return false;
  const { resource } = entry;
  await client.update({ ...resource, meta: { ...resource.meta, versionId: version } }, {}, call);
  return true;
}
