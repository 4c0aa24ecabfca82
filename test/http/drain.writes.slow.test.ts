import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Fault } from '../fhir-server/quirks.ts';
import type { LoggedRequest } from '../fhir-server/request-log.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { NS } from '../hospital-in-fhir/terms.ts';
import { serve, token } from '../support/process.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const { server, id } = await startHospital();
const environment = {
  PUENTE_CONFIG: 'config/fhir.yaml',
  PUENTE_ADAPTER_SETTINGS_BASE_URL: server.url,
  PUENTE_ADAPTER_SETTINGS_NAMESPACE: NS,
  PUENTE_STATE_KIND: 'sqlite',
  PUENTE_STATE_FILE: join(makeFolder(), 'state.db'),
  PUENTE_STATE_ENCRYPTION_KEY: 'env:STATE_KEY',
  // A client may open a connection in place of the one that it has left.
  PUENTE_SHUTDOWN_IDLE_TIMEOUT: '50',
  STATE_KEY: randomBytes(32).toString('base64'),
};
type Running = Awaited<ReturnType<typeof serve>>;
let running: Running;

afterEach(async () => {
  running.signal('SIGKILL');
  await running.ended;
});

const change = ({ url }: Running, key: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/patients/${id('Patient/bruno')}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: '{"phone":"+54 11 5555-0000"}',
    ...(signal && { signal }),
  });

const isChange = ({ method }: LoggedRequest): boolean => method === 'PUT' || method === 'PATCH';

/**
 * A change, whose caller hangs up as soon as it has arrived at the server; then the gateway is told to stop. The server answers
 * so; late is when the gateway knows that it is to stop.
 */
async function leaveAndStop(key: string, answer: Fault['answer']) {
  const caller = new AbortController();
  const late = Promise.withResolvers<void>();
  const arrived = new Promise<void>((resolve) => {
    server.quirks.fault = (request) => {
      if (!isChange(request)) return undefined;
      resolve();
      return { commits: true, answer, until: late.promise };
    };
  });
  const answered = change(running, key, caller.signal).then(
    () => true,
    () => false,
  );
  await arrived;
  caller.abort();
  expect(await answered).toBe(false);
  running.signal('SIGTERM');
  await running.waitForOutput('"drain started"');
  late.resolve();
  const ended = await running.ended;
  server.quirks.fault = () => undefined;
  return ended;
}

describe('the gateway, when it is told to stop while a write is running whose caller has left', () => {
  test('F38 waits for it, and repeats its answer under its key when it is started again', async () => {
    running = await serve(environment);
    const { code, stdout } = await leaveAndStop('left', 'late');
    expect(code).toBe(0);
    expect(stdout).toContain('"drain completed"');

    running = await serve(environment);
    const again = await change(running, 'left');
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  });

  test('says that the drain is incomplete when the write still runs after the drain timeout', async () => {
    running = await serve({ ...environment, PUENTE_SHUTDOWN_DRAIN_TIMEOUT: '2000' });
    const { stdout } = await leaveAndStop('stuck', 'hang');
    expect(stdout).toContain('"drain incomplete"');
    expect(stdout).not.toContain('"drain completed"');
  });
});
