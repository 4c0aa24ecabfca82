import { randomUUID } from 'node:crypto';
import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import { momentOrLocalTime, type SandboxHospital, toMoment } from '../../adapters/memory/sandbox.ts';
import { type AnyInput, findPatientFields, type Operation, Rejection } from '../api/index.ts';
import type { Config } from '../config/schema.ts';
import type { CreateAttempt } from '../http/chain.ts';
import type { Middleware, RequestContext, Step } from '../http/request.ts';
import { getField } from '../toolkit/records.ts';
import { Zone } from '../toolkit/zone.ts';
import { createSandboxPages } from './documentation.ts';
import { RecordedRequests, recordedRequest } from './requests.ts';
import { getScenario, listScenarios, type PortCall, type Scenario, writeScenario } from './scenarios.ts';

/** The maximum number of active plans of a client. */
const MAX_PLANS = 100;
/** The number of used plans of a client that stay in its list. */
const MAX_USED_UP = 20;

const name = z.string().min(1).max(100);
const planned = {
  scenario: name,
  operation: name.exactOptional().meta({ description: 'Default: every operation that has the scenario.' }),
  patient: name.exactOptional().meta({ description: 'The id of a patient; default: any patient.' }),
};
const plan = z.strictObject({
  ...planned,
  calls: z.int().min(1).max(1_000).default(1).meta({ description: 'The number of calls with the scenario.' }),
  client: name.exactOptional().meta({ description: 'The name of a client. Default: the client of this request.' }),
});
const listed = z
  .object({
    used_up: z.enum(['true']).meta({ description: 'Active plans, followed by the last 20 used ones with `calls: 0`.' }),
  })
  .partial();
const clock = z.strictObject({
  now: momentOrLocalTime.meta({
    description:
      'A moment with its offset, or a local time in the institution’s zone. If it occurs twice, the earlier moment counts.',
  }),
});
const moment = z
  .object({
    now: z.string().meta({ description: 'In UTC.' }),
    local: z.string().meta({ description: 'In the institution’s zone, with the offset at that time.' }),
    timeZone: z.string(),
    frozen: z.boolean().meta({ description: 'True if the clock is frozen until it is moved.' }),
  })
  .meta({ id: 'SandboxClock' });

/** They are limited and audited like reads and writes. */
const read = { scope: 'sandbox', uses: ['patients.get'] } as const;
const write = { scope: 'sandbox', uses: ['patients.update'], places: { now: 'body /now' } } as const;

const planShown = z
  .object({
    ...planned,
    client: z.string(),
    calls: z.int().meta({ description: 'The number of remaining calls with the scenario.' }),
  })
  .meta({ id: 'PlannedScenario' });

type Given = Parameters<Middleware>;

/** A scenario for the next calls of a client, for an operation or a patient. */
type PlannedScenario = z.output<typeof planShown>;

/** A counter of a gateway for its clients, such as limits and circuits. */
export interface Resettable {
  /** Resets its counts. */
  reset(): void;
}

/** The functions of a sandbox in addition to the API: scenarios, another current time, and a reset. */
export class Sandbox {
  readonly #hospital: SandboxHospital;
  readonly #served: readonly Operation[];
  readonly #config: Config;
  readonly #zone: Zone;
  readonly #played = new WeakMap<RequestContext, Scenario & Pick<PortCall, 'value' | 'hangUp'>>();
  /** The name of a request's scenario. */
  readonly #names = new WeakMap<RequestContext, string>();
  readonly #counts: readonly Resettable[];
  /** The recorded requests of clients. */
  readonly requests: RecordedRequests;
  /** The active plans by their client, the oldest first. */
  readonly #plans = new Map<string, PlannedScenario[]>();
  /** The last used plans by their client, the newest first. */
  readonly #usedUp = new Map<string, readonly PlannedScenario[]>();
  /** Distinguishes keys of this data from keys of earlier data, before a reset or a start. */
  #epoch = randomUUID();

  /** @param served the operations for scenarios. */
  constructor(
    hospital: SandboxHospital,
    served: readonly Operation[],
    config: Config,
    counts: readonly Resettable[] = [],
  ) {
    this.#hospital = hospital;
    this.#counts = counts;
    this.#served = served;
    this.#config = config;
    this.#zone = new Zone(config.institution.timeZone);
    this.requests = new RecordedRequests(
      () => hospital.now(),
      (context) => this.#names.get(context),
    );
  }

  /** Applies the scenario of the request, from its header or a plan. */
  readonly step: Step = (operation) => (req, res, next) => {
    const { locals } = res;
    if (locals.idempotencyKey !== undefined) locals.idempotencyKey += ` ${this.#epoch}`;
    const input = { params: req.params, query: req.query };
    const named = req.headers['puente-scenario'] ?? this.#takePlanned(locals, operation, input);
    if (named !== undefined) this.#play(String(named), operation, req, res);
    next();
  };

  /** Does the same for a plan of a patient in the body, after the body is read. */
  readonly stepAfterBody: Step = (operation) =>
    findPatientFields(operation).some(([part]) => part === 'body')
      ? (req, res, next) => {
          const { input = {} } = res.locals;
          const named = this.#names.has(res.locals)
            ? undefined
            : this.#takePlanned(res.locals, operation, { body: input.body });
          if (named !== undefined) this.#play(named, operation, req, res);
          next();
        }
      : [];

