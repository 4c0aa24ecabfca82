import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isObject } from '../../../src/http-client/answer-size.ts';
import { badAnswer } from '../../../src/http-client/failures.ts';
import { Failure } from '../../../src/ports/index.ts';
import type { Changes, NewResource, Resource, ResourceType } from '../schema/resources.ts';
import { parseLocation } from './decode.ts';
import { NON_ATOMIC_TRANSACTION } from './errors.ts';
import { encodeQuery, type SearchQuery } from './query.ts';
import { getVersion, toWritten } from './resource.ts';
import type { ServerPaths } from './transport.ts';

/** A read resource with its changed elements. */
type Update<T extends ResourceType = ResourceType> = {
  [U in T]: { readonly resource: Resource<U>; readonly changes: Changes<U> };
}[T];

/** One step of a transaction. */
export type TransactionEntry =
  | {
      readonly create: NewResource;
      /** The id for references of other entries, a UUID as a URN. */
      readonly fullUrl?: string;
      /** The condition: it is created only without a match. */
      readonly ifNoneExist?: SearchQuery | undefined;
    }
  | Update;

/** Every entry has a fullUrl: validators reject one without, since relative references begin there. */
export function toBundleEntry(entry: TransactionEntry, paths: Pick<ServerPaths, 'base' | 'build'>): unknown {
  if ('create' in entry) {
    const { create, ifNoneExist, fullUrl = `urn:uuid:${randomUUID()}` } = entry;
    const condition = ifNoneExist && { ifNoneExist: encodeQuery(ifNoneExist) };
    return { fullUrl, resource: create, request: { method: 'POST', url: create.resourceType, ...condition } };
  }
  const { resource, changes } = entry;
  const request = { method: 'PUT', url: `${resource.resourceType}/${resource.id}`, ifMatch: getVersion(resource) };
  const fullUrl = paths.base + paths.build(resource.resourceType, resource.id);
  return { fullUrl, resource: toWritten(resource, changes), request };
}

const transactionResponse = z.looseObject({
  resourceType: z.literal('Bundle'),
  type: z.enum(['transaction-response', 'batch-response']),
  entry: z.array(
    z.looseObject({
      resource: z.unknown().optional(),
      response: z.looseObject({
        status: z.string().regex(/^\d{3}/),
        location: z.string().optional(),
        etag: z.string().optional(),
        outcome: z.unknown().optional(),
      }),
    }),
  ),
});

export interface EntryResult {
  readonly status: number;
  /** The `Type/id` of the written resource, if the server returns it. */
  readonly type: string | undefined;
  readonly id: string | undefined;
  /** The new `versionId`, if the server returns it. */
  readonly version: string | undefined;
  readonly outcome: unknown;
  readonly resource?: unknown;
}

/** The results of all entries of a transaction, in order. Throws bad_answer if their number differs. */
export function parseTransactionResponse(body: unknown, sent: number): EntryResult[] {
  const { data: bundle } = transactionResponse.safeParse(body);
  if (bundle?.entry.length !== sent) throw badAnswer('not_a_transaction_response');
  return bundle.entry.map(({ response, resource }) => {
    const { type, id } = parseLocation(response.location);
    const known = isObject(resource) ? resource : {};
    const { versionId } = isObject(known.meta) ? known.meta : {};
    const [, version] = response.etag?.match(/^(?:W\/)?"?([^"]+)"?$/) ?? [];
    return {
      status: Number(response.status.slice(0, 3)),
      type: type ?? (typeof known.resourceType === 'string' ? known.resourceType : undefined),
      id: id ?? (typeof known.id === 'string' ? known.id : undefined),
      version: version ?? (typeof versionId === 'string' ? versionId : undefined),
      outcome: response.outcome ?? resource,
      resource,
    };
  });
}

/** True if the server executed the entry. */
export const isDone = ({ status }: EntryResult): boolean => status >= 200 && status <= 299;

/** The server executed only a part of a transaction. That part must be undone. */
export class NonAtomicTransaction extends Failure {
  /** In the order of the entries. */
  readonly results: readonly EntryResult[];

  /** Narrower than that of `Failure`. */
  static override [Symbol.hasInstance](value: unknown): value is NonAtomicTransaction {
    return value instanceof Failure && 'results' in value;
  }

  constructor(results: readonly EntryResult[]) {
    super('outcome_unknown', 'the FHIR server executed only a part of a transaction', { code: NON_ATOMIC_TRANSACTION });
    this.results = results;
  }
}
