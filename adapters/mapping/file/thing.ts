import type { z } from 'zod';
import type { Name } from './names.ts';

/** A kind of record that the institution has: what Puente makes of it, what may be asked, and what may be changed. */
export interface Thing {
  readonly about: string;
  /** One record, as the ports use it. */
  readonly record: z.ZodObject;
  /** Several records may have one id, so that rows with one are no single record. */
  readonly sharesIds?: true;
  /**
   * What stands for each field that cannot be read, so that a record closes more than it says, and never less; `undefined`
   * is for all. Without it a record that does not fit is left out.
   */
  readonly widest?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What a record is taken for that lacks something which others have. */
  readonly complete?: (draft: Readonly<Record<string, unknown>>) => object;
  /** Fields of which a file has to say one at least. */
  readonly needsOneOf?: readonly string[];
  /** The `:names` that each question may use. */
  readonly questions: Readonly<Record<string, Readonly<Record<string, Name>>>>;
  readonly changes: Readonly<Record<string, Readonly<Record<string, Name>>>>;
}

/** What is asked for as a whole, and not changed. */
export const catalogue = { questions: { all: {} }, changes: {} } as const;