  /** Changes the response if the scenario requires that. */
  readonly spoil: Step = () => (_req, res, next) => {
    const played = this.#played.get(res.locals);
    const { reply } = res.locals;
    if (played?.spoil && reply) res.locals.reply = played.spoil(reply);
    if (played?.endsConnection) {
      const { socket } = res;
      res.on('finish', () => socket?.end());
    }
    next();
  };

  /** Wraps the port call by the scenario of the request. */
  readonly wrap =
    (createAttempt: CreateAttempt): CreateAttempt =>
    (operation) => {
      const attempt = createAttempt(operation);
      return async (call, deadline, context) => {
        const played = this.#played.get(context);
        if (!played?.act) return attempt(call, deadline, context);
        const work = (input = context.input ?? {}) => attempt(call, deadline, { ...context, input });
        const { value, hangUp } = played;
        const own = { hospital: this.#hospital, config: this.#config, draw: () => this.#hospital.draw() };
        return played.act({ operation, call, context, work, value, hangUp, ...own });
      };
    };

  /** The sandbox's own operations, for clients with the scope `sandbox`. */
  readonly operations: readonly Operation[] = [
    {
      ...write,
      name: 'planScenario',
      route: 'POST /sandbox/scenarios',
      summary: 'Plan a scenario for the next calls of a client and an operation',
      body: plan,
      example: { body: { scenario: 'backend_unavailable', operation: 'listLocations', calls: 1 } },
      returns: [200, planShown],
      handle: async (_port, { body }, { client }) => this.#plan(client, { client, ...plan.parse(body) }),
    },
    {
      ...read,
      name: 'listPlannedScenarios',
      route: 'GET /sandbox/scenarios',
      summary: 'List your planned scenarios that have calls left',
      query: listed,
      example: {},
      returns: [200, z.array(planShown)],
      handle: async (_port, { query }, { client }) => [
        ...(this.#plans.get(client) ?? []),
        ...(getField(query, 'used_up') === 'true' ? (this.#usedUp.get(client) ?? []) : []),
      ],
    },
    {
      ...write,
      name: 'removePlannedScenarios',
      route: 'DELETE /sandbox/scenarios',
      summary: 'Remove your planned scenarios',
      example: {},
      returns: [200, z.object({ removed: z.int() }).meta({ id: 'RemovedScenarios' })],
      handle: async (_port, _input, { client }) => {
        const removed = this.#plans.get(client)?.length ?? 0;
        this.#plans.delete(client);
        this.#usedUp.delete(client);
        return { removed };
      },
    },
    {
      ...read,
      name: 'listRequests',
      route: 'GET /sandbox/requests',
      summary: 'List your last 200 requests, the oldest first',
      example: {},
      returns: [200, z.array(recordedRequest)],
      handle: async (_port, _input, { client }) => this.requests.list(client),
    },
    {
      ...write,
      name: 'removeRequests',
      route: 'DELETE /sandbox/requests',
      summary: 'Forget your requests',
      example: {},
      returns: [200, z.object({ removed: z.int() }).meta({ id: 'RemovedRequests' })],
      handle: async (_port, _input, { client }) => ({ removed: this.requests.remove(client) }),
    },
    {
      ...read,
      name: 'readClock',
      route: 'GET /sandbox/clock',
      summary: 'Read the hospital’s current time',
      example: {},
      returns: [200, moment],
      handle: async () => this.#readClock(),
    },
    {
      ...write,
      name: 'moveClock',
      route: 'POST /sandbox/clock',
      summary: 'Set the hospital’s current time, which then runs on unless it is frozen',
      body: clock,
      example: { body: { now: '2027-06-01T10:00:00' } },
      returns: [200, moment],
      handle: async (_port, { body }) => {
        this.#hospital.moveTo(toMoment(clock.parse(body).now, this.#zone));
        return this.#readClock();
      },
    },
    {
      ...write,
      name: 'resetSandbox',
      route: 'POST /sandbox/reset',
      summary: 'Restore data, clock, scenarios, requests, limits and circuits of the start',
      example: {},
      returns: [200, moment],
      handle: async () => {
        this.#plans.clear();
        this.#usedUp.clear();
        this.requests.clear();
        this.#epoch = randomUUID();
        for (const each of this.#counts) each.reset();
        this.#hospital.reset();
        return this.#readClock();
      },
    },
  ];

  /** The id of a request without one. */
  readonly createRequestId = (): string => this.#hospital.createRequestId();

  /** True if unknown query parameters are refused. */
  get strict(): boolean {
    return this.#hospital.strict;
  }

  /** The cast, and the scenarios of each operation, for the document and the page. */
  get documentation() {
    const pages = createSandboxPages(this.#served, this.operations, this.#hospital.cast);
    return { ...pages, now: () => this.#hospital.now() };
  }

  /**
   * @throws Rejection the scenario's own refusal before the port call, or `malformed_request` if the operation does not
   * have the scenario.
   */
  #play(text: string, operation: Operation, ...[req, res]: [Given[0], Given[1]]): void {
    const { locals } = res;
    const { scenario, value, share } = findScenario(operation, text, locals.idempotencyKey !== undefined);
    if (share < 1 && this.#hospital.draw() >= share) return;
    this.#names.set(locals, text);
    scenario.refuse?.({ operation, config: this.#config, value, params: req.params, context: locals });
    this.#played.set(locals, { ...scenario, value, hangUp: () => void res.destroy() });
  }

  /** @throws Rejection `malformed_request` for an unknown operation or scenario, and for too many plans. */
  #plan(owner: string, wanted: PlannedScenario): PlannedScenario {
    const named = wanted.operation;
    if (named !== undefined && !this.#served.some(({ name }) => name === named))
      throw createScenarioRejection(`needs one of the operations ${this.#served.map(({ name }) => name).join(', ')}`);
    const operations = this.#served.filter(({ name }) => name === (named ?? name));
    findScenario(
      operations.find((each) => hasScenario(each, wanted.scenario)) ?? operations[0]!,
      wanted.scenario,
      true,
    );
    const own = this.#plans.get(owner) ?? [];
    if (own.length >= MAX_PLANS)
      throw createScenarioRejection(
        `is not planned: you already have ${MAX_PLANS} active plans. DELETE /sandbox/scenarios removes them`,
      );
    this.#plans.set(owner, [...own, { ...wanted }]);
    return wanted;
  }

  /** The scenario of the first plan for a call with this input. The call counts as used. */
  #takePlanned(context: RequestContext, operation: Operation, input: AnyInput): string | undefined {
    const { name, key } = context.client!;
    const hasKey = context.idempotencyKey !== undefined;
    const patients = findPatientFields(operation).map(([part, field]) => getField(input[part], field));
    const isMeant = (each: PlannedScenario): boolean =>
      (each.client === name || each.client === key) &&
      (each.operation === undefined ? canHave(operation, each.scenario, hasKey) : each.operation === operation.name) &&
      (each.patient === undefined ? input.body === undefined : patients.includes(each.patient));
    for (const [owner, own] of this.#plans) {
      const found = own.find(isMeant);
      if (!found) continue;
      found.calls -= 1;
      const rest = own.filter(({ calls }) => calls > 0);
      if (rest.length > 0) this.#plans.set(owner, rest);
      else this.#plans.delete(owner);
      if (found.calls === 0) this.#usedUp.set(owner, [found, ...(this.#usedUp.get(owner) ?? [])].slice(0, MAX_USED_UP));
      return found.scenario;
    }
    return undefined;
  }

  #readClock() {
    const now = this.#hospital.now().toISOString();
    const local = Temporal.Instant.from(now).toZonedDateTimeISO(this.#zone.name);
    return {
      now,
      local: local.toString({ timeZoneName: 'never', smallestUnit: 'second' }),
      timeZone: this.#zone.name,
      frozen: this.#hospital.isFrozen,
    };
  }
}

/** Problems that occur only for a write with a key. */
const underKey: ReadonlySet<string> = new Set([
  'idempotency_key_in_use',
  'idempotency_key_reused',
  'idempotency_store_unavailable',
  'outcome_unresolved',
]);

const parseName = (text: string): string => text.trim().split('=')[0] ?? '';

const hasScenario = (operation: Operation, text: string): boolean => listScenarios(operation).includes(parseName(text));

/** True if the scenario of a plan without an operation can apply to the call. */
const canHave = (operation: Operation, text: string, hasKey: boolean): boolean =>
  hasScenario(operation, text) && (hasKey || !underKey.has(parseName(text)));

interface FoundScenario {
  readonly scenario: Scenario;
  readonly value: string;
  /** The share of calls, from 0 to 1. */
  readonly share: number;
}

/** Reads `NAME`, `NAME=VALUE`, `NAME=SHARE%` or `NAME=VALUE,SHARE%`. @throws Rejection `malformed_request`. */
function findScenario(operation: Operation, text: string, hasKey: boolean): FoundScenario {
  const name = parseName(text);
  const written = text.trim().slice(name.length + 1);
  const [, value = '', percent = '100'] = /^(.*?)(?:(?:^|,)(\d{1,3}(?:\.\d{1,2})?)%)?$/.exec(written) ?? [];
  const names = listScenarios(operation);
  if (!names.includes(name))
    throw createScenarioRejection(`of ${operation.name} must be one of ${names.map(writeScenario).join(', ')}`);
  const scenario = getScenario(name);
  if (!(scenario.values ?? /^$/).test(value) || Number(percent) > 100)
    throw createScenarioRejection(`${name} must be written ${writeScenario(name)}, and a share such as 2% may follow`);
  if (!hasKey && underKey.has(name)) throw createScenarioRejection('needs a request with an Idempotency-Key');
  return { scenario, value, share: Number(percent) / 100 };
}

const createScenarioRejection = (what: string) =>
  new Rejection('malformed_request', {
    happened: `The scenario ${what}.`,
    advice: 'Nothing was changed. The page /sandbox has the scenarios.',
  });
