import { randomUUID } from 'node:crypto';
import { isObject } from '../../../src/http-client/answer-size.ts';
import { getCauseCode } from '../../../src/http-client/failures.ts';
import { type Call, Failure, type FailureKind, type Impairment } from '../../../src/ports/index.ts';
import { Cached } from '../../../src/toolkit/cached.ts';
import { ignoreFailure } from '../../../src/toolkit/failures.ts';
import { toReference } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import type { Codes } from '../schema/terminology.ts';
import type { FhirClient } from './client.ts';
import { NON_ATOMIC_TRANSACTION } from './errors.ts';
import { formatToken } from './query.ts';
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

/** Failures that pass and say nothing of the server: the test is made again. */
const transientKinds: ReadonlySet<FailureKind> = new Set(['unavailable', 'timeout', 'overloaded']);

/** Codes of answers to a write that do not pass by waiting: a refusal, or what is no FHIR (see `badAnswer`). */
const saysWhy = /^HTTP_4(?!08)|^[a-z]/;

const impair = (code: string, what: string, remedy: string): Impairment => ({
  code: `backend_${code}`,
  detail: `the FHIR server ${what}, so bookings, cancellations and tickets are refused; ${remedy}`,
});

const notAtomic = impair(
  'not_atomic',
  'executes a transaction as a batch',
  'on Medplum enable the project feature transaction-bundles',
);
const ignoresVersions = impair(
  'ignores_if_match',
  'executes a transaction although an ifMatch in it names another version, and slots would be booked twice',
  'let it compare versions',
);
const refusesVersions = impair(
  'refuses_if_match',
  'refuses a transaction whose ifMatch is the version that it gave itself',
  'let it take weak ETags such as W/"1", as FHIR has them',
);
const notR4 = impair('not_r4', 'does not speak FHIR R4 (4.0)', 'set baseUrl to its R4 end point');
const untestable = impair(
  'untestable',
  'does not let its transactions be tested',
  'allow the gateway to read, find, create, update and delete Basic resources, or set transactions to trust',
);
const refusesWrites = impair(
  'refuses_writes',
  'refuses by its validation what the gateway writes',
  'let it take extensions below namespace, on which it has no definition',
);

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

export type Transactions = ReturnType<typeof createTransactions>;

/**
 * Sends transactions only where the server executes them atomically. Some execute them as a batch without saying so, and
 * then a slot could be taken without an appointment. The server is tested on first need, and again by `refreshFindings`.
 */
