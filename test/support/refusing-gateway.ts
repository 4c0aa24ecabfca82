import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { BUSY, LIMITED } from './broken-requests.ts';
import { type RunningGateway, startGateway } from './gateway.ts';

/** A gateway that refuses the requests of `broken-requests.ts` as they say; trusts the proxy at 127.0.0.1. */
export async function startRefusing(): Promise<RunningGateway> {
  const held = Promise.withResolvers<never>();
  const gateway = await startGateway({
    environment: {
      PUENTE_HTTP_TRUSTED_PROXIES: '[127.0.0.1]',
      PUENTE_LIMITS_CLIENTS_READ_REQUESTS: '1000000',
      PUENTE_LIMITS_FAILED_TOKENS_REQUESTS: '3',
      PUENTE_GUARD_BULKHEADS_WRITE_RUNNING: '1',
      PUENTE_GUARD_BULKHEADS_WRITE_QUEUED: '0',
    },
    replacePort: (name, port) => (name === 'tickets' ? { type: () => held.promise } : port),
  });
  const { port } = new URL(gateway.url);
  const occupied = gateway.ask('POST', BUSY, {});
  occupied.catch(() => undefined);
  for (let i = 0; i < 3; i++) {
    const sent = request({ port, path: '/patients/ana', localAddress: LIMITED }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
  }
  return {
    ...gateway,
    stop: async () => {
      held.reject(new Error('the test has ended'));
      await gateway.stop();
    },
  };
}
