import { z } from 'zod';
import { http, httpChange, httpQuestion } from '../sources/http/schema.ts';
import { database, sqlChange, sqlQuestion } from '../sources/sql/schema.ts';
import {
  type Conversion,
  codes,
  type FieldMapping,
  type FieldMappings,
  field,
  findInner,
  findMapping,
  toConversion,
} from './field.ts';
import type { Name } from './names.ts';
import { type ChangeOf, type QuestionOf, type ThingName, things } from './things.ts';

/** The schema of the fields of a record, each of which is a field, or has fields itself. */
function createFields(record: z.ZodObject): z.ZodType<FieldMappings> {
  const entries = Object.entries(record.shape).map(([name, schema]) => {
    const inner = findInner(schema);
    return [name, (inner ? createFields(inner.record) : field).optional()];
  });
  return z.strictObject(Object.fromEntries(entries)) as unknown as z.ZodType<FieldMappings>;
}

const question = sqlQuestion.or(httpQuestion);
const change = sqlChange.or(httpChange);

type Question = z.output<typeof question>;
type Change = z.output<typeof change>;

/** What a file says of a thing. */
export type Section<T extends ThingName> = {
  readonly select?: string | undefined;
  readonly fields: FieldMappings;
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

/** The JSON Schema of a mapping file, by which editors complete and check it. */
export const createJsonSchema = (): object =>
  z.toJSONSchema(mappingSchema, {
    io: 'input',
    reused: 'ref',
    override: ({ zodSchema, jsonSchema }) => {
      // Editors would find fault with keys such as 1, which are texts here.
      delete jsonSchema.propertyNames;
      // Notes for the gateway, no words of JSON Schema.
      for (const note of ['file', 'certificates', 'address']) delete jsonSchema[note];
      if (zodSchema instanceof z.ZodDiscriminatedUnion) branchByKind(zodSchema, jsonSchema);
    },
  });

/** Of several kinds editors check the one that is named, and not which of all fits best. */
function branchByKind({ options }: z.ZodDiscriminatedUnion, jsonSchema: z.core.JSONSchema.BaseSchema): void {
  const all = (jsonSchema.oneOf ?? []).map((branch, i) => {
    const { kind } = (options[i] as z.ZodObject).shape;
    const isDefault = kind instanceof z.ZodDefault;
    const literal = isDefault ? kind.unwrap() : kind;
    return { name: literal instanceof z.ZodLiteral ? String(literal.value) : '', isDefault, branch };
  });
  delete jsonSchema.oneOf;
  jsonSchema.type = 'object';
  jsonSchema.properties = { kind: { enum: all.map(({ name }) => name) } };
  jsonSchema.allOf = all.map(({ name, isDefault, branch }) => ({
    if: { properties: { kind: { const: name } }, ...(!isDefault && { required: ['kind'] }) },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema.
    then: branch,
  }));
}

/** Whose way of writing a field has that the file does not have. */
export const standIns: Readonly<Record<string, string>> = {
  'slots.number': 'slots.id',
  'slots.start': 'taken.start',
  'slots.scheduleId': 'schedules.id',
  'slots.modality': 'schedules.modality',
  'exceptions.firstDay': 'exceptions.start',
};

/** The field in whose way of writing a `:name` is sent; undefined when the file does not say it. */
export function findWritten(file: MappingFile, { field }: Name): Conversion | undefined {
  const [found] = [field, standIns[field] ?? ''].flatMap((each) => {
    const [thing = '', ...path] = each.split('.');
    const section = file[thing as ThingName];
    return (section && findMapping(section.fields, path)) ?? [];
  });
  return found === undefined ? undefined : toConversion(found as FieldMapping);
}
