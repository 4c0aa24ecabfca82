import { adapter, type Call, createHttpClient, Failure, type Practitioner, toNetworkFailure, z } from 'puente/adapter';

/** What the institution's own system says of somebody who treats patients. */
const row = z.object({
  code: z.string().min(1),
  name: z.string().min(1),
  specialty: z.string(),
  mail: z.string().default(''),
  active: z.boolean(),
});

/** The practitioners of an institution, of its own system over HTTP. All else answers 501 until it is offered here. */
export default adapter({
  settings: z.object({
    url: z.url().meta({ description: 'Address of the institution’s system.' }),
  }),
  offer: ({ url }) => {
    const http = createHttpClient({ base: url, timeout: 5_000, maxBytes: 1_000_000, tls: {} });

    /** What the system answers, checked. */
    async function read<T>(path: string, schema: z.ZodType<T>, { signal, requestId }: Call): Promise<T> {
      const { data } = await http
        .get<unknown>(path, { signal, headers: { 'X-Request-Id': requestId } })
        .catch((error: unknown) => {
          throw toNetworkFailure(error, false);
        });
      const answer = schema.safeParse(data);
      if (!answer.success) {
        const at = answer.error.issues[0]?.path.join('/');
        throw new Failure('bad_answer', 'the institution’s system answered something else', { at });
      }
      return answer.data;
    }

    return {
      practitioners: {
        list: async (call) => (await read('practitioners', z.array(row), call)).map(toPractitioner),
      },
    };
  },
});

const toPractitioner = ({ code, name, specialty, mail, active }: z.output<typeof row>): Practitioner => ({
  id: code,
  name,
  specialty,
  email: mail,
  phone: '',
  workingHours: '',
  location: '',
  available: active,
});
