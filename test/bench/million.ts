import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import autocannon from 'autocannon';
import { createPorts } from '../../adapters/memory/index.ts';
import { loadWorld } from '../../adapters/memory/load-world.ts';
import { parseWorld } from '../../adapters/memory/world-file.ts';
import { allScopes, operations } from '../../src/api/index.ts';
import { guard } from '../../src/config/guard.ts';
import { Guard } from '../../src/guard/guard.ts';
import { Idempotency } from '../../src/guard/idempotency/idempotency.ts';
import { createApp } from '../../src/http/app.ts';
import { Refusals } from '../../src/http/auth/refusal.ts';
import { BodyBudget } from '../../src/http/body-budget.ts';
import { CallerAddresses } from '../../src/http/caller-address.ts';
import { ClientLimits } from '../../src/http/limits/client-limits.ts';
import { OmittedRecords } from '../../src/http/omitted-records.ts';
import { capabilities, Log } from '../../src/ports/index.ts';
import { createMemoryState } from '../../src/state/memory.ts';

const unlimited = { requests: 10_000_000, seconds: 1, concurrent: 1_000 };

/** How many patients each hospital has, the one that the others are compared with first. */
const SIZES = [60, 1_000, 1_000_000];
const ROUNDS = 7;
const SECONDS = 1;

class Silence extends Log {
  override write(): void {}
}

const patient = (i: number) => ({
  id: `patient-${i}`,
  name: `Nombre ${i % 977}`,
  lastName: `Apellido ${i % 1_951}`,
  gender: i % 2 === 0 ? ('Female' as const) : ('Male' as const),
  birthDate: `${1930 + (i % 90)}-${String((i % 12) + 1).padStart(2, '0')}-${String((i % 28) + 1).padStart(2, '0')}`,
  identifier: { type: 'DNI' as const, value: String(10_000_000 + i) },
  medicalRecordId: `HC-${i}`,
  phone: '+54 9 11 5555-0100',
  email: `persona${i}@example.org`,
  address: {
    street: 'Av. Siempreviva',
    number: String(i % 3_000),
    city: 'Buenos Aires',
    country: 'Argentina',
    zipCode: '1405',
  },
});

interface Served {
  readonly size: number;
  readonly url: string;
  readonly seconds: number;
  readonly bytesEach: number;
  close(): void;
}

async function serve(size: number): Promise<Served> {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const begun = performance.now();
  const institution = { timeZone: 'America/Argentina/Buenos_Aires', locale: 'es-AR', bookingHorizonDays: 60 };
  const ports = createPorts(
    loadWorld(
      parseWorld({
        institution: { id: 'bench', name: 'Bench' },
        patients: Array.from({ length: size }, (_, i) => patient(i)),
      }),
      institution,
      new Date().toISOString(),
    ),
  );
  const seconds = (performance.now() - begun) / 1_000;
  globalThis.gc?.();
  const bytesEach = (process.memoryUsage().heapUsed - before) / size;
  const log = new Silence();
  const app: RequestListener = createApp({
    version: 'bench',
    operations,
    port: (name) => ports[name],
    adapters: ['memory'],
    findOwner: () => 'memory',
    supports: new Set(capabilities),
    log,
    impairments: () => [],
    draining: () => false,
    authenticate: async () => ({ name: 'bench', scopes: new Set(allScopes) }),
    anonymousGroupA: false,
    openOps: false,
    basePath: '',
    limits: {
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
      maxConnections: 1_000,
      maxConnectionsPerAddress: 1_000,
      trustedProxies: [],
      sendTimeout: 30_000,
      maxBodyBytes: 33_554_432,
      readDeadline: 8_000,
      writeDeadline: 12_000,
    },
    guard: new Guard(guard.parse(undefined), log),
    addresses: new CallerAddresses([]),
    clientLimits: new ClientLimits({
      read: unlimited,
      write: unlimited,
      slotSearch: unlimited,
      patientSearch: unlimited,
    }),
    bodies: new BodyBudget(33_554_432),
    omittedRecords: new OmittedRecords(),
    refusals: new Refusals(),
    idempotency: new Idempotency({ state: createMemoryState(), log, retention: 60_000 }),
    idempotencyRequired: new Set(),
    resumes: new Set(),
    compat: { unknownFields: 'reject', strictStatusCodes: false },
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { size, url: `http://127.0.0.1:${port}`, seconds, bytesEach, close: () => server.close() };
}

/** Requests per second with ids drawn from the whole hospital, so that no cache flatters the large one. */
async function rate({ url, size }: Served, path: (i: number) => string): Promise<number> {
  const requests = Array.from({ length: 2_000 }, () => ({ path: path(Math.floor(Math.random() * size)) }));
  const result = await autocannon({ url, connections: 16, duration: SECONDS, requests });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers were not 200`);
  return result.requests.average;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const paths = {
  'GET /patients/{id}': (i: number) => `/patients/patient-${i}`,
  'GET /patients/search by identifier': (i: number) =>
    `/patients/search?identifier_type=DNI&identifier=${10_000_000 + i}`,
};

const hospitals: Served[] = [];
for (const size of SIZES) hospitals.push(await serve(size));
process.stdout.write('patients   loaded in   bytes each\n');
for (const { size, seconds, bytesEach } of hospitals) {
  process.stdout.write(`${String(size).padEnd(11)}${`${seconds.toFixed(2)} s`.padEnd(12)}${Math.round(bytesEach)}\n`);
}
for (const [name, path] of Object.entries(paths)) {
  const rates = new Map<Served, number[]>(hospitals.map((served) => [served, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [served, seen] of rates) seen.push(await rate(served, path));
  }
  process.stdout.write(`\n${name}\n`);
  const [first] = [...rates.values()].map(median);
  for (const [{ size }, seen] of rates) {
    const ratio = (first ?? 0) / median(seen);
    process.stdout.write(
      `${String(size).padEnd(11)}${Math.round(median(seen))} requests/s, costs ${ratio.toFixed(2)} times as much as with ${SIZES[0]}\n`,
    );
  }
}
for (const { close } of hospitals) close();
