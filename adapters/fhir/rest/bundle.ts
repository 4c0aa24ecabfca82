import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isObject } from '../../../src/http-client/answer-size.ts';
import { badAnswer } from '../../../src/http-client/failures.ts';
import { type Call, Failure } from '../../../src/ports/index.ts';
import type { Reference } from '../schema/datatypes.ts';
import { type Changes, type NewResource, type Resource, type ResourceType, resources } from '../schema/resources.ts';
import { parseLocation } from './decode.ts';
import { PARTIAL_TRANSACTION } from './errors.ts';
import { encodeQuery, type SearchQuery } from './query.ts';
import type { ServerPaths } from './transport.ts';

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

/** A resource as it was read, and the elements that get another value. */
type Update<T extends ResourceType = ResourceType> = {
  [U in T]: { readonly update: Resource<U>; readonly changes: Changes<U> };
}[T];

/** One step of a transaction. */
export type TransactionEntry =
  | {
      readonly create: NewResource;
      /** By which other entries refer to it, a UUID as a URN. */
      readonly fullUrl?: string;
      /** It is created only when nothing matches it. */
      readonly ifNoneExist?: SearchQuery | undefined;
    }
  | Update;

/** The `If-Match` value of a resource as it was read. */
export function getVersion(resource: Resource): string {
  const versionId = resource.meta?.versionId;
  if (versionId === undefined) throw badAnswer('no_version');
  return `W/"${versionId}"`;
}

/**
 * The resource as the server sent it, with these changes, and without a narrative that was generated from the data before
 * them. HAPI adds one to every patient that it returns.
 * @throws Failure bad_answer as `getWhole` does.
 */
export function toWritten(resource: Resource, changes: object): object {
  const { text, ...data } = getWhole(resource, changes);
  const isDerived = isObject(text) && (text.status === 'generated' || text.status === 'extensions');
  return { ...data, ...(text !== undefined && !isDerived && { text }), ...changes };
}

/** Every entry has a fullUrl: validators refuse one without, since relative references begin there. */
export function toBundleEntry(entry: TransactionEntry, paths: Pick<ServerPaths, 'base' | 'build'>): unknown {
  if ('create' in entry) {
    const { create, ifNoneExist, fullUrl = `urn:uuid:${randomUUID()}` } = entry;
    const condition = ifNoneExist && { ifNoneExist: encodeQuery(ifNoneExist) };
    return { fullUrl, resource: create, request: { method: 'POST', url: create.resourceType, ...condition } };
  }
  const { update, changes } = entry;
  const request = { method: 'PUT', url: `${update.resourceType}/${update.id}`, ifMatch: getVersion(update) };
  const fullUrl = paths.base + paths.build(update.resourceType, update.id);
  return { fullUrl, resource: toWritten(update, changes), request };
}

/** Lists of which each entry only describes: without one of them a resource says less, and is the same. */
const lists: ReadonlySet<unknown> = new Set([
  ...['name', 'telecom', 'address', 'qualification', 'specialty', 'generalPractitioner', 'availableTime'],
]);

/** Elements that only describe. Who or what a resource is, whose, when, and whether it counts, is not among them. */
const elements: ReadonlySet<unknown> = new Set([
  ...['telecom', 'address', 'qualification', 'specialty', 'generalPractitioner', 'availableTime', 'position', 'meta'],
  ...['availabilityExceptions', 'comment', 'extraDetails', 'description', 'title', 'reasonCode', 'lastModified'],
]);

/**
 * The value, when it is a resource of that type, and of that id when one was asked for. An element that only describes it,
 * or one entry of it, is left out when it is not what FHIR says.
 * @throws Failure bad_answer when it is not, or when another element that this adapter uses is not what FHIR says.
 */
export function parseResource<T extends ResourceType>(type: T, value: unknown, id?: string): Resource<T> {
  const leftOut: string[] = [];
  let readable = value;
  while (!isReadable(type, readable)) {
    const [name = '', index, ...rest] = findFault(type, readable);
    const at = [name, ...(index === undefined ? [] : [index]), ...rest].map(String);
    const { [String(name)]: element, ...others } = isObject(readable) ? readable : {};
    const isEntry = Array.isArray(element) && typeof index === 'number';
    if (!(isEntry ? lists : elements).has(name)) throw badAnswer('unexpected_resource', [type, ...at].join('/'));
    leftOut.push(at.filter((key) => !/^\d+$/.test(key)).join('/'));
    readable = isEntry ? { ...others, [String(name)]: element.toSpliced(index, 1) } : others;
  }
  if (id !== undefined && readable.id !== id) throw badAnswer('another_resource');
  if (leftOut.length > 0 && isObject(value)) noteLeftOut(readable, value, leftOut);
  return readable;
}

