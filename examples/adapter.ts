import { z } from 'zod';
import { adapter } from '../adapters/adapter.ts';
import { createHttpClient } from '../src/http-client/axios.ts';
import { toNetworkFailure } from '../src/http-client/failures.ts';
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
    url: z.url().meta({ description: 'Address of the clinic’s system.' }),
  }),
  offer: ({ url }) => {
    const http = createHttpClient({ base: url, timeout: 5_000, maxBytes: 1_000_000, tls: {} });

    /** What the clinic’s system answers, checked. */
    async function read<T>(path: string, params: object, schema: z.ZodType<T>, call: Call): Promise<T> {
      const { signal, requestId } = call;
      const { data } = await http
        .get<unknown>(path, { params, signal, headers: { 'X-Request-Id': requestId } })
        .catch((error: unknown) => {
          throw toNetworkFailure(error, false);
        });
      const answer = schema.safeParse(data);
      if (!answer.success) throw new Failure('bad_answer', 'the clinic’s system answered what is not documented');
      return answer.data;
    }

    return {
      patients: {
        get: async (id, call) => {
          const [person] = await read('people', { code: id }, people, call);
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
          (await read('doctors', {}, doctors, call)).map(({ code, name, specialty }) => ({
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
    };
  },
});
