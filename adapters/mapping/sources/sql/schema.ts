import { z } from 'zod';
import { secretReference } from '../../../../src/toolkit/secret.ts';
import { charset } from '../../../common/charset.ts';
import { meanings, mostRecords } from '../source.ts';

const word = z.string().regex(/^[A-Za-z]\w*$/, 'must be a name such as firstSlotId');
const sql = z.string().trim().min(1);

/** A question that `select` and `keys` cannot express. */
export const sqlQuestion = sql.meta({
  description: 'A complete statement with `:names`, for questions that `select`, `where` and `keys` cannot express.',
});

const step = z
  .strictObject({
    sql: sql.meta({ description: 'One statement with `:names`.' }),
    mustChange: z.int().min(1).optional().meta({
      description: 'Minimum number of changed rows. With fewer, the whole change is rolled back and returns `else`.',
    }),
    changes: z.int().min(1).optional().meta({
      description: 'Maximum number of changed rows. With more, the whole change is rolled back and fails. Default: 1.',
    }),
    else: z.enum(meanings).optional().meta({
      description: 'Outcome if too few rows changed, or if the row exists already (a unique key).',
    }),
    as: word.optional().meta({
      description:
        'The `:name` for the id of the new record: the first column of RETURNING (OUTPUT), or the number of the new row.',
    }),
  })
  .refine((given) => given.mustChange === undefined || given.else !== undefined, {
    path: ['else'],
    message: 'is required with mustChange: name the outcome if too few rows change, e.g. slot_taken',
  });
export type SqlStep = z.output<typeof step>;

/** A change in a database: one transaction. */
export const sqlChange = z
  .strictObject({
    steps: z.array(step).min(1).optional().meta({ description: 'Statements in their order.' }),
    forEachSlot: z.array(step).min(1).optional().meta({
      description: 'Statements for each slot of a booking, after `steps`. Slots are taken in the order of their ids.',
    }),
    id: word.optional().meta({ description: 'The `:name` of the new record’s id.' }),
  })
  .refine(({ steps, forEachSlot }) => steps || forEachSlot, 'has no steps: add one');
export type SqlChange = z.output<typeof sqlChange>;

const common = {
  remember: z
    .string()
    .regex(/^\w+(\.\w+)?$/, 'must be the name of a table')
    .optional()
    .meta({ description: 'Table for the keys of writes.' }),
  timeout: z.int().min(100).max(60_000).default(5_000).meta({
    description: 'Timeout of one statement in milliseconds, including waits for locks.',
  }),
  records: mostRecords,
};
const server = {
  ...common,
  charset: charset.optional().meta({
    description: 'Charset of texts in binary columns if it is not UTF-8. The database converts other texts.',
  }),
  url: secretReference.meta({
    description: 'Reference to the address, with its password: `env:NAME` or `file:/path`.',
  }),
  connections: z.int().min(1).max(100).default(8).meta({ description: 'Maximum number of connections.' }),
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
          .meta({ file: true, description: 'The module of the driver, which exports `openDriver`.' }),
        ...server,
      })
      .meta({ description: 'Another database by your own driver, e.g. Oracle.' }),
  ])
  .meta({ description: 'The connection to the system’s database.' });
export type SystemDatabase = z.output<typeof database>;
