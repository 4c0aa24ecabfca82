/**
 * `npm run test:soak`: a gateway with SQLite in front of a FHIR server works for half an hour under a steady load of reads,
 * bookings and cancellations, and its server is disturbed in another way each minute. Prints a line a minute, and what
 * became of memory, handles and the bookings. `SOAK_MINUTES` (30), `SOAK_RATE` (200 reads a second). Ends with 1 when memory
 * or handles grew, or a booking was lost or doubled.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { registerPatient } from '../../../src/contract/arrange.ts';
import { createHttpSubject } from '../../../src/contract/index.ts';
import { listSlotsA } from '../../../src/contract/queries.ts';
import { capabilities } from '../../../src/ports/index.ts';
import { FaultServer } from '../../fault-server/server.ts';
import { startFhirServer } from '../../fhir-server/server.ts';
import { toFixtures } from '../../hospital-in-fhir/fixtures.ts';
import { buildHospital } from '../../hospital-in-fhir/hospital.ts';
import { NS } from '../../hospital-in-fhir/terms.ts';
import { type Inventory, readInventory } from '../../live/kill-rounds/inventory.ts';
import { serve, token } from '../../support/process.ts';
import { BookingCycle } from './booking-cycle.ts';
import { disturb } from './disturbances.ts';
import { Resources } from './resources.ts';

const minutes = Number(process.env.SOAK_MINUTES ?? 30);
const rate = Number(process.env.SOAK_RATE ?? 200);
/** So many that a patient has few appointments after half an hour too: the load is the same from first to last. */
const PATIENTS = 300;
const TICK_MS = 50;
/** Each minute is disturbed for so long, after as much of quiet. */
const DISTURBED_MS = 20_000;
const say = (line: string) => process.stdout.write(`${line}\n`);

const server = await startFhirServer({ resources: buildHospital(new Date()) });
const faults = await FaultServer.start(server.url);
const folder = mkdtempSync(join(tmpdir(), 'soak-'));
const gateway = await serve(
  {
    PUENTE_CONFIG: 'config/fhir.yaml',
    PUENTE_ADAPTER_SETTINGS_BASE_URL: faults.url,
    PUENTE_ADAPTER_SETTINGS_NAMESPACE: NS,
    PUENTE_STATE_KIND: 'sqlite',
    PUENTE_STATE_FILE: join(folder, 'state.db'),
    PUENTE_STATE_ENCRYPTION_KEY: 'env:STATE_KEY',
    STATE_KEY: randomBytes(32).toString('base64'),
    // So short that forgetting is part of it.
    PUENTE_IDEMPOTENCY_RETENTION: '60000',
  },
  // It is the gateway that is measured, and not what tells of each answer.
  { compares: false },
);
const fixtures = toFixtures(server.ids);
const subject = createHttpSubject({ baseUrl: gateway.url, token, supports: capabilities, fixtures });
const patientIds: string[] = [];
while (patientIds.length < PATIENTS) patientIds.push(await registerPatient(subject));
const slots = await listSlotsA(subject);
const before = await readInventory(server.url);

const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;
const service = fixtures.services.bookable;
/** Reads as a platform makes them, about as often as they are named here. */
const reads: readonly (() => string)[] = [
  () => `/patients/${pick(patientIds)}`,
  () => `/patients/${pick(patientIds)}`,
  () => `/patients/${pick(patientIds)}/appointments`,
  () => '/practitioner/',
  () => '/ticket_types',
  () => '/health_insurance_carriers/',
  () => `/patients/${pick(patientIds)}/family_group`,
];

let statuses = new Map<string, number>();
let waits: number[] = [];
async function read(): Promise<void> {
  const path =
    Math.random() < 0.02 ? `/available-appointments/search?health_care_service_id=${service}` : pick(reads)();
  const since = performance.now();
  const response = await fetch(`${gateway.url}${path}`, { headers: { Authorization: `Bearer ${token}` } }).catch(
    () => undefined,
  );
  await response?.arrayBuffer().catch(() => undefined);
  const status = String(response?.status ?? 'no answer');
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  waits.push(performance.now() - since);
}

const stop = new AbortController();
async function load(): Promise<void> {
  for (let due = performance.now(), owed = 0; !stop.signal.aborted; due += TICK_MS) {
    owed += (rate * TICK_MS) / 1000;
    for (; owed >= 1; owed -= 1) void read();
    await sleep(Math.max(0, due + TICK_MS - performance.now()));
  }
}

const cycle = new BookingCycle(gateway.url, token, patientIds, slots);
const resources = new Resources(gateway.pid);
const working = [load(), cycle.run(stop.signal)];
for (let minute = 1; minute <= minutes; minute++) {
  const end = performance.now() + 60_000;
  await sleep(DISTURBED_MS);
  const disturbance = await disturb(faults, minute, DISTURBED_MS);
  await sleep(Math.max(0, end - performance.now()));
  resources.sample();
  waits.sort((a, b) => a - b);
  const quantile = (q: number) => Math.round(waits[Math.floor(q * waits.length)] ?? 0);
  const counts = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ');
  say(`${minute} ${disturbance}: ${resources.format()}, p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms; ${counts}`);
  statuses = new Map();
  waits = [];
}
stop.abort();
await Promise.all(working);

const after = await readInventory(server.url);
const created = after.appointments.length - before.appointments.length;
const countActive = ({ appointments }: Inventory): number => appointments.filter((each) => each.active).length;
const stillActive = countActive(after) - countActive(before);
say(JSON.stringify({ ...cycle.figures, created, stillActive, ...resources.summarize() }));
gateway.signal('SIGTERM');
await gateway.ended;
await Promise.all([faults.stop(), server.stop()]);
rmSync(folder, { recursive: true });
process.exitCode = created === cycle.figures.booked && stillActive === 0 && !resources.grew ? 0 : 1;
