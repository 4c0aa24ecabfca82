/**
 * Kills the FHIR server or the gateway in the middle of bookings and cancellations, starts it again, sends what had no
 * answer once more under its key, and compares what the callers were told with what the server holds:
 *
 *     KILL_SERVER_URL=http://127.0.0.1:8105/fhir KILL_SERVER_COMMAND='sh my-server.sh' npm run test:kills
 *
 * The command runs the server in the foreground, on storage that survives a kill. `KILL_ROUNDS` (4) kill the server and
 * the gateway in turn, each twice in a round of `KILL_OPERATIONS` (200). Ends with 1 when anything was lost or doubled.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { registerPatient } from '../../src/contract/arrange.ts';
import { createHttpSubject, sandbox } from '../../src/contract/index.ts';
import { listSlotsA } from '../../src/contract/queries.ts';
import { capabilities } from '../../src/ports/index.ts';
import { Zone } from '../../src/toolkit/zone.ts';
import { seedLiveHospital } from '../support/live-gateway.ts';
import { serve, token } from '../support/process.ts';
import { readInventory } from './kill-rounds/inventory.ts';
import {
  createOperations,
  createSent,
  findContradictions,
  isDone,
  isRefused,
  type Operation,
  type Sent,
} from './kill-rounds/operations.ts';
import { startServer } from './kill-rounds/server.ts';

const {
  KILL_SERVER_URL: serverUrl,
  KILL_SERVER_COMMAND: command,
  KILL_ROUNDS = '4',
  KILL_OPERATIONS = '200',
} = process.env;
if (!serverUrl || !command)
  throw new Error('Name the server: KILL_SERVER_URL and KILL_SERVER_COMMAND, see the head of this file.');

const PATIENTS = 12;
const WORKERS = 8;
const KILLS = 2;
/** Attempts under one key; one a second while the server is away. */
const ATTEMPTS = 240;

const say = (line: string) => process.stdout.write(`${line}\n`);

let server = await startServer(command, serverUrl);
let gateway: Awaited<ReturnType<typeof serve>>;

/** Sends it until it is done or refused, always under the same key. */
async function send(sent: Sent, method: string, path: string, body: object): Promise<Response | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': sent.key },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    // With `Retry-After` it was neither done nor refused: an earlier attempt is still running, for one.
    sent.statuses.push(response?.headers.has('retry-after') ? 0 : (response?.status ?? 0));
    if (isDone(sent) || isRefused(sent)) return response;
    await sleep(1000);
  }
  return undefined;
}

async function run(operation: Operation): Promise<void> {
  const { patientId, slot, booking } = operation;
  const path = `/patients/${patientId}/appointments`;
  const { health_care_service_id, practitioner_id, date } = slot;
  const response = await send(booking, 'POST', path, { health_care_service_id, practitioner_id, date });
  const appointmentId = response?.headers.get('location')?.split('/').at(-1);
  if (!appointmentId || randomInt(2) === 0) return;
  operation.cancellation = createSent();
  await send(operation.cancellation, 'PUT', `${path}/${appointmentId}`, { status: 'canceled' });
}

/** Kills the victim twice while operations run, and brings it back. */
async function killTwice(
  victim: 'server' | 'gateway',
  startGateway: () => ReturnType<typeof serve>,
  countDone: () => number,
  total: number,
): Promise<void> {
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const at = Math.round((total * (kill - 0.5 + Math.random() / 2)) / (KILLS + 1));
    while (countDone() < at) await sleep(5);
    await sleep(randomInt(40));
    if (victim === 'server') {
      await server.kill();
      server = await startServer(command ?? '', serverUrl ?? '');
    } else {
      gateway.signal('SIGKILL');
      await gateway.ended;
      gateway = await startGateway();
    }
  }
}

const zone = new Zone(sandbox.timeZone);
let failed = false;
for (let round = 1; round <= Number(KILL_ROUNDS); round += 1) {
  const victim = round % 2 === 1 ? 'server' : 'gateway';
  // A hospital of its own for each round: one has too few slots for all.
  const { environment, fixtures } = await seedLiveHospital({ baseUrl: serverUrl });
  const startGateway = () => serve({ ...environment, PUENTE_CONFIG: 'config/fhir.yaml' });
  gateway = await startGateway();
  const subject = createHttpSubject({ baseUrl: gateway.url, token, supports: capabilities, fixtures });
  const patientIds: string[] = [];
  while (patientIds.length < PATIENTS) patientIds.push(await registerPatient(subject));
  const operations = createOperations(Number(KILL_OPERATIONS), patientIds, await listSlotsA(subject));
  const before = await readInventory(serverUrl);

  const queue = [...operations];
  let done = 0;
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      await run(next);
      done += 1;
    }
  };
  await Promise.all([
    killTwice(victim, startGateway, () => done, operations.length),
    ...Array.from({ length: WORKERS }, work),
  ]);

  const contradictions = findContradictions(operations, await readInventory(serverUrl), before, (local) =>
    new Date(zone.toEpoch(local) ?? 0).toISOString(),
  );
  const cancellations = operations.flatMap(({ cancellation }) => cancellation ?? []);
  const bookings = operations.map(({ booking }) => booking);
  say(`round ${round}, kill -9 of the ${victim}: ${JSON.stringify(contradictions)}`);
  say(`  bookings: ${summarize(bookings)}`);
  say(`  cancellations: ${summarize(cancellations)}`);
  gateway.signal('SIGTERM');
  await gateway.ended;
  failed ||= Object.values(contradictions).some((count) => count > 0);
}
await server.kill();
process.exitCode = failed ? 1 : 0;

/** How often each row of statuses occurred: `201` at once, `0 502 201` after a broken connection and an error. */
function summarize(all: readonly Sent[]): string {
  const rows = new Map<string, number>();
  for (const { statuses } of all) {
    const row = statuses.filter((status, index) => status !== statuses[index - 1]).join(' ');
    rows.set(row, (rows.get(row) ?? 0) + 1);
  }
  return [...rows].map(([row, count]) => `${count} × ${row}`).join(', ');
}
