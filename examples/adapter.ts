import { z } from 'zod';
import { adapter } from '../adapters/adapter.ts';
import { type Call, Failure } from '../src/ports/index.ts';

const people = z.array(
  z.object({
    code: z.string(),
    given: z.string(),
    family: z.string(),
    sex: z.enum(['F', 'M', 'X']),
    born: z.iso.date(),
    dni: z.string(),
  }),
);
const doctors = z.array(z.object({ code: z.string(), name: z.string(), specialty: z.string() }));
const genders = { F: 'Female', M: 'Male', X: 'Other' } as const;

/** A clinic whose own system answers JSON over HTTP. It offers one patient, and all practitioners. */
export const clinic = adapter({
  settings: z.strictObject({
    url: z.url().meta({ description: 'Address of the clinic’s system, with a slash at its end.' }),
  }),
  offer: ({ url }) => ({
    patients: {
      get: async (id, call) => {
        const [person] = await read(new URL(`people?${new URLSearchParams({ code: id })}`, url), people, call);
        if (person?.code !== id) throw new Failure('not_found', 'there is no such patient');
        return {
          id,
          name: person.given,
          lastName: person.family,
          gender: genders[person.sex],
          birthDate: person.born,
          identifier: { type: 'DNI', value: person.dni },
          medicalRecordId: '',
          phone: '',
          email: '',
          active: true,
          address: {},
        };
      },
    },
    practitioners: {
      list: async (call) =>
        (await read(new URL('doctors', url), doctors, call)).map(({ code, name, specialty }) => ({
          id: code,
          name,
          specialty,
          email: '',
          phone: '',
          workingHours: '',
          location: '',
          available: true,
        })),
    },
  }),
});

/** What the clinic's system answers, checked. */
async function read<T>(url: URL, schema: z.ZodType<T>, { signal, requestId }: Call): Promise<T> {
  let body: unknown;
  try {
    const response = await fetch(url, { signal, headers: { 'X-Request-Id': requestId } });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    body = await response.json();
  } catch (cause) {
    if (signal.aborted) throw new Failure('timeout', 'the clinic’s system did not answer in time');
    throw new Failure('unavailable', 'the clinic’s system cannot be reached, or fails', { cause });
  }
  const answer = schema.safeParse(body);
  if (!answer.success) throw new Failure('bad_answer', 'the clinic’s system answered what is not documented');
  return answer.data;
}
