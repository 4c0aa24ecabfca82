import { z } from 'zod';
import { mappingSchema } from './schema.ts';

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
