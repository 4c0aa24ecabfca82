import { randomUUID } from 'node:crypto';
import { getCauseCode } from '../../../src/http-client/failures.ts';
import { Failure, type FailureKind, type Impairment } from '../../../src/ports/index.ts';
import { toReference } from '../schema/datatypes.ts';
import type { Codes } from '../schema/terminology.ts';
import type { FhirClient } from './client.ts';
import { formatToken } from './query.ts';
import { NonAtomicTransaction, type TransactionEntry } from './transaction-entries.ts';
import type { ServerCall } from './transport.ts';

/** Temporary failures, which leave the result open: the test is repeated. */
const transientKinds: ReadonlySet<FailureKind> = new Set(['unavailable', 'timeout', 'overloaded']);

/** Codes of permanent failures of a write: a rejection, or an answer that is not FHIR (see `badAnswer`). */
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
  'executes a transaction despite an ifMatch with another version, so slots would be booked twice',
  'make it compare versions',
);
const refusesVersions = impair(
  'refuses_if_match',
  'rejects a transaction whose ifMatch is the server’s own version',
  'configure it to accept weak ETags such as W/"1"',
);
const untestable = impair(
  'untestable',
  'does not allow a test of its transactions',
  'allow the gateway to read, find, create, update and delete Basic resources, or set transactions to trust',
);
const refusesWrites = impair(
  'refuses_writes',
  'refuses the gateway’s resources by its validation',
  'make it accept extensions below namespace without a definition',
);

/** The result of a server's test. */
export interface AtomicityFindings {
  /** The reason why transactions are unsafe. Undefined if they are safe. */
  readonly impairment: Impairment | undefined;
  /** True if the server reports a version conflict as 400, like any other rejection. */
  readonly hidesConflicts: boolean;
}

const impaired = (impairment: Impairment): AtomicityFindings => ({ impairment, hidesConflicts: false });

/**
 * Tests whether the server executes transactions atomically. If the server rejects the test twice, the test is
 * impossible.
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
    // A server whose database is down rejects everything, which is no evidence about access rights.
    await requireSearch(client, call);
    if (!isAgain) return testAtomicity(client, codes, call, true);
    return impaired(error.kind === 'invalid' ? refusesWrites : untestable);
  }
}

/** Sends a transaction that must fail as a whole, looks for its parts, and sends one that must succeed. */
async function tryTransactions(client: FhirClient, codes: Codes, call: ServerCall): Promise<AtomicityFindings> {
  const system = codes.sid('probe');
  const code = { text: 'probe of a gateway, may be deleted' };
  // Includes everything in the ports' writes that a validator may reject.
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
    // The resource must exist: some servers create the missing resource of an update.
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
    // In reverse order, because a referenced resource cannot be deleted.
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

/** @throws the failure if it is temporary. An unknown outcome counts as unavailable, since only the probe was sent. */
function throwIfTransient(failure: Failure): void {
  if (failure.kind === 'outcome_unknown' && !saysWhy.test(getCauseCode(failure) ?? ''))
    throw new Failure('unavailable', failure.message, { cause: failure.cause });
  if (transientKinds.has(failure.kind) && failure.code !== 'forbidden') throw failure;
}

/**
 * Throws unless the server answers a search. Its capabilities take longer, and may come from a cache without the
 * database.
 * @throws Failure unavailable, also when the server rejects the search, because its database may be the reason.
 */
export async function requireSearch(client: FhirClient, call: ServerCall): Promise<void> {
  try {
    await client.search('Location', { _id: randomUUID() }, call);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'bad_answer') throw error;
    throw new Failure('unavailable', 'the FHIR server answers no search', { cause: error.cause });
  }
}
