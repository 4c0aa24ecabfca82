import { z } from 'zod';
import { Failure } from '../../../src/ports/index.ts';
import { badAnswer } from '../../../src/toolkit/http-client/failures.ts';
import { isObject } from '../../../src/toolkit/http-client/json.ts';
import { type Resource, type ResourceType, resources } from '../schema/resources.ts';
import { parseLocation } from './decode.ts';
import { PARTIAL_TRANSACTION } from './errors.ts';
import { parseResource } from './parse-resource.ts';
import { toUnreadable, type UnreadableResource } from './unreadable.ts';

/** Of the links only that to the next page is used, and a count that cannot be read is none. */
const searchset = z.looseObject({
  resourceType: z.literal('Bundle'),
  type: z.literal('searchset'),
  total: z.number().int().nonnegative().optional().catch(undefined),
  link: z.array(z.looseObject({ relation: z.unknown().optional(), url: z.unknown().optional() })).optional(),
  entry: z.array(z.looseObject({ resource: z.unknown().optional(), search: z.unknown().optional() })).optional(),
});

export interface SearchPage<T extends ResourceType> {
  readonly matches: readonly Resource<T>[];
  /** Under `Type/id`. */
  readonly included: ReadonlyMap<string, Resource>;
  /** Matches and included resources in which an element that this adapter uses is not what FHIR says. */
  readonly unreadable: readonly UnreadableResource[];
  /** How much of the page were photos, which nobody is shown: those of practitioners, who are kept for long, are let go. */
  readonly photoBytes: number;
  readonly total: number | undefined;
  readonly next: string | undefined;
}

/** One page of a search; throws bad_answer when it is none, or, unless lenient, when a match cannot be read. */
export function parseSearchPage<T extends ResourceType>(type: T, body: unknown, lenient = false): SearchPage<T> {
  const { data: bundle } = searchset.safeParse(body);
  if (!bundle) throw badAnswer('not_a_searchset');
  const matches: Resource<T>[] = [];
  const included = new Map<string, Resource>();
  const unreadable: UnreadableResource[] = [];
  const read = <U extends ResourceType>(type: U, resource: unknown, required = false): Resource<U>[] => {
    try {
      return [parseResource(type, resource)];
    } catch (error) {
      if (required) throw error;
      unreadable.push(toUnreadable(error, resource));
      return [];
    }
  };
  let hasOthers = false;
  let photoBytes = 0;
  for (const { resource, search } of bundle.entry ?? []) {
    const { mode } = isObject(search) ? search : {};
    const of = isObject(resource) ? String(resource.resourceType) : undefined;
    if (isObject(resource) && resource.photo !== undefined) {
      photoBytes += JSON.stringify(resource.photo).length;
      if (of === 'Practitioner') delete resource.photo;
    }
    if (mode === 'outcome' || of === 'OperationOutcome') continue;
    // What came along is known by its type: some servers call it a match.
    if (mode !== 'include' && (of === type || of === undefined)) matches.push(...read(type, resource, !lenient));
    else {
      hasOthers ||= mode === 'match';
      if (isKnown(of)) for (const known of read(of, resource)) included.set(`${of}/${known.id}`, known);
    }
  }
  const next = bundle.link?.find(({ relation }) => relation === 'next');
  if (next && typeof next.url !== 'string') throw badAnswer('bad_next_link');
  const isNoAnswer = hasOthers && matches.length === 0 && !unreadable.some((each) => each.type === type);
  if (isNoAnswer) throw badAnswer('match_of_another_type');
  return { matches, included, unreadable, photoBytes, total: bundle.total, next: next && String(next.url) };
}

const isKnown = (type = ''): type is ResourceType => Object.hasOwn(resources, type);

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
  /** The `Type/id` of what was written, when the server says so. */
  readonly type: string | undefined;
  readonly id: string | undefined;
  /** The `versionId` that it got, when the server says so. */
  readonly version: string | undefined;
  readonly outcome: unknown;
  readonly resource?: unknown;
}

/** The results of all entries of a transaction, in their order; throws bad_answer when there are more or fewer. */
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

/** Whether the server executed the entry. */
export const isDone = ({ status }: EntryResult): boolean => status >= 200 && status <= 299;

/** The server executed only a part of a transaction: its outcome is wrong until that part is undone. */
export class PartialTransaction extends Failure {
  /** In the order of the entries. */
  readonly results: readonly EntryResult[];

  /** Narrower than that of every Failure. */
  static override [Symbol.hasInstance](value: unknown): value is PartialTransaction {
    return value instanceof Failure && 'results' in value;
  }

  constructor(results: readonly EntryResult[]) {
    super('outcome_unknown', 'the FHIR server executed only a part of a transaction', { code: PARTIAL_TRANSACTION });
    this.results = results;
  }
}
