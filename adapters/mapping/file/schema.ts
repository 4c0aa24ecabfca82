import { z } from 'zod';
import { http, httpChange, httpQuestion } from '../sources/http/schema.ts';
import { database, sqlChange, sqlQuestion } from '../sources/sql/schema.ts';
import { type ChangeOf, type QuestionOf, type ThingName, things } from './things.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const path = z.string().min(1);
const codes = z.record(z.string(), scalar);

/** How a field is read of a record, and written back. */
const conversion = z.strictObject({
  from: path.or(z.array(path).min(1)).optional().meta({ description: 'Column or element; several are joined.' }),
  join: z.string().optional().meta({ description: 'What stands between several; a blank when it is left out.' }),
  before: path.optional().meta({ description: 'Only what stands before this text.' }),
  after: path.optional().meta({ description: 'Only what stands after this text.' }),
  split: path.optional().meta({ description: 'A list in one text, by this separator.' }),
  format: path.optional().meta({ description: 'How days and times are written: yyyy MM dd HH mm ss.' }),
  codes: z
    .union([path, codes])
    .optional()
    .meta({ description: 'Code of the system to word of Puente, both ways. A name stands for one of `codes`.' }),
  none: z.array(scalar).optional().meta({ description: 'Values that mean that nothing is there, e.g. 0 or 999.' }),
  numeric: z
    .boolean()
    .optional()
    .meta({ description: 'A whole number; an id that is none matches nobody, and is not asked for.' }),
  digits: z.int().positive().optional().meta({ description: 'Written with zeros in front, to this many digits.' }),
  encode: z.boolean().optional().meta({ description: 'An id such as 1234/5, made fit for the path of a URL.' }),
  value: scalar.optional().meta({ description: 'Always this.' }),
  expression: z.string().optional().meta({ description: 'CEL over `record`, for what no other key can say.' }),
});
const field = path.or(conversion).meta({ id: 'Field' });

export type Conversion = z.output<typeof conversion>;
export type FieldMapping = string | Conversion;
/** Fields by their names in the port; of an address and of lists, fields of fields. */
export interface Fields {
  readonly [name: string]: FieldMapping | Fields;
}

/** A schema without `optional`, `nullable`, `default` and what is done to it afterwards. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrap(schema.unwrap());
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  return schema instanceof z.ZodUnion ? unwrap(schema.options[0]!) : schema;
}

/** The schema of the fields of a record, each of which is a field, or has fields itself. */
function createFields(record: z.ZodObject): z.ZodType<Fields> {
  const entries = Object.entries(record.shape).map(([name, schema]) => {
    const kind = unwrap(schema);
    const inner = kind instanceof z.ZodArray ? unwrap(kind.element) : kind;
    return [name, (inner instanceof z.ZodObject ? createFields(inner) : field).optional()];
  });
  return z.strictObject(Object.fromEntries(entries)) as unknown as z.ZodType<Fields>;
}

const question = z.union([sqlQuestion, httpQuestion]);
const change = z.union([httpChange, sqlChange]);

type Question = z.output<typeof question>;
type Change = z.output<typeof change>;

/** What a file says of a thing. */
export type Section<T extends ThingName> = {
  readonly select?: string | undefined;
  readonly fields: Fields;
} & { readonly [Q in QuestionOf<T>]?: Question | undefined } & { readonly [C in ChangeOf<T>]?: Change | undefined };

const createSection = <T extends ThingName>(name: T): z.ZodType<Section<T>> => {
  const { about, record, questions, changes } = things[name];
  const all = (names: object, schema: z.ZodType) =>
    Object.fromEntries(Object.keys(names).map((each) => [each, schema.optional()]));
  return z
    .strictObject({
      select: z.string().optional().meta({ description: 'SQL that stands before each question of this thing.' }),
      ...all(questions, question),
      ...all(changes, change),
      fields: createFields(record),
    })
    .meta({ description: about }) as unknown as z.ZodType<Section<T>>;
};

const sections = Object.fromEntries(
  Object.keys(things).map((name) => [name, createSection(name as ThingName).optional()]),
) as { readonly [T in ThingName]: z.ZodOptional<z.ZodType<Section<T>>> };

/** A mapping file. */
export const mappingSchema = z.strictObject({
  system: z.string().min(1).meta({ description: 'What the system is called in logs.' }),
  database: database.optional(),
  http: http.optional(),
  rules: z
    .strictObject({
      cancelUntilHours: z.number().nonnegative().default(0).meta({
        description: 'How many hours before its start an appointment can still be canceled.',
      }),
      institutionId: z.string().min(1).optional().meta({
        description: 'The id by which callers ask for the carriers that the institution has a contract with.',
      }),
    })
    .prefault({})
    .meta({ description: 'Rules of the institution.' }),
  codes: z
    .record(z.string(), codes)
    .default({})
    .meta({ description: 'Tables of codes: the system’s to Puente’s words. The first code of a word is written.' }),
  ...sections,
});

export type MappingFile = z.output<typeof mappingSchema>;
