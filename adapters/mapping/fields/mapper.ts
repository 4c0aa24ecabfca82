import type { Call } from '../../../src/ports/index.ts';
import type { Zone } from '../../../src/toolkit/zone.ts';
import type { Name } from '../file/names.ts';
import type { MappingFile } from '../file/schema.ts';
import type { RecordOf, ThingName } from '../file/things.ts';
import type { SourceRecord, Values } from '../sources/source.ts';

/** Between the records of a system and those of the ports. */
export interface Mapper {
  /**
   * The records as the ports use them. Rows with one id are one record, whose lists merge in their order; an entry of a
   * list without id is none. `call.omit` tells each one that does not fit.
   * @throws Failure bad_answer when there were records and none fits.
   */
  read<T extends ThingName>(
    thing: T,
    records: readonly SourceRecord[],
    call: Pick<Call, 'omit' | 'identifyOmitted'>,
  ): readonly RecordOf<T>[];
  /**
   * What stands behind the `:names`, in every way in which the institution may write it, the first one to be written.
   * Undefined when what is asked for cannot exist there: an id that is no number where the file says `numeric`, a word
   * without a code.
   */
  toValues(names: Readonly<Record<string, Name>>, given: Readonly<Record<string, unknown>>): Values | undefined;
}

/** Compiles all fields of the file once. Times are those of the zone. */
export function createMapper(_file: MappingFile, _zone: Zone): Mapper {
  return { read: () => [], toValues: () => ({}) };
}
