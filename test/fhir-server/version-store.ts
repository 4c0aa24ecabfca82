import { randomUUID } from 'node:crypto';
import { gone, notFound, OperationOutcomeError, type WithId } from '@medplum/core';
import type { Resource } from '@medplum/fhirtypes';
import type { Quirks } from './quirks.ts';

export type Stored = WithId<Resource>;

/** All versions of one resource, oldest first. It is replaced and never changed, so that a snapshot may share it. */
interface Entry {
  readonly versions: readonly Stored[];
  readonly deleted: boolean;
}

/** A state to which the store can return. */
export type Snapshot = ReadonlyMap<string, ReadonlyMap<string, Entry>>;

/** Where the resources are kept, in all their versions. What it hands out belongs to it: copy before changing. */
export class VersionStore {
  readonly #quirks: Quirks;
  #entries: Map<string, Map<string, Entry>> = new Map();

  constructor(quirks: Quirks) {
    this.#quirks = quirks;
  }

  snapshot(): Snapshot {
    return copyEntries(this.#entries);
  }

  restore(snapshot: Snapshot): void {
    this.#entries = copyEntries(snapshot);
  }

  get types(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Adds a version, with an id and a time of its own. */
  put(resource: Stored): Stored {
    const { resourceType: type, id } = resource;
    const versions = this.versions(type, id);
    const versionId = this.#quirks.ids === 'uuid' ? randomUUID() : String(versions.length + 1);
    const stored = copyJson({
      ...resource,
      meta: { ...resource.meta, versionId, lastUpdated: new Date().toISOString() },
    });
    const ofType = this.#entries.get(type) ?? new Map<string, Entry>();
    this.#entries.set(type, ofType.set(id, { versions: [...versions, stored], deleted: false }));
    return stored;
  }

  delete(type: string, id: string): void {
    this.#entries.get(type)?.set(id, { versions: this.versions(type, id), deleted: true });
  }

  /** @throws OperationOutcomeError not found, or gone when it was deleted. */
  get(type: string, id: string): Stored {
    const entry = this.#find(type, id);
    const last = entry?.versions.at(-1);
    if (!entry || !last) throw new OperationOutcomeError(notFound);
    if (entry.deleted) throw new OperationOutcomeError(gone);
    return last;
  }

  has(type: string, id: string): boolean {
    return this.#find(type, id)?.deleted === false;
  }

  /** Oldest first, also of what was deleted; none when it never existed. */
  versions(type: string, id: string): readonly Stored[] {
    return this.#find(type, id)?.versions ?? [];
  }

  #find(type: string, id: string): Entry | undefined {
    return this.#entries.get(type)?.get(this.#quirks.anyCaseIds ? lowerUuids(id) : id);
  }

  /** The current resources of a type, in order of their creation. */
  *current(type: string): Iterable<Stored> {
    for (const entry of this.#entries.get(type)?.values() ?? []) {
      const last = entry.versions.at(-1);
      if (last && !entry.deleted) yield last;
    }
  }
}

const copyEntries = (entries: Snapshot): Map<string, Map<string, Entry>> =>
  new Map([...entries].map(([type, ofType]) => [type, new Map(ofType)]));

/** The text with every UUID in lower case. */
export const lowerUuids = (text: string): string =>
  text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, (uuid) => uuid.toLowerCase());

/** A copy as it would come back from JSON. */
export const copyJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));
