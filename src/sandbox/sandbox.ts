import { randomUUID } from 'node:crypto';
import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import type { SandboxHospital } from '../../adapters/memory/sandbox.ts';
import { type Operation, Rejection } from '../api/index.ts';
import type { Client } from '../auth/client.ts';
import type { Config } from '../config/schema.ts';
import type { CreateAttempt } from '../http/chain.ts';
import type { RequestContext, Step } from '../http/request.ts';
import { Zone } from '../toolkit/zone.ts';
import { createSandboxPages } from './documentation.ts';
import { getScenario, listScenarios, type PortCall, type Scenario, writeScenario } from './scenarios.ts';

/** How many plans a client may have that are not used up. */
const MAX_PLANS = 100;

const planned = { scenario: z.string().min(1).max(100), operation: z.string().min(1).max(100) };
const plan = z.strictObject({
  ...planned,
  calls: z.int().min(1).max(1_000).default(1).meta({ description: 'How many calls have it.' }),
  client: z
    .string()
    .min(1)
    .max(100)
    .exactOptional()
    .meta({ description: 'The name of a client; without it, who asks.' }),
});
const clock = z.strictObject({
  now: z
    .union([z.iso.datetime({ offset: true }), z.iso.datetime({ local: true })], {
      error: 'must be a moment such as 2027-06-01T10:00:00-03:00, or a local time such as 2027-06-01T10:00:00',
    })
    .meta({ description: 'A moment with its offset, or a local time in the institution’s zone: the earlier of two.' }),
});
const moment = z
  .object({
    now: z.string().meta({ description: 'In UTC.' }),
    local: z.string().meta({ description: 'In the institution’s zone, with its offset then.' }),
    timeZone: z.string(),
  })
  .meta({ id: 'SandboxClock' });

/** They are limited and audited as reads and writes are. */
const read = { scope: 'sandbox', uses: ['patients.get'] } as const;
const write = { scope: 'sandbox', uses: ['patients.update'], places: { now: 'body /now' } } as const;

const planShown = z
  .object({ ...planned, client: z.string(), calls: z.int().meta({ description: 'How many calls still have it.' }) })
  .meta({ id: 'PlannedScenario' });

/** A scenario that the next calls of a client and an operation have. */
type Plan = z.output<typeof planShown>;

/** What callers of a sandbox may ask for besides the API: scenarios, another now, and the data of the start. */
export class Sandbox {
  readonly #hospital: SandboxHospital;
  readonly #served: readonly Operation[];
  readonly #config: Config;
  readonly #zone: Zone;
  readonly #played = new WeakMap<RequestContext, Scenario & Pick<PortCall, 'value' | 'hangUp'>>();
  /** Those that are not used up, by the client that made them, oldest first. */
  readonly #plans = new Map<string, Plan[]>();
  /** Tells keys of this data from those of the data before a reset or a start, which is gone. */
  #epoch = randomUUID();

  /** @param served the operations that scenarios are for. */
  constructor(hospital: SandboxHospital, served: readonly Operation[], config: Config) {
    this.#hospital = hospital;
    this.#served = served;
    this.#config = config;
    this.#zone = new Zone(config.institution.timeZone);
  }