/** The resource as it was sent, to be written with these changes; throws bad_answer where a part of it was not read. */
function getWhole(resource: Resource, changes: object): Readonly<Record<string, unknown>> {
  const { whole, leftOut } = getPart(resource);
  const lost = leftOut.find((path) => (path.split('/')[0] ?? '') in changes);
  if (lost !== undefined) throw badAnswer('unexpected_resource', `${resource.resourceType}/${lost}`);
  if (JSON.stringify(whole.meta ?? {}).includes('"SUBSETTED"')) throw badAnswer('only_a_part', resource.resourceType);
  return whole;
}

const compiled: Partial<Record<ResourceType, z.ZodType>> = {};

function check(type: ResourceType, value: unknown) {
  // Generated code looks at what matches in a fraction of the time; a type that nobody reads needs none.
  compiled[type] ??= z.compile(resources[type]);
  return compiled[type].safeParse(value);
}

const isReadable = <T extends ResourceType>(type: T, value: unknown): value is Resource<T> =>
  check(type, value).success;

const findFault = (type: ResourceType, value: unknown): readonly PropertyKey[] =>
  check(type, value).error?.issues[0]?.path ?? [];

/** What a search found, all its pages together. */
export class SearchResult<T extends ResourceType> {
  readonly matches: readonly Resource<T>[];
  /** As the server counted, when it was asked to. */
  readonly total: number | undefined;
  /** Whether the server has further pages, that were not asked for. */
  readonly more: boolean;
  readonly #type: T;
  readonly #included: Map<string, Resource>;
  readonly #unreadable: UnreadableResource[];

  constructor(type: T, pages: readonly SearchPage<T>[]) {
    const unique = new Map(pages.flatMap(({ matches }) => matches.map((match) => [match.id, match] as const)));
    this.matches = [...unique.values()];
    this.total = pages[0]?.total;
    this.more = pages.at(-1)?.next !== undefined;
    this.#type = type;
    this.#included = new Map(pages.flatMap(({ included }) => [...included]));
    this.#unreadable = pages.flatMap(({ unreadable }) => unreadable);
  }

