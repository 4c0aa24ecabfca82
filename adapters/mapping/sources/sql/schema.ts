import { z } from 'zod';
import { secretReference } from '../../../../src/toolkit/secret.ts';
import { charset } from '../../../common/charset.ts';
import { meanings, mostRecords } from '../source.ts';

const word = z.string().regex(/^[A-Za-z]\w*$/, 'must be a name such as firstSlotId');
const sql = z.string().trim().min(1);

/** A question that `select` and `keys` cannot express. */
export const sqlQuestion = sql.meta({
  description: 'A whole statement with `:names`, for what `select`, `where` and `keys` cannot say.',
});

const step = z
  .strictObject({
    sql: sql.meta({ description: 'One statement with `:names`.' }),
    mustChange: z.int().min(1).optional().meta({
      description: 'So many rows at least; with fewer the whole change is undone, and means what `else` says.',
    }),
    changes: z.int().min(1).optional().meta({
      description: 'So many rows at most; with more the whole change is undone, and fails. 1 when it is left out.',
    }),
    else: z.enum(meanings).optional().meta({
      description: 'Outcome if too few rows changed, or if the row exists already (a unique key).',
    }),
    as: word.optional().meta({
      description:
        'The `:name` of the id that the statement made: the first column of RETURNING (OUTPUT), or the number of the new row.',
    }),
  })
  .refine((given) => given.mustChange === undefined || given.else !== undefined, {
    path: ['else'],
    message: 'is required beside mustChange: what does it mean when too few rows were changed, e.g. slot_taken?',
  });
export type SqlStep = z.output<typeof step>;

/** A change in a database: one transaction. */
export const sqlChange = z
  .strictObject({
    steps: z.array(step).min(1).optional().meta({ description: 'Statements, one after the other.' }),
    forEachSlot: z.array(step).min(1).optional().meta({
      description: 'Statements for each slot of a booking, after `steps`. Slots are taken in the order of their ids.',
    }),
    id: word.optional().meta({ description: 'The `:name` of the id of what was made.' }),
  })
  .refine(({ steps, forEachSlot }) => steps || forEachSlot, 'has no steps: add one');
export type SqlChange = z.output<typeof sqlChange>;

const common = {
  remember: z
    .string()
    .regex(/^\w+(\.\w+)?$/, 'must be the name of a table')
    .optional()
    .meta({ description: 'Our table for the keys of writes.' }),
  timeout: z.int().min(100).max(60_000).default(5_000).meta({
    description: 'Milliseconds that one statement may take, or wait for a lock.',
  }),
  records: mostRecords,
};
const server = {
  ...common,
  charset: charset.optional().meta({
    description: 'How texts in binary columns are encoded that are no UTF-8; others the database converts itself.',
  }),
  url: secretReference.meta({ description: 'Where the address is, with its password: `env:NAME` or `file:/path`.' }),
  connections: z.int().min(1).max(100).default(8).meta({ description: 'Most connections at once.' }),
};

/** The database of a system. */
export const database = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('sqlite'),
      file: z.string().min(1).meta({ file: true, description: 'The path of the file.' }),
      ...common,
    }),
    z.strictObject({ kind: z.literal('postgres'), ...server }),
    z.strictObject({ kind: z.literal('mysql'), ...server }).meta({ description: 'MySQL, or MariaDB.' }),
    z.strictObject({ kind: z.literal('sqlserver'), ...server }).meta({ description: 'Microsoft SQL Server.' }),
    z
      .strictObject({
        kind: z.literal('other'),
        driver: z
          .string()
          .min(1)
          .meta({ file: true, description: 'The module of its driver, which exports `openDriver`.' }),
        ...server,
      })
      .meta({ description: 'Another database, by a driver of your own, e.g. Oracle.' }),
  ])
  .meta({ description: 'How the database of the system is reached.' });
export type SystemDatabase = z.output<typeof database>;
