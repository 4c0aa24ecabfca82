import { randomUUID } from 'node:crypto';
import { getCauseCode } from '../../../src/http-client/failures.ts';
import { Failure, type FailureKind, type Impairment } from '../../../src/ports/index.ts';
import { toReference } from '../schema/datatypes.ts';
import type { Codes } from '../schema/terminology.ts';
import type { FhirClient } from './client.ts';
import { formatToken } from './query.ts';
import { NonAtomicTransaction, type TransactionEntry } from './transaction-entries.ts';
import type { ServerCall } from './transport.ts';

/** Failures that pass and say nothing of the server: the test is made again. */
const transientKinds: ReadonlySet<FailureKind> = new Set(['unavailable', 'timeout', 'overloaded']);

/** Codes of answers to a write that do not pass by waiting: a refusal, or what is no FHIR (see `badAnswer`). */
const saysWhy = /^HTTP_4(?!08)|^[a-z]/;

export const impair = (code: string, what: string, remedy: string): Impairment => ({
  code: `backend_${code}`,
  detail: `the FHIR server ${what}, so bookings, cancellations and tickets are refused; ${remedy}`,
});

export const notAtomic = impair(
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

/** The result of a server's test. */
export interface AtomicityFindings {
  /** Why transactions cannot be relied on; undefined when they can. */
  readonly impairment: Impairment | undefined;
  /** True if the server answers 400 to a changed version, as to any other refusal. */
  readonly hidesConflicts: boolean;
}

const impaired = (impairment: Impairment): AtomicityFindings => ({ impairment, hidesConflicts: false });

/**
 * Tests whether the server executes a transaction whole or not at all. What it refuses twice cannot be tested.
 * @throws Failure when it cannot be tested now.
 */
export async function testAtomicity(
  client: FhirClient,
  codes: Codes,
  call: ServerCall,
  isAgain = false,
): Promise<AtomicityFindings> {
  try {
    return await tryTransactions(client, codes, call);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.kind === 'conflict') return impaired(refusesVersions);
    throwIfTransient(error);
    // A server whose database is away refuses everything, and lacks no right.
    await requireSearch(client, call);
    if (!isAgain) return testAtomicity(client, codes, call, true);
    return impaired(error.kind === 'invalid' ? refusesWrites : untestable);
  }
}

/** Sends a transaction that must fail whole, looks for its parts, and sends one that must be done. */
async function tryTransactions(client: FhirClient, codes: Codes, call: ServerCall): Promise<AtomicityFindings> {
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
    const outcome = await tryTransaction(client, [{ create }, { resource: stale, changes: {} }], call);
    const { matches } = await client.search('Basic', { identifier: formatToken(system, value) }, call);
    made.push(...matches.map(({ id }) => id));
    if (outcome === 'done') return impaired(ignoresVersions);
    if (outcome === 'non_atomic' || matches.length > 0) return impaired(notAtomic);
    const [written] = await client.transaction([{ create }, { resource, changes: {} }], call);
    if (written?.id !== undefined) made.push(written.id);
    return { impairment: undefined, hidesConflicts: outcome === 'bad_request' };
  } finally {
    // Last things first: what is referred to cannot be deleted.
    for (const id of made.reverse()) await client.remove('Basic', id, call).catch(() => undefined);
  }
}

/** The outcome of the entries, one of which must fail. */
async function tryTransaction(
  client: FhirClient,
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

export const isBadRequest = (error: unknown): boolean => error instanceof Failure && getCauseCode(error) === 'HTTP_400';

/** @throws the failure if it passes by waiting; of an unknown outcome as unavailable, since only the probe was sent. */
function throwIfTransient(failure: Failure): void {
  if (failure.kind === 'outcome_unknown' && !saysWhy.test(getCauseCode(failure) ?? ''))
    throw new Failure('unavailable', failure.message, { cause: failure.cause });
  if (transientKinds.has(failure.kind) && failure.code !== 'forbidden') throw failure;
}

/**
 * Throws unless the server answers a search. Capabilities take it long, and may come from a cache when its database is gone.
 * @throws Failure unavailable also when it refuses the search: what it says then may be of its database.
 */
export async function requireSearch(client: FhirClient, call: ServerCall): Promise<void> {
  try {
    await client.search('Location', { _id: randomUUID() }, call);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'bad_answer') throw error;
    throw new Failure('unavailable', 'the FHIR server answers no search', { cause: error.cause });
  }
}
