import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { type Call, Failure, type PortName } from '../../../src/ports/index.ts';
import { listen } from '../listen.ts';
import { openSandbox } from '../sandbox.ts';

/** What is asked of the system, and what comes with it. */
export interface Asked {
  readonly given: readonly unknown[];
  readonly call: Pick<Call, 'now' | 'client' | 'idempotencyKey' | 'ifMatch'>;
}

/**
 * A system over HTTP that has the sandbox hospital: a path for each method of the ports, below one for each hospital. It
 * wants a login, and knows the keys of writes but for those of bookings and tickets.
 */
export async function startLegacySystem() {
  const hospitals = new Map<string, ReturnType<typeof openSandbox>>();
  const server = createServer({ maxHeaderSize: 1 << 18 }, async (request, response) => {
    const url = new URL(request.url ?? '', 'http://system');
    const [, hospital = '', port = '', method = ''] = url.pathname.split('/');
    const reply = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const asked = (
      request.method === 'GET' ? JSON.parse(url.searchParams.get('asked') ?? '{}') : await json(request)
    ) as Asked;
    if (port === 'login') return reply(200, { token: `token of ${hospital}` });
    if (request.headers.authorization !== `Bearer token of ${hospital}`) return reply(401, {});
    const ports = hospitals.get(hospital) ?? openSandbox();
    hospitals.set(hospital, ports);
    const work: unknown = Reflect.get(ports[port as PortName], method);
    if (typeof work !== 'function') return reply(404, {});
    const { signal } = new AbortController();
    const call: Call = { requestId: 'system', signal, omit: () => {}, ...asked.call };
    try {
      reply(200, { answer: await Reflect.apply(work, ports[port as PortName], [...asked.given, call]) });
    } catch (error) {
      if (!(error instanceof Failure)) return reply(500, {});
      const { kind, message, code, at } = error;
      reply(409, { kind, message, code, at });
    }
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) };
}
