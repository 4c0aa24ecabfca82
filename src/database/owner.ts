import type { RunQuery } from './database.ts';

/** The institution whose gateway opens a database, according to its configuration. */
export interface Owner {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

/** The content belongs to another institution. */
export class WrongOwner extends Error {
  override readonly name = 'WrongOwner';
  /** The repair, without the place of the setting: `belongs to the institution norte, and ...`. */
  readonly problem: string;

  constructor(owner: string, given: string | undefined) {
    super('the content belongs to another institution');
    const other = given === undefined ? 'this gateway has no institution.name' : `this gateway is of ${given}`;
    this.problem = `belongs to the institution ${owner}, and ${other}: give each institution a database or schema of its own; if it is the same one under another name, set institution.id to ${owner}`;
  }
}

/**
 * The id of an institution, or the one derived from its name: `Clínica del Norte` is `clinica-del-norte`, however it is
 * accented, capitalized and punctuated. Undefined without both.
 */
export function findOwnerId({ id, name = '' }: Owner): string | undefined {
  const words = name
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  return id ?? words?.join('-');
}

const OWNER = 'owner';

/**
 * Gives a content without an owner to this institution, of several at the same moment to one. An institution without id and
 * name takes none.
 * @param table has the columns `name` and `value`.
 * @throws WrongOwner when the content belongs to another one.
 */
export async function claimContent(query: RunQuery, table: string, given: Owner): Promise<void> {
  const id = findOwnerId(given);
  if (id !== undefined) {
    await query(`INSERT INTO ${table} (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, [
      OWNER,
      Buffer.from(id),
    ]);
  }
  const [row] = await query(`SELECT value FROM ${table} WHERE name = $1`, [OWNER]);
  const value: unknown = row && Reflect.get(row, 'value');
  const owner = value instanceof Uint8Array ? Buffer.from(value).toString() : id;
  if (owner !== undefined && owner !== id) throw new WrongOwner(owner, id);
}