  /** Without what nobody is to see. */
  without(isHidden: (resource: Resource) => boolean): SearchResult<T> {
    if (![...this.matches, ...this.#included.values()].some(isHidden)) return this;
    const matches = this.matches.filter((each) => !isHidden(each));
    const included = new Map([...this.#included].filter(([, each]) => !isHidden(each)));
    const [next, rest] = [this.more ? '' : undefined, { hasOthers: false, photoBytes: 0 }];
    const { total, unreadable } = this;
    return new SearchResult(this.#type, [{ matches, included, unreadable, total, next, ...rest }]);
  }

  /** All of these together, as one search would have found them. */
  static join<T extends ResourceType>(type: T, results: readonly SearchResult<T>[]): SearchResult<T> {
    const rest = { total: undefined, next: undefined, photoBytes: 0 };
    return new SearchResult(
      type,
      results.map((each) => ({ ...each, ...rest, unreadable: each.unreadable, included: each.#included })),
    );
  }

  /** What cannot be read of the matches, if the search allowed for it, and of what came along. */
  get unreadable(): readonly UnreadableResource[] {
    return this.#unreadable;
  }

  /** The elements that were left out of what was found. */
  get leftOut(): UnreadableResource[] {
    return [...this.matches, ...this.#included.values()].flatMap(listLeftOut);
  }

  /** The match with this id; undefined when there is none; throws bad_answer when it cannot be read. */
  find(id: string): Resource<T> | undefined {
    const found = this.matches.find((match) => match.id === id);
    if (!found && this.has(`${this.#type}/${id}`)) throw badAnswer('unexpected_resource', this.#type);
    return found;
  }

  /** The resource that the reference means, as far as it came along. */
  resolve<U extends ResourceType>(reference: Reference | undefined, type: U): Resource<U> | undefined {
    const key = reference?.reference?.replace(/\/_history\/.*$/, '');
    const resource = key === undefined ? undefined : this.#included.get(key);
    return resource && isOfType(resource, type) ? resource : undefined;
  }

  /** All of the type that came along, matches or not. */
  list<U extends ResourceType>(type: U): Resource<U>[] {
    const all: readonly Resource[] = [...this.matches, ...this.#included.values()];
    return all.filter((each) => isOfType(each, type));
  }

  /** Adds what a server left out of its includes. */
  add<U extends ResourceType>(other: SearchResult<U>): void {
    for (const each of other.matches) this.#included.set(`${each.resourceType}/${each.id}`, each);
    for (const each of other.unreadable) this.#unreadable.push(each);
  }

  /** Whether it came along, readable or not. */
  has(reference: string): boolean {
    return this.#included.has(reference) || this.#unreadable.some(({ type, id }) => `${type}/${id}` === reference);
  }
}

const isOfType = <T extends ResourceType>(resource: Resource, type: T): resource is Resource<T> =>
  resource.resourceType === type;

/** Makes rows of a list of these matches, and tells the call of whatever was found and cannot be read or shown. */
export async function toRows<T extends ResourceType, R>(
  found: SearchResult<T>,
  matches: readonly Resource<T>[],
  toRow: (match: Resource<T>) => R | Promise<R>,
  call: Call,
): Promise<R[]> {
  const omitted = [...found.unreadable];
  const rows = await Promise.all(
    matches.map(async (match) => {
      try {
        return { row: await toRow(match) };
      } catch (error) {
        omitted.push(toUnreadable(error, match));
        return undefined;
      }
    }),
  );
  reportOmitted([...omitted, ...found.leftOut], call);
  return rows.flatMap((made) => (made ? [made.row] : []));
}

/** A resource that a list cannot show, or of which it cannot show an element. */
export interface UnreadableResource {
  readonly type: string;
  /** Undefined when it has none that could be one. */
  readonly id: string | undefined;
  /** The element that does not fit, without positions in lists. */
  readonly element: string;
  /** As the server sent it. */
  readonly content: unknown;
}

/** The resource whose element a bad_answer names; anything else that was thrown is thrown on. */
function toUnreadable(error: unknown, content: unknown): UnreadableResource {
  if (!(error instanceof Failure) || error.kind !== 'bad_answer' || error.at === undefined) throw error;
  const [type = '', ...path] = error.at.split('/');
  const { id } = isObject(content) ? content : {};
  return {
    type,
    id: typeof id === 'string' ? id : undefined,
    element: path.filter((key) => !/^\d+$/.test(key)).join('/'),
    content,
  };
}

/** What each call was told already: several searches of one call may find the same resource. */
const reported = new WeakMap<Call['omit'], Set<unknown>>();

/** Tells the call, once for each resource, that it is answered without it, or without a part of it. */
export function reportOmitted(
  resources: readonly UnreadableResource[],
  call: Partial<Pick<Call, 'omit' | 'identifyOmitted'>>,
): void {
  if (!call.omit) return;
  const known = reported.get(call.omit) ?? new Set();
  reported.set(call.omit, known);
  for (const { type, id, element, content } of resources) {
    const key = id === undefined ? content : `${type}/${id}`;
    if (known.has(key)) continue;
    known.add(key);
    call.omit({ resourceType: type, element });
    if (id !== undefined) call.identifyOmitted?.({ resourceType: type, element }, id);
  }
}

/** A resource as it was sent, and the elements that were left out of what was read of it. */
interface Part {
  readonly whole: Readonly<Record<string, unknown>>;
  readonly leftOut: readonly string[];
}

const parts = new WeakMap<object, Part>();

const noteLeftOut = (resource: object, whole: Part['whole'], leftOut: Part['leftOut']): void =>
  void parts.set(resource, { whole, leftOut });

const getPart = (resource: Resource): Part => parts.get(resource) ?? { whole: resource, leftOut: [] };

/** What was left out of a resource that was read. */
export const listLeftOut = (resource: Resource): UnreadableResource[] =>
  getPart(resource).leftOut.map((element) => {
    return { type: resource.resourceType, id: resource.id, element, content: resource };
  });

/** Neither `Type/id`, nor an address, nor something contained. */
const brokenReference = /"reference":"(?![A-Za-z]+\/[A-Za-z0-9\-.]{1,64}(?:\/_history\/[^"]+)?"|[a-z][a-z+.-]*:|#)/;

/** Notes as left out what refers to something in a way that no server can follow. */
export function noteBrokenReferences(resources: readonly Resource[]): void {
  for (const whole of resources) {
    const isBroken = ([, value]: [string, unknown]) => brokenReference.test(JSON.stringify(value) ?? '');
    const broken = Object.entries(whole)
      .filter(isBroken)
      .map(([element]) => element);
    if (broken.length > 0) noteLeftOut(whole, whole, broken);
  }
}