  /** Passes what the scenario of the request has: that of its header, or one that was planned for it. */
  readonly step: Step = (operation) => (req, res, next) => {
    const { locals } = res;
    if (locals.idempotencyKey !== undefined) locals.idempotencyKey += ` ${this.#epoch}`;
    const named = req.headers['puente-scenario'] ?? this.#takePlanned(locals.client!, operation.name);
    if (named !== undefined) {
      const { scenario, value } = findScenario(operation, String(named), locals.idempotencyKey !== undefined);
      scenario.refuse?.(operation, this.#config, req, res, next);
      this.#played.set(locals, { ...scenario, value, hangUp: () => void res.destroy() });
    }
    next();
  };

  /** Calls the port as the scenario of the request has it. */
  readonly wrap =
    (createAttempt: CreateAttempt): CreateAttempt =>
    (operation) => {
      const attempt = createAttempt(operation);
      return async (call, deadline, context) => {
        const played = this.#played.get(context);
        if (!played?.act) return attempt(call, deadline, context);
        const work = (input = context.input ?? {}) => attempt(call, deadline, { ...context, input });
        const { value, hangUp } = played;
        const own = { hospital: this.#hospital, config: this.#config };
        return played.act({ operation, call, context, work, value, hangUp, ...own });
      };
    };

  /** Its own operations, for clients with the scope `sandbox`. */
  readonly operations: readonly Operation[] = [
    {
      ...write,
      name: 'planScenario',
      route: 'POST /sandbox/scenarios',
      summary: 'Give the next calls of a client and an operation a scenario',
      body: plan,
      example: { body: { scenario: 'backend_unavailable', operation: 'listLocations', calls: 1 } },
      returns: [200, planShown],
      handle: async (_port, { body }, { client }) => this.#plan(client, { client, ...plan.parse(body) }),
    },
    {
      ...read,
      name: 'listPlannedScenarios',
      route: 'GET /sandbox/scenarios',
      summary: 'List the scenarios that you planned and that are not used up',
      example: {},
      returns: [200, z.array(planShown)],
      handle: async (_port, _input, { client }) => this.#plans.get(client) ?? [],
    },
    {
      ...write,
      name: 'removePlannedScenarios',
      route: 'DELETE /sandbox/scenarios',
      summary: 'Remove the scenarios that you planned',
      example: {},
      returns: [200, z.object({ removed: z.int() }).meta({ id: 'RemovedScenarios' })],
      handle: async (_port, _input, { client }) => {
        const removed = this.#plans.get(client)?.length ?? 0;
        this.#plans.delete(client);
        return { removed };
      },
    },
    {
      ...read,
      name: 'readClock',
      route: 'GET /sandbox/clock',
      summary: 'Read the hospital’s now',
      example: {},
      returns: [200, moment],
      handle: async () => this.#readClock(),
    },
    {
      ...write,
      name: 'moveClock',
      route: 'POST /sandbox/clock',
      summary: 'Move the hospital’s now; time goes on from there',
      body: clock,
      example: { body: { now: '2027-06-01T10:00:00' } },
      returns: [200, moment],
      handle: async (_port, { body }) => {
        const { now } = clock.parse(body);
        const isLocal = /T[\d:.]+$/.test(now);
        this.#hospital.moveTo(new Date(isLocal ? this.#zone.toInstant(now, 'now') : now));
        return this.#readClock();
      },
    },
    {
      ...write,
      name: 'resetSandbox',
      route: 'POST /sandbox/reset',
      summary: 'Bring back data, clock and scenarios as they were at the start',
      example: {},
      returns: [200, moment],
      handle: async () => {
        this.#plans.clear();
        this.#epoch = randomUUID();
        this.#hospital.reset();
        return this.#readClock();
      },
    },
  ];

  /** Whether parameters of a query that an operation does not have are refused. */
  get strict(): boolean {
    return this.#hospital.strict;
  }

  /** The cast, and what scenarios each operation has: as the document and the page say it. */
  get documentation() {
    return createSandboxPages(this.#served, this.operations, this.#hospital.cast);
  }

  /** @throws Rejection `malformed_request` for an unknown operation or scenario, and for one plan too many. */
  #plan(owner: string, wanted: Plan): Plan {
    const found = this.#served.find(({ name }) => name === wanted.operation);
    if (!found) throw misfit(`needs one of the operations ${this.#served.map(({ name }) => name).join(', ')}`);
    findScenario(found, wanted.scenario, true);
    const own = this.#plans.get(owner) ?? [];
    if (own.length >= MAX_PLANS)
      throw misfit(`is not planned: ${MAX_PLANS} of yours are not used up. DELETE /sandbox/scenarios removes them`);
    this.#plans.set(owner, [...own, { ...wanted }]);
    return wanted;
  }

  /** The scenario of the first plan for a call, which counts as used. */
  #takePlanned({ name, key }: Client, operation: string): string | undefined {
    for (const [owner, own] of this.#plans) {
      const found = own.find((each) => each.operation === operation && (each.client === name || each.client === key));
      if (!found) continue;
      found.calls -= 1;
      const rest = own.filter(({ calls }) => calls > 0);
      if (rest.length > 0) this.#plans.set(owner, rest);
      else this.#plans.delete(owner);
      return found.scenario;
    }
    return undefined;
  }

  #readClock() {
    const now = this.#hospital.now().toISOString();
    const local = Temporal.Instant.from(now).toZonedDateTimeISO(this.#zone.name);
    return { now, local: local.toString({ timeZoneName: 'never', smallestUnit: 'second' }), timeZone: this.#zone.name };
  }
}

/** What only a write under a key can end in. */
const underKey: ReadonlySet<string> = new Set([
  'idempotency_key_in_use',
  'idempotency_key_reused',
  'idempotency_store_unavailable',
  'outcome_unresolved',
]);

/** @throws Rejection `malformed_request`. */
function findScenario(operation: Operation, text: string, hasKey: boolean): { scenario: Scenario; value: string } {
  const [name = '', ...rest] = text.trim().split('=');
  const value = rest.join('=');
  const names = listScenarios(operation);
  if (!names.includes(name)) throw misfit(`of ${operation.name} must be one of ${names.map(writeScenario).join(', ')}`);
  const scenario = getScenario(name);
  if (!(scenario.values ?? /^$/).test(value)) throw misfit(`${name} is written ${writeScenario(name)}`);
  if (!hasKey && underKey.has(name)) throw misfit('needs a request with an Idempotency-Key');
  return { scenario, value };
}

const misfit = (what: string) =>
  new Rejection('malformed_request', {
    happened: `The scenario ${what}.`,
    advice: 'Nothing was changed. The page /sandbox has the scenarios.',
  });
