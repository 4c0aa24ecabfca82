import { z } from 'zod';
import { mappingSchema } from './schema.ts';

/** The JSON Schema of a mapping file, by which editors complete and check it. */
export const createJsonSchema = (): object =>
  z.toJSONSchema(mappingSchema, {
    io: 'input',
    reused: 'ref',
    // Editors would find fault with keys such as 1, which are texts here.
    override: ({ jsonSchema }) => {
      delete jsonSchema.propertyNames;
      // Notes for the gateway, no words of JSON Schema.
      for (const note of ['file', 'certificates', 'address']) delete jsonSchema[note];
    },
  });
