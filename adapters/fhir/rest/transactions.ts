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

/** For operators only: the adapter treats every kind in the same way. */
export type ServerKind = 'hapi' | 'medplum' | 'other';

/** What a server says and shows of itself. */
export interface ServerFindings {
  readonly kind: ServerKind;
  /** Why transactions cannot be relied on; undefined when they can. */
  readonly impairment: Impairment | undefined;
}

const notR4 = impair('not_r4', 'does not speak FHIR R4 (4.0)', 'set baseUrl to its R4 end point');

/** Milliseconds after which an impaired server may be mended, and the least between two tests after faults. */
const RETEST_MS = 15_000;

/** Milliseconds between two tests of a server that has no impairment: each leaves a trace in its history. */
const CALM_RETEST_MS = 300_000;

interface TransactionsOptions {
  /** Whether the server is tested only after it has executed a transaction non-atomically. */
  readonly trusted: boolean;
  /** For the whole test. */
  readonly timeoutMs: number;
  readonly faults: FaultSignal;
}

/** The findings of a test that found no impairment, and until when they hold: in calm, and whatever happens. */
interface PassedTest {
  readonly findings: ServerFindings;
  readonly until: number;
  readonly atLeastUntil: number;
}

/**
 * Sends transactions only where the server executes them atomically. Some execute them as a batch without saying so, and
 * then a slot could be taken without an appointment. The server is tested on first need, and again by `refreshFindings`.
 */
export class Transactions {
  readonly #client: FhirClient;
  readonly #codes: Codes;
  readonly #trusted: boolean;
  readonly #faults: FaultSignal;
  readonly #findings: Cached<ServerFindings, ServerCall>;
  /** Number of transactions that the server executed non-atomically after a test had found them atomic. */
  #nonAtomicCount = 0;
  /** True if the server answers 400 to a changed version, as to any other refusal. */
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
   * Sends the entries as one transaction, where that is safe. A server that executed only a part of one gets no more
   * until a test finds it mended, and the part is undone.
   * @throws Failure as `requireAtomic` and `FhirClient.transaction` do; unsupported when a part was executed and undone.
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

  /** Lets the next refresh test the server, although the last test found no impairment. */
  allowRetest(): void {
    if (this.#passed) this.#passed = { ...this.#passed, until: this.#passed.atLeastUntil };
  }

  /** What the server is now: tests it when impaired, when allowed to or every five minutes, else only searches; may fail. */
  async refreshFindings(call: ServerCall): Promise<ServerFindings> {
    try {
      const findings = await this.#findings.reload(call);
      return this.#nonAtomicCount > 0 ? { ...findings, impairment: notAtomic } : findings;
    } catch (error) {
      this.#passed = undefined;
      throw error;
    }
  }

  /** What the server says that it is, which no test has shown yet; fails when it cannot be asked now. */
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

/** True if a resource that the entries change has another version now. */
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

/** Milliseconds for all of it, also when the call has ended. */
const UNDO_MS = 5_000;

/**
 * Undoes the entries that a server executed of a transaction, by what its answer names: removes what was created, and
 * restores what was changed, unless somebody changed it again.
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
  // Entries may refer to those before them, and servers keep what is referred to.
  for (const [index, entry] of [...entries.entries()].reverse()) {
    const result = results[index];
    const isUndone = result && (await undoEntry(client, entry, result, call).catch(ignoreFailure));
    if (!isUndone) left.add('create' in entry ? entry.create.resourceType : entry.resource.resourceType);
  }
  return [...left];
}

/** Whether nothing is left of the entry. */
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
