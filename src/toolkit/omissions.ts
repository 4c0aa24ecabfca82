import type { Call, OmittedRecord } from '../ports/index.ts';

/** The records that a call was answered without, each once: several questions of one call may find the same record. */
export class Omissions {
  /** In the order in which they were left out. An id stands beside its record, so that it gets into no log with it. */
  readonly list: { readonly record: OmittedRecord; readonly id: string | undefined }[] = [];
  readonly #known = new Set<unknown>();

  /** As `Call.omit`. */
  readonly add: Call['omit'] = (record, id) => {
    const key = typeof id === 'string' ? `${record.resourceType}/${id}` : id;
    if (key !== undefined && this.#known.has(key)) return;
    this.#known.add(key);
    this.list.push({ record, id: typeof id === 'string' ? id : undefined });
  };
}
