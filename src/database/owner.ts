import type { RunQuery } from './database.ts';

/** The institution whose gateway opens a database, according to its configuration. */
export interface Owner {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

/** The content belongs to another institution. */
export class WrongOwner extends Error {
  override readonly name = 'WrongOwner';
  /** The problem and the next step, without the place of the setting: `belongs to the institution norte, and ...`. */
  readonly problem: string;

  constructor(owner: string, given: string | undefined) {
    super('the content belongs to another institution');
    const other = given === undefined ? 'this gateway has no institution.name' : `this gateway belongs to ${given}`;
    this.problem = `belongs to the institution ${owner}, and ${other}: give each institution its own database or schema, or set institution.id to ${owner} if only the name changed`;
  }
}

/**
 * The id of an institution, or an id derived from its name: `Clínica del Norte` is `clinica-del-norte`, with any
 * accents, capitals and punctuation. Undefined without both.
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
 * Assigns content without an owner to this institution. Of several parallel institutions, one gets it. An institution
 * without id and name claims none.
 * @param table has the columns `name` and `value`.
 * @throws WrongOwner if the content belongs to another institution.
 */
export async function claimContent(query: RunQuery, table: string, given: Owner): Promise<void> {
  const id = findOwnerId(given);
  if (id !== undefined) {
    await query(`INSERT INTO ${table} (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, [
      OWNER,
      Buffer.from(id),
    ]);
  }
  await requireOwner(query, table, given);
}

/** @throws WrongOwner if the content of the table belongs to another institution. Content without an owner does not. */
export async function requireOwner(query: RunQuery, table: string, given: Owner): Promise<void> {
  const id = findOwnerId(given);
  const [row] = await query(`SELECT value FROM ${table} WHERE name = $1`, [OWNER]);
  const value: unknown = row && Reflect.get(row, 'value');
  const owner = value instanceof Uint8Array ? Buffer.from(value).toString() : id;
  if (owner !== undefined && owner !== id) throw new WrongOwner(owner, id);
}
