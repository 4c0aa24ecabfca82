import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  applyPatch,
  badRequest,
  conflict,
  created,
  type Filter,
  formatSearchQuery,
  gone,
  notFound,
  type Operation,
  OperationOutcomeError,
  preconditionFailed,
  type SearchRequest,
  validateResource,
  type WithId,
} from '@medplum/core';
import { type CreateResourceOptions, FhirRepository, type UpdateResourceOptions } from '@medplum/fhir-router';
import type { Bundle, OperationOutcome, Parameters, Reference, Resource } from '@medplum/fhirtypes';
import type { Quirks } from './quirks.ts';
import { findReferences } from './references.ts';
import { buildSearchBundle, findRows, refuseUnknown } from './search.ts';
import { copyJson, lowerUuids, type Snapshot, type Stored, VersionStore } from './version-store.ts';

/**
 * Holds the resources in memory with what Medplum's own MemoryRepository lacks: validation, 410, transactions that roll
 * back, paging, referential integrity, and 400 for a search parameter that does not exist. Calls must not overlap.
 */
export class Store extends FhirRepository {
  readonly #base: string;
  readonly #quirks: Quirks;
  readonly #versions: VersionStore;
  #number = 1000;
  /** References to check when the transaction ends; undefined outside of one. */
  #unchecked: Set<string> | undefined;
  /** When something was created on these criteria. */
  readonly #searchUrls = new Map<string, number>();
  readonly #searches = new Map<string, SearchRequest>();
  /** What reads by id and includes show in the place of what is there; searches know better. */
  readonly #cached = new Map<string, Stored>();
  /** Of stored versions, which never change: an adapter deletes dozens of resources to try out a server. */
  readonly #references = new WeakMap<Stored, ReadonlySet<string>>();

  /** @param quirks is looked at anew with every call. */
  constructor(base: string, quirks: Quirks) {
    super();
    this.#base = base;
    this.#quirks = quirks;
    this.#versions = new VersionStore(quirks);
  }

  snapshot(): Snapshot {
    return this.#versions.snapshot();
  }

  restore(snapshot: Snapshot): void {
    this.#versions.restore(snapshot);
    this.#searchUrls.clear();
    this.#cached.clear();
    this.forgetSearches();
  }

  /** Puts a resource in under its own id, unchecked: for a whole hospital, whose references may point forward. */
  load(resource: Stored): void {
    this.#versions.put(resource);
  }

  /** Keeps what has changed since then in the cache as it was, as a server does that dies before it renews it. */
  showCached(before: Snapshot): void {
    for (const [type, ofType] of before) {
      for (const [id, { versions, deleted }] of ofType) {
        const last = versions.at(-1);
        const isChanged = this.#versions.versions(type, id).at(-1) !== last || deleted === this.has(type, id);
        if (last && !deleted && isChanged) this.#cached.set(`${type}/${id}`, last);
      }
    }
  }

  has(type: string, id: string): boolean {
    return this.#versions.has(type, id);
  }

  override setMode(): void {}

  override generateId(): string {
    return this.#quirks.ids === 'uuid' ? randomUUID() : String(this.#number++);
  }

  override async createResource<T extends Resource>(resource: T, options?: CreateResourceOptions): Promise<WithId<T>> {
    const id = (options?.assignedId ? resource.id : undefined) ?? this.generateId();
    return this.#write({ ...resource, id });
  }

