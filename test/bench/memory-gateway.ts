import type { RequestListener } from 'node:http';
import { createPorts } from '../../adapters/memory/index.ts';
import { loadWorld } from '../../adapters/memory/load-world.ts';
import { parseWorld } from '../../adapters/memory/world-file.ts';
import { operations as allOperations, type Operation } from '../../src/api/index.ts';
import { guard } from '../../src/config/guard.ts';
import { Guard } from '../../src/guard/guard.ts';
import { Idempotency } from '../../src/guard/idempotency/idempotency.ts';
import { createApp } from '../../src/http/app.ts';
import { Refusals } from '../../src/http/auth/refusal.ts';
import { BodyBudget } from '../../src/http/body-budget.ts';
import { CallerAddresses } from '../../src/http/caller-address.ts';
import type { Gateway } from '../../src/http/gateway.ts';
import { ClientLimits } from '../../src/http/limits/client-limits.ts';
import { OmittedRecords } from '../../src/http/omitted-records.ts';
import { RunningWrites } from '../../src/http/running-writes.ts';
import { capabilities } from '../../src/ports/index.ts';
import { createMemoryState } from '../../src/state/memory.ts';

const unlimited = { requests: 10_000_000, seconds: 1, concurrent: 1_000 };

export interface MemoryGatewayOptions extends Pick<Gateway, 'log' | 'authenticate'> {
  /** A world file, parsed. */
  readonly world: object;
  /** Default: all, in their order. */
  readonly operations?: readonly Operation[];
}

/** A gateway over a hospital in memory, composed in this process, for what no configuration can ask for. */
export function createMemoryGateway({
  world,
  log,
  authenticate,
  operations = allOperations,
}: MemoryGatewayOptions): RequestListener {
  const institution = { timeZone: 'America/Argentina/Buenos_Aires', locale: 'es-AR', bookingHorizonDays: 60 };
  const ports = createPorts(loadWorld(parseWorld(world), institution, new Date().toISOString()));
  return createApp({
    version: 'bench',
    institution,
    operations,
    port: (name) => ports[name],
    adapters: ['memory'],
    findOwner: () => 'memory',
    supports: new Set(capabilities),
    log,
    impairments: () => [],
    draining: () => false,
    authenticate,
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
    runningWrites: new RunningWrites(),
    refusals: new Refusals(),
    idempotency: new Idempotency({ state: createMemoryState(), log, retention: 60_000 }),
    idempotencyRequired: new Set(),
    resumes: new Set(),
    compat: { unknownFields: 'reject', strictStatusCodes: false },
  });
}
