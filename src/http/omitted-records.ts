import { answersList } from '../api/index.ts';
import type { Log, OmittedRecord } from '../ports/index.ts';
import type { Step } from './request.ts';
import { addHeaders } from './send.ts';

/** The number of omitted records of one kind. */
export interface OmittedCount extends OmittedRecord {
  readonly count: number;
}

/** Records that the lists of one gateway omitted since its start. */
export class OmittedRecords {
  #counts: readonly OmittedCount[] = [];

  /** By resource type and element, in the order of first occurrence. */
  get counts(): readonly OmittedCount[] {
    return this.#counts;
  }

  /** Adds these records, and returns the number of each kind. */
  add(records: readonly OmittedRecord[]): readonly OmittedCount[] {
    if (records.length === 0) return [];
    const counts = sumByKind(records.map((record) => ({ ...record, count: 1 })));
    this.#counts = sumByKind([...this.#counts, ...counts]);
    return counts;
  }
}

const sumByKind = (counts: readonly OmittedCount[]): OmittedCount[] =>
  [...Map.groupBy(counts, ({ resourceType, element }) => `${resourceType}/${element}`).values()].flatMap((same) =>
    same.slice(0, 1).map(({ resourceType, element }) => ({
      resourceType,
      element,
      count: same.reduce((sum, { count }) => sum + count, 0),
    })),
  );

/** Reports omitted records of a list to the caller and the log. */
export const reportOmittedRecords =
  (omittedRecords: OmittedRecords, log: Log): Step =>
  (operation) =>
  (_req, { locals }, next) => {
    const { requestId, adapter, omitted = [], reply } = locals;
    for (const { resourceType, element, count } of omittedRecords.add(omitted)) {
      const { name } = operation;
      log.write('warn', 'record omitted', { requestId, operation: name, adapter, resourceType, element, count });
    }
    if (omitted.length > 0 && answersList(operation))
      locals.reply = addHeaders(reply!, { 'Puente-Omitted': String(omitted.length) });
    next();
  };
