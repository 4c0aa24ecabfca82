import { z } from 'zod';
import { http, httpChange, httpQuestion } from '../sources/http/schema.ts';
import { database, sqlChange, sqlQuestion } from '../sources/sql/schema.ts';
import { codes, type Fields, field } from './field.ts';
import { findInner } from './leaves.ts';
import { type ChangeOf, type QuestionOf, type ThingName, things } from './things.ts';

/** The schema of the fields of a record, each of which is a field, or has fields itself. */
function createFields(record: z.ZodObject): z.ZodType<Fields> {
  const entries = Object.entries(record.shape).map(([name, schema]) => {
    const inner = findInner(schema);
    return [name, (inner ? createFields(inner.record) : field).optional()];
  });
  return z.strictObject(Object.fromEntries(entries)) as unknown as z.ZodType<Fields>;
}

const question = sqlQuestion.or(httpQuestion);
const change = sqlChange.or(httpChange);

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
  http: http.optional().meta({ description: 'How the system is reached over HTTP.' }),
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
