import type { z } from 'zod';
import { patientId } from './ids.ts';
import type { AnyInput, Operation } from './operation.ts';

/** A field of a request that has the id of a patient. */
type PatientField = readonly [part: keyof AnyInput, name: string];

const fieldsOf = new WeakMap<Operation, readonly PatientField[]>();

/** The ids of the patients whom a request names, each once: in the fields that are declared as the id of one. */
export function listPatients(operation: Operation, input: AnyInput): readonly string[] {
  const fields = fieldsOf.get(operation) ?? findPatientFields(operation);
  fieldsOf.set(operation, fields);
  const ids = fields.map(([part, name]) => Reflect.get(Object(input[part]), name) as unknown);
  return [...new Set(ids.filter((id): id is string => typeof id === 'string'))];
}

function findPatientFields({ params, query, body }: Operation): PatientField[] {
  const parts = Object.entries({ params, query, body }) as [keyof AnyInput, z.core.$ZodType | undefined][];
  return parts.flatMap(([part, schema]) => {
    const shape = (schema?._zod.def as { readonly shape?: Readonly<Record<string, z.core.$ZodType>> } | undefined)
      ?.shape;
    const named = Object.entries(shape ?? {}).filter(([, field]) => unwrap(field) === patientId);
    return named.map(([name]): PatientField => [part, name]);
  });
}

/** What may be left out. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as { readonly innerType?: z.core.$ZodType };
  return innerType ? unwrap(innerType) : schema;
}