export function createTransactions(
  client: FhirClient,
  codes: Codes,
  { trusted, timeoutMs, faults }: TransactionsOptions,
) {
  const ttlMs = ({ impairment }: ServerFindings) => (impairment ? RETEST_MS : Number.POSITIVE_INFINITY);
  const cachedFindings = new Cached(loadFindings, { ttlMs, timeoutMs });
  // How many transactions the server has executed non-atomically since a test found that it executes them atomically.
  let nonAtomicCount = 0;
  // Whether it answers 400, as to what it refuses, where something has another version.
  let hidesConflicts = false;
  // What the last test found, if it found no impairment, and until when that holds: in calm, and whatever happens.
  let passed: { readonly findings: ServerFindings; readonly until: number; readonly atLeastUntil: number } | undefined;
  return { requireAtomic, send, allowRetest, refreshFindings, readStatement };

  /** Throws unsupported `backend_not_atomic` unless a transaction may be sent. */
  async function requireAtomic(call: ServerCall): Promise<void> {
    if (nonAtomicCount === 0 && (trusted || !(await cachedFindings.get(call)).impairment)) return;
    throw new Failure('unsupported', REFUSAL, { code: 'backend_not_atomic' });
  }

  /**
   * Sends the entries as one transaction, where that is safe. A server that executed only a part of one gets no more
   * until a test finds it mended, and the part is undone.
   * @throws Failure as `requireAtomic` and `FhirClient.transaction` do; unsupported when a part was executed and undone.
   */
  async function send(entries: readonly TransactionEntry[], call: Call): Promise<EntryResult[]> {
    await requireAtomic(call);
    try {
      return await client.transaction(entries, call);
    } catch (error) {
      if (hidesConflicts && isBadRequest(error) && (await isStale(entries, call))) throw toConflict(error);
      if (!(error instanceof NonAtomicTransaction)) throw error;
      nonAtomicCount++;
      faults.report();
      const left = await undoTransaction(client, entries, error.results, call);
      if (left.length === 0) throw new Failure('unsupported', REFUSAL, { code: 'backend_not_atomic', cause: error });
      throw new Failure('outcome_unknown', error.message, {
        code: NON_ATOMIC_TRANSACTION,
        at: left.join(','),
        cause: { code: 'transaction_not_undone' },
      });
    }
  }

  /** Lets the next refresh test the server, although the last test found no impairment. */
  function allowRetest(): void {
    if (passed) passed = { ...passed, until: passed.atLeastUntil };
  }

  /** What the server is now: tests it when impaired, when allowed to or every five minutes, else only searches; may fail. */
  async function refreshFindings(call: ServerCall): Promise<ServerFindings> {
    try {
      const findings = await cachedFindings.reload(call);
      return nonAtomicCount > 0 ? { ...findings, impairment: notAtomic } : findings;
    } catch (error) {
      passed = undefined;
      throw error;
    }
  }

  /** What the server says that it is, which no test has shown yet; fails when it cannot be asked now. */
  async function readStatement(call: ServerCall): Promise<ServerFindings> {
    const statement = await client.metadata(call);
    const software = isObject(statement.software) ? String(statement.software.name) : '';
    const kind = (['hapi', 'medplum'] as const).find((name) => software.toLowerCase().includes(name)) ?? 'other';
    return { kind, impairment: String(statement.fhirVersion).startsWith('4.0') ? undefined : notR4 };
  }

  async function loadFindings(call: ServerCall): Promise<ServerFindings> {
    const before = nonAtomicCount;
    if (passed && before === 0 && performance.now() < passed.until) {
      await requireSearch(call);
      return passed.findings;
    }
    const { kind, impairment } = await readStatement(call);
    if (impairment) return { kind, impairment };
    const isTrusted = trusted && before === 0;
    const findings: ServerFindings = { kind, impairment: isTrusted ? undefined : await testAtomicity(call) };
    if (findings.impairment) return findings;
    if (!isTrusted) await tryRace(client, codes, call).catch(ignoreFailure);
    const now = performance.now();
    passed = { findings, until: now + CALM_RETEST_MS, atLeastUntil: now + RETEST_MS };
    if (before === nonAtomicCount) nonAtomicCount = 0;
    return findings;
  }

  /**
   * Throws unless the server answers a search. Capabilities take it long, and may come from a cache when its database is gone.
   * @throws Failure unavailable also when it refuses the search: what it says then may be of its database.
   */
  async function requireSearch(call: ServerCall): Promise<void> {
    try {
      await client.search('Location', { _id: randomUUID() }, call);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'bad_answer') throw error;
      throw new Failure('unavailable', 'the FHIR server answers no search', { cause: error.cause });
    }
  }

  /** Sends a transaction that must fail whole, and looks for its parts; what is refused twice cannot be tested. */
  async function testAtomicity(call: ServerCall, isAgain = false): Promise<Impairment | undefined> {
    const system = codes.sid('probe');
    const code = { text: 'probe of a gateway, may be deleted' };
    // With all that a validator may dislike in the writes of the ports.
    const extension = [{ url: codes.extension('created-at'), valueDateTime: new Date().toISOString() }];
    const basic = (value: string) => ({
      resourceType: 'Basic' as const,
      extension,
      code,
      identifier: [{ system, value }],
    });
    const value = randomUUID();
    const made: string[] = [];
    try {
      // The resource has to exist: some servers create what an update does not find.
      const { resource } = await client.create(basic(randomUUID()), call);
      made.push(resource.id);
      const stale = { ...resource, meta: { ...resource.meta, versionId: '999999' } };
      const create = { ...basic(value), subject: toReference('Basic', resource.id) };
      const answer = await tryTransaction([{ create }, { resource: stale, changes: {} }], call);
      const { matches } = await client.search('Basic', { identifier: formatToken(system, value) }, call);
      made.push(...matches.map(({ id }) => id));
      if (answer === 'done') return ignoresVersions;
      if (answer === 'non_atomic' || matches.length > 0) return notAtomic;
      const [written] = await client.transaction([{ create }, { resource, changes: {} }], call);
      if (written?.id !== undefined) made.push(written.id);
      hidesConflicts = answer === 'bad_request';
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.kind === 'conflict') return refusesVersions;
      const code = getCauseCode(error) ?? '';
      // Only the probe has an unknown outcome: what the caller wants written was not sent yet.
      if (error.kind === 'outcome_unknown' && !saysWhy.test(code))
        throw new Failure('unavailable', error.message, { cause: error.cause });
      if (transientKinds.has(error.kind) && error.code !== 'forbidden') throw error;
      // A server whose database is away refuses everything, and lacks no right.
      await requireSearch(call);
      if (!isAgain) return await testAtomicity(call, true);
      return error.kind === 'invalid' ? refusesWrites : untestable;
    } finally {
      // Last things first: what is referred to cannot be deleted.
      for (const id of made.reverse()) await client.remove('Basic', id, call).catch(() => undefined);
    }
  }

  /** What became of the entries, of which one must fail. */
  async function tryTransaction(
    entries: readonly TransactionEntry[],
    call: ServerCall,
  ): Promise<'done' | 'non_atomic' | 'conflict' | 'bad_request'> {
    try {
      await client.transaction(entries, call);
      return 'done';
    } catch (error) {
      if (error instanceof NonAtomicTransaction) return 'non_atomic';
      if (isBadRequest(error)) return 'bad_request';
      if (error instanceof Failure && error.kind === 'conflict') return 'conflict';
      throw error;
    }
  }

  /** Whether something that the entries change has another version now. */
  async function isStale(entries: readonly TransactionEntry[], call: ServerCall): Promise<boolean> {
    for (const entry of entries) {
      if ('create' in entry) continue;
      const { resourceType, id, meta } = entry.resource;
      const stored: Resource | undefined = await client.readCurrent(resourceType, id, call);
      if (stored?.meta?.versionId !== meta?.versionId) return true;
    }
    return false;
  }
}

const isBadRequest = (error: unknown): boolean => error instanceof Failure && getCauseCode(error) === 'HTTP_400';

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
