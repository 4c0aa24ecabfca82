import type { z } from 'zod';
import { patientId } from './ids.ts';
import type { AnyInput, Operation } from './operation.ts';

/** A field of a request that has the id of a patient. */
export type PatientField = readonly [part: keyof AnyInput, name: string];

/** The fields that are declared as the id of a patient. */
export function findPatientFields({ params, query, body }: Operation): readonly PatientField[] {
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
