import { type Call, Failure, type z } from 'puente/adapter';
import type { Row } from './clinic.ts';

/** What a row of a table means to the ports. */
export interface Mapping<T> {
  readonly table: string;
  readonly key: string;
  /** Its own keys are columns, so that a row which does not fit names its column. */
  readonly schema: z.ZodType<T>;
}

/** Those of the rows that can be read. The others take none with them: they are left out, and told. */
export const readRows = <T>({ table, key, schema }: Mapping<T>, rows: readonly Row[], call: Call): T[] =>
  rows.flatMap((row) => {
    const read = schema.safeParse(row);
    if (read.success) return [read.data];
    call.omit({ resourceType: table, element: String(read.error.issues[0]?.path[0] ?? key) }, String(row[key]));
    return [];
  });

/** The row that was asked for. @throws Failure bad_answer when it cannot be read. */
export function readRow<T>({ table, schema }: Mapping<T>, row: Row | undefined): T | undefined {
  if (row === undefined) return undefined;
  const read = schema.safeParse(row);
  if (read.success) return read.data;
  throw new Failure('bad_answer', `a row of ${table} does not match in ${String(read.error.issues[0]?.path[0])}`);
}
