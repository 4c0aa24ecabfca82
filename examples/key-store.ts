// An adapter for a system over HTTP that knows no keys of writes: a store beside it keeps them. docs/tutorials/adapters.md explains it.
import {
  adapter,
  badAnswer,
  type Call,
  createHttpClient,
  createPromisedFailure,
  Failure,
  keyStoreSettings,
  openKeyStore,
  parseJsonObject,
  toNetworkFailure,
  z,
} from 'puente/adapter';

const found = z.object({ turnos: z.array(z.object({ nro: z.string() })) });

export default adapter({
  settings: z.object({ url: z.url(), keys: keyStoreSettings }),
  offer: async (settings, institution) => {
    const http = createHttpClient({ base: settings.url, timeout: 5_000, maxBytes: 1_000_000, tls: {} });
    const keys = await openKeyStore(settings.keys, 'keys', institution);
    const send = async ({ signal, requestId }: Call, method: 'GET' | 'POST', url: string, body = {}) => {
      const [isWrite, headers] = [method === 'POST', { 'X-Request-Id': requestId }];
      const data = isWrite ? Buffer.from(JSON.stringify(body)) : undefined;
      const answer = await http.request<Buffer>({ method, url, headers, data, signal }).catch((error: unknown) => {
        throw toNetworkFailure(error, isWrite);
      });
      if (isWrite && answer.status === 409) throw createPromisedFailure('slot_taken');
      if (answer.status !== 200) {
        const cause = { code: `HTTP_${answer.status}` };
        throw new Failure(isWrite ? 'outcome_unknown' : 'unavailable', 'the system fails', { cause });
      }
      const read = found.safeParse(parseJsonObject(answer.data, String(answer.headers['content-type'])));
      if (!read.success) throw badAnswer('turnos');
      return read.data.turnos;
    };
    return {
      appointments: {
        book: async (paciente, booking, call) => {
          const wanted = { paciente, inicio: booking.start };
          const id = await keys.once(call, {
            content: ['book', paciente, booking],
            write: async () => {
              const [made] = await send(call, 'POST', 'turnos', wanted);
              if (!made) throw badAnswer('turnos');
              return made.nro;
            },
            find: async () => (await send(call, 'GET', `turnos?${new URLSearchParams(wanted)}`))[0]?.nro,
          });
          return { id };
        },
      },
      retryableWrites: ['appointments.book'],
      close: () => keys.close(),
    };
  },
});
