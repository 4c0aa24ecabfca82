import { randomUUID } from 'node:crypto';
import { type Call, Failure, type FailureKind, type Impairment } from '../../../src/ports/index.ts';
import { Cached } from '../../http-client/cached.ts';
import { getCauseCode } from '../../http-client/failures.ts';
import { isObject } from '../../http-client/json.ts';
import type { Codes } from '../schema/terminology.ts';
import type { EntryResult } from './bundle.ts';
import type { Client, Entry } from './client.ts';
import { isPartialTransaction } from './errors.ts';
import type { Caller } from './transport.ts';
import { formatToken } from './url.ts';

/** For operators only: the adapter treats every kind in the same way. */
export type ServerKind = 'hapi' | 'medplum' | 'other';

/** What a server says and shows of itself. */
export interface ServerProfile {
  readonly kind: ServerKind;
  /** Why transactions cannot be relied on; undefined when they can. */
  readonly impairment: Impairment | undefined;
}

/** Failures that pass and say nothing of the server: the test is made again. */
const transientKinds: ReadonlySet<FailureKind> = new Set(['unavailable', 'timeout', 'overloaded']);

/** Codes of answers to a write that do not pass by waiting: a refusal, or what is no FHIR (see `badAnswer`). */
const saysWhy = /^HTTP_4(?!08)|^[a-z]/;

const notAtomic: Impairment = {
  code: 'backend_not_atomic',
  detail:
    'the FHIR server executes a transaction as a batch, so bookings, cancellations and tickets are refused; on Medplum enable the project feature transaction-bundles',
};

const notR4: Impairment = {
  code: 'backend_not_r4',
  detail:
    'the server does not speak FHIR R4 (4.0), so bookings, cancellations and tickets are refused; set baseUrl to its R4 end point',
};

const untestable: Impairment = {
  code: 'backend_untestable',
  detail:
    'whether the FHIR server executes transactions as a whole cannot be tested, so bookings, cancellations and tickets are refused; allow the gateway to create, find and delete Basic resources, or set transactions to trust',
};

/** Milliseconds after which an impaired server is tested again: somebody may have mended it. */
const RECHECK_MS = 300_000;

/**
 * Sends transactions only where the server executes them as a whole. Some execute them as a batch without saying so, and
 * then a slot could be taken without an appointment. The server is tested on first need, again until it answers, and every
 * five minutes while it is impaired.
 */
export class Transactions {
  readonly #client: Client;
  readonly #codes: Codes;
  readonly #trusted: boolean;
  readonly #profile: Cached<ServerProfile, Caller>;
  /** The server executed only a part of a transaction, whatever the test found. */
  #sawPartial = false;

  /** @param timeoutMs for the whole test. */
  constructor(client: Client, codes: Codes, trusted: boolean, timeoutMs: number) {
    this.#client = client;
    this.#codes = codes;
    this.#trusted = trusted;
    const ttlMs = ({ impairment }: ServerProfile) => (impairment ? RECHECK_MS : Number.POSITIVE_INFINITY);
    this.#profile = new Cached((call) => this.#loadProfile(call), { ttlMs, timeoutMs });
  }

  /**
   * Throws unless a transaction may be sent.
   * @throws Failure unsupported `backend_not_atomic`, or why the server could not be tested.
   */
  async require(call: Caller): Promise<void> {
    if (!this.#sawPartial && (this.#trusted || !(await this.getServerProfile(call)).impairment)) return;
    throw new Failure('unsupported', 'the institution’s system cannot do this safely', { code: 'backend_not_atomic' });
  }

  /**
   * Sends the entries as one transaction, where that is safe. A server that executed only a part of one gets no more.
   * @throws Failure as `require` and `Client.transaction` do.
   */
  async send(entries: readonly Entry[], call: Call): Promise<EntryResult[]> {
    await this.require(call);
    try {
      return await this.#client.transaction(entries, call);
    } catch (error) {
      this.#sawPartial ||= isPartialTransaction(error);
      throw error;
    }
  }

  /** @throws Failure when the server cannot be tested now. */
  async getServerProfile(call: Caller): Promise<ServerProfile> {
    const profile = await this.#profile.get(call);
    return this.#sawPartial ? { ...profile, impairment: notAtomic } : profile;
  }

  async #loadProfile(call: Caller): Promise<ServerProfile> {
    const statement = await this.#client.metadata(call);
    const software = isObject(statement.software) ? String(statement.software.name) : '';
    const kind = (['hapi', 'medplum'] as const).find((name) => software.toLowerCase().includes(name)) ?? 'other';
    if (!String(statement.fhirVersion).startsWith('4.0')) return { kind, impairment: notR4 };
    return { kind, impairment: this.#trusted ? undefined : await this.#testAtomicity(call) };
  }

  /** Sends a transaction of which one entry must fail; the other must not have been executed then. */
  async #testAtomicity(call: Caller): Promise<Impairment | undefined> {
    const system = this.#codes.sid('probe');
    const code = { text: 'probe of a gateway, may be deleted' };
    const basic = (value: string) => ({ resourceType: 'Basic' as const, code, identifier: [{ system, value }] });
    const value = randomUUID();
    const made: string[] = [];
    try {
      // The resource has to exist: some servers create what an update does not find.
      const { resource } = await this.#client.create(basic(randomUUID()), call);
      made.push(resource.id);
      const stale = { ...resource, meta: { ...resource.meta, versionId: '999999' } };
      const refused = await this.#isRefused([{ create: basic(value) }, { update: stale, changes: {} }], call);
      const { matches } = await this.#client.search('Basic', { identifier: formatToken(system, value) }, call);
      made.push(...matches.map(({ id }) => id));
      return refused && matches.length === 0 ? undefined : notAtomic;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const code = getCauseCode(error) ?? '';
      // Only the probe has an unknown outcome: what the caller wants written was not sent yet.
      if (error.kind === 'outcome_unknown' && !saysWhy.test(code))
        throw new Failure('unavailable', error.message, { cause: error.cause });
      if (transientKinds.has(error.kind) && code !== 'HTTP_403') throw error;
      return untestable;
    } finally {
      await Promise.allSettled(made.map((id) => this.#client.remove('Basic', id, call)));
    }
  }

  async #isRefused(entries: readonly Entry[], call: Caller): Promise<boolean> {
    try {
      await this.#client.transaction(entries, call);
      return false;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.kind === 'conflict') return true;
      if (isPartialTransaction(error)) return false;
      throw error;
    }
  }
}