  override async conditionalCreate<T extends Resource>(
    resource: T,
    search: SearchRequest<T>,
    options?: CreateResourceOptions,
  ): Promise<{ resource: WithId<T>; outcome: OperationOutcome }> {
    const criteria = JSON.stringify([search.resourceType, search.filters]);
    const age = Date.now() - (this.#searchUrls.get(criteria) ?? Number.NEGATIVE_INFINITY);
    if (age < this.#quirks.createRace) {
      throw new OperationOutcomeError(conflict('HAPI-2745: the same was created at the same time'));
    }
    const known = this.#quirks.keepsSearchUrls && this.#searchUrls.has(criteria);
    if (known && (await this.searchResources({ ...search, count: 1 })).length === 0) {
      throw new OperationOutcomeError(conflict('HAPI-2207: a resource was created with this search URL already'));
    }
    const result = await super.conditionalCreate(resource, search, options);
    if (result.outcome.id === created.id) this.#searchUrls.set(criteria, Date.now());
    return result;
  }

  override async updateResource<T extends Resource>(resource: T, options?: UpdateResourceOptions): Promise<WithId<T>> {
    const { resourceType, id } = resource;
    if (!id) throw new OperationOutcomeError(badRequest('Missing id'));
    if (this.#quirks.createByUpdate && !this.has(resourceType, id)) {
      const existed = this.#versions.versions(resourceType, id).length > 0;
      if (existed && options?.ifMatch !== undefined) this.#refuseStale();
      if (!existed && /^\d+$/.test(id))
        throw new OperationOutcomeError(badRequest('HAPI-0960: purely numeric client id'));
      return this.#write({ ...resource, id });
    }
    const last = this.#versions.get(resourceType, id);
    this.#checkVersion(last, options?.ifMatch);
    const { meta: _before, ...before } = last;
    const { meta: _after, ...after } = resource;
    // What changes nothing makes no version, on HAPI and on Medplum alike.
    if (isDeepStrictEqual(before, copyJson(after))) return copyJson(last) as WithId<T>;
    return this.#write({ ...resource, id });
  }

  override async patchResource<T extends Resource>(
    resourceType: T['resourceType'],
    id: string,
    patch: Operation[] | Parameters,
    options?: UpdateResourceOptions,
  ): Promise<WithId<T>> {
    if (!Array.isArray(patch)) throw new OperationOutcomeError(badRequest('Only JSON Patch is supported'));
    const resource = await this.readResource<T>(resourceType, id);
    const [problem] = applyPatch(resource, patch).filter((result) => result !== null);
    if (problem) throw new OperationOutcomeError(badRequest(problem.message));
    return this.updateResource(resource, this.#quirks.ifMatchOnPatch ? options : undefined);
  }

  override async deleteResource(resourceType: string, id: string): Promise<void> {
    if (!this.#versions.has(resourceType, id)) {
      const isDone = this.#quirks.deleteUnknown === 200 || this.#versions.versions(resourceType, id).length > 0;
      if (isDone) return;
      throw new OperationOutcomeError(notFound);
    }
    if (this.#quirks.referentialIntegrity) this.#refuseDangling(`${resourceType}/${id}`);
    this.#versions.delete(resourceType, id);
    this.#cached.delete(`${resourceType}/${id}`);
  }

  override async readResource<T extends Resource>(resourceType: string, id: string): Promise<WithId<T>> {
    const cached = this.#cached.get(`${resourceType}/${id}`);
    return cached ? (copyJson(cached) as WithId<T>) : this.readCurrent<T>(resourceType, id);
  }

  /** The resource as it is. */
  async readCurrent<T extends Resource>(resourceType: string, id: string): Promise<WithId<T>> {
    return copyJson(this.#versions.get(resourceType, id)) as WithId<T>;
  }

  override async readReference<T extends Resource>(reference: Reference<T>): Promise<WithId<T>> {
    const [type = '', id = ''] = reference.reference?.split('/') ?? [];
    return this.readResource<T>(type, id);
  }

  override async readReferences<T extends Resource>(references: readonly Reference<T>[]): Promise<(T | Error)[]> {
    return Promise.all(references.map((reference) => this.readReference<T>(reference).catch((error: Error) => error)));
  }

  override async readHistory<T extends Resource>(resourceType: string, id: string): Promise<Bundle<WithId<T>>> {
    const versions = this.#versions.versions(resourceType, id).toReversed();
    if (versions.length === 0) throw new OperationOutcomeError(notFound);
    const fullUrl = `${this.#base}/${resourceType}/${id}`;
    const entry = versions.map((resource) => ({ fullUrl, resource: copyJson(resource) as WithId<T> }));
    return { resourceType: 'Bundle', type: 'history', total: versions.length, entry };
  }

  override async readVersion<T extends Resource>(resourceType: string, id: string, vid: string): Promise<WithId<T>> {
    const version = this.#versions.versions(resourceType, id).find(({ meta }) => meta?.versionId === vid);
    if (!version) throw new OperationOutcomeError(notFound);
    return copyJson(version) as WithId<T>;
  }

  override async search<T extends Resource>(request: SearchRequest<T>): Promise<Bundle<WithId<T>>> {
    refuseUnknown(request);
    const { offset = 0, count = 1, sortRules = [] } = request;
    // What a sort leaves open has an order of its own on each page that is asked for by `_offset`, as databases have it.
    const isReversed = sortRules.length > 0 && Math.floor(offset / Math.max(count, 1)) % 2 === 1;
    const filters = this.#quirks.anyCaseIds ? request.filters?.map(lowerIds) : undefined;
    const asked = filters ? { ...request, filters } : request;
    const bundle = await this.#buildBundle(asked, isReversed, (offset, count) => {
      if (this.#quirks.nextLinks === 'offset' || request.offset !== undefined) {
        return `${this.#linkBase}/${request.resourceType}${formatSearchQuery({ ...request, offset, count })}`;
      }
      const key = randomUUID();
      this.#searches.set(key, request);
      return this.#formatPageUrl(key, offset, count);
    });
    return bundle as Bundle<WithId<T>>;
  }

  /** A further page of a search whose state this server keeps; gone when it does not any more. */
  async readPage(key: string, offset: number, count: number): Promise<Bundle> {
    const request = this.#searches.get(key);
    if (!request) throw new OperationOutcomeError(gone);
    return this.#buildBundle({ ...request, offset, count }, false, (next) => this.#formatPageUrl(key, next, count));
  }

  /** What HAPI does with the state of searches after an hour. */
  forgetSearches(): void {
    this.#searches.clear();
  }

  override async searchByReference<T extends Resource>(): Promise<Record<string, WithId<T>[]>> {
    throw new OperationOutcomeError(badRequest('GraphQL is not supported'));
  }

  override async withTransaction<R>(callback: (repo: this) => Promise<R>): Promise<R> {
    if (this.#unchecked) return callback(this);
    const before = this.#versions.snapshot();
    this.#unchecked = new Set();
    try {
      const result = await callback(this);
      for (const reference of this.#unchecked) this.#refuseMissing(reference);
      return result;
    } catch (error) {
      this.#versions.restore(before);
      throw error;
    } finally {
      this.#unchecked = undefined;
    }
  }

  #buildBundle(
    request: SearchRequest,
    isReversed: boolean,
    nextUrl: (offset: number, count: number) => string,
  ): Promise<Bundle> {
    const all = [...this.#versions.current(request.resourceType)];
    const rows = findRows(isReversed ? all.reverse() : all, request);
    return buildSearchBundle(this, rows, request, this.#base, this.#quirks, nextUrl);
  }

  /** The base URL as `next` links show it. */
  get #linkBase(): string {
    const { nextHost } = this.#quirks;
    return nextHost === undefined ? this.#base : this.#base.replace(new URL(this.#base).origin, nextHost);
  }

  #formatPageUrl(key: string, offset: number, count: number): string {
    return `${this.#linkBase}?_getpages=${key}&_getpagesoffset=${offset}&_count=${count}&_bundletype=searchset`;
  }

  #write<T extends Resource>(resource: WithId<T>): WithId<T> {
    // The package refuses base64 beyond 1 MiB, which no server does to the content of a file.
    if (resource.resourceType !== 'Binary') validateResource(resource);
    if (resource.meta?.tag?.some(({ code }) => code === 'SUBSETTED')) {
      throw new OperationOutcomeError({ ...badRequest('HAPI-0484: the resource is a subset'), id: 'business-rule' });
    }
    if (this.#quirks.referentialIntegrity) {
      for (const reference of findReferences(resource)) {
        if (this.#unchecked) this.#unchecked.add(reference);
        else this.#refuseMissing(reference);
      }
    }
    this.#cached.delete(`${resource.resourceType}/${resource.id}`);
    return copyJson(this.#versions.put(resource)) as WithId<T>;
  }

  #checkVersion(resource: Stored, version: string | undefined): void {
    if (version !== undefined && version !== resource.meta?.versionId) this.#refuseStale();
  }

  #refuseStale(): never {
    const stale = this.#quirks.versionConflict === 409 ? conflict('HAPI-0989: version conflict') : preconditionFailed;
    throw new OperationOutcomeError(stale);
  }

  #refuseMissing(reference: string): void {
    const [type = '', id = ''] = reference.split('/');
    if (this.#versions.has(type, id)) return;
    const outcome = badRequest('HAPI-1094: resource not found, specified in a reference');
    throw new OperationOutcomeError({ ...outcome, issue: [{ ...outcome.issue[0]!, code: 'processing' }] });
  }

  #refuseDangling(reference: string): void {
    for (const type of this.#versions.types) {
      for (const resource of this.#versions.current(type)) {
        if (this.#listReferences(resource).has(reference)) {
          throw new OperationOutcomeError(conflict('HAPI-0550: the resource is referenced'));
        }
      }
    }
  }

  #listReferences(resource: Stored): ReadonlySet<string> {
    const references = this.#references.get(resource) ?? findReferences(resource);
    this.#references.set(resource, references);
    return references;
  }
}

const lowerIds = (filter: Filter): Filter =>
  filter.code === '_id' ? { ...filter, value: lowerUuids(filter.value) } : filter;
