import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from './row.ts';

const folder = join(import.meta.dirname, 'rows');

/** The names of all rows: a file of `rows` each. */
export const listRows = (): readonly string[] =>
  readdirSync(folder)
    .map((file) => file.replace(/\.ts$/, ''))
    .toSorted();

/** The row that the file exports. */
export const loadRow = async (name: string): Promise<Row> =>
  ((await import(join(folder, `${name}.ts`))) as { readonly row: Row }).row;
