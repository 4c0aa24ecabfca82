import type { Call, OmittedRecord } from '../ports/index.ts';

/**
 * The records that the result of a call omits, without duplicates. Several requests of one call may find the same
 * record.
 */
export class Omissions {
  /** In the order of the reports. The id is separate from the record, so a log line of the record has no id. */
  readonly list: { readonly record: OmittedRecord; readonly id: string | undefined }[] = [];
  readonly #known = new Set<unknown>();

  /** See `Call.omit`. */
  readonly add: Call['omit'] = (record, id) => {
    const key = typeof id === 'string' ? `${record.resourceType}/${id}` : id;
    if (key !== undefined && this.#known.has(key)) return;
    this.#known.add(key);
    this.list.push({ record, id: typeof id === 'string' ? id : undefined });
  };
}
