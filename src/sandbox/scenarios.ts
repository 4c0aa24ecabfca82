import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPromisedFailure, isPromised } from '../../adapters/common/failures.ts';
import type { SandboxHospital } from '../../adapters/memory/sandbox.ts';
import {
  answersList,
  findPatientFields,
  getPortName,
  isWrite,
  type Operation,
  type ProblemCode,
  parseInput,
  Rejection,
  toRejection,
} from '../api/index.ts';
import { listProblems } from '../api/openapi-operation.ts';
import { requireScope } from '../auth/bearer.ts';
import { unauthorized } from '../auth/refusals.ts';
import type { Config } from '../config/schema.ts';
import { getOperationClass } from '../guard/guard.ts';
import { requireAllowed } from '../http/limits.ts';
import type { RequestContext } from '../http/request.ts';
import { addHeaders, type Reply, toReply } from '../http/send.ts';
import { type Call, Failure } from '../ports/index.ts';
import { getFields } from '../toolkit/records.ts';
import { Zone } from '../toolkit/zone.ts';

/** A call of the port. `work` makes it. */
export interface PortCall {
  readonly operation: Operation;
  readonly call: Call;
  readonly context: RequestContext;
  readonly hospital: SandboxHospital;
  readonly config: Config;
  /** The caller's text after the name. */
  readonly value: string;
  /** A number from 0 up to 1. */
  draw(): number;
  /** @param input replaces the caller's input. */
  work(input?: RequestContext['input']): Promise<Reply>;
  /** Ends the connection. */
  hangUp(): void;
}

/** A received request whose body is not read yet. */
export interface ArrivedRequest extends Pick<PortCall, 'operation' | 'config' | 'value'> {
  readonly params: Readonly<Record<string, string>>;
  readonly context: RequestContext;
}

/** The effect on a request: a rejection before its body is read, or a changed port call. */
export interface Scenario {
  readonly refuse?: (request: ArrivedRequest) => void;
  readonly act?: (port: PortCall) => Promise<Reply>;
  /** Changes the sent response. The stored one remains unchanged for a retry under its key. */
  readonly spoil?: (reply: Reply) => Reply;
  /** True if the connection ends after the response. */
  readonly endsConnection?: true;
  /** The allowed values after the name and `=`, and their notation. Absent if the scenario takes no value. */
  readonly values?: RegExp;
  readonly form?: string;
}

const refuse = (error: Error): Scenario => ({
  refuse: ({ operation }) => {
    throw toRejection(error, operation);
  },
});

const fail = (createError: (port: PortCall) => Error): Scenario => ({
  act: async (port) => {
    throw createError(port);
  },
});

/** The value with an additional field in each of its objects, as in a later version. */
function addUnknown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(addUnknown);
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).map(([name, each]) => [name, addUnknown(each)] as const);
  return { ...Object.fromEntries(known), added_later: { since: 'a later version' } };
}

/** Truncates JSON in the middle. */
const cutHalf = (json: string): string => json.slice(0, Math.ceil(json.length / 2));

/** The 99th percentile of the standard normal distribution. */
const Z99 = 2.326;

/** Milliseconds: the given value, or a sample of a log-normal distribution with these two percentiles. */
function chooseDelay(value: string, draw: () => number): number {
  const [, median, slowest] = /^p50:(\d+),p99:(\d+)$/.exec(value) ?? [];
  if (median === undefined || slowest === undefined) return 1_000 * Number(value);
  // Box-Muller transform.
  const z = Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
  return Number(median) * (Number(slowest) / Number(median)) ** (z / Z99);
}

const told = 'requested by the scenario';

/** Refuses like a server that receives an invalid request: it closes the connection. */
const refuseOutside = (code: ProblemCode, retryAfter?: number): Scenario =>
  refuse(new Rejection(code, { retryAfter, headers: { Connection: 'close' } }));

/** Loses the answer to a write. With `=lost`, the write is not made either. */
async function loseAnswer({ value, work }: PortCall, code?: ProblemCode): Promise<Reply> {
  if (value !== 'lost') await work();
  throw new Failure('outcome_unknown', 'the answer is lost', { code });
}

const seconds = { values: /^([1-9]\d{0,2})?$/, form: '[=SECONDS]' };

const fates = { values: /^(made|lost)?$/, form: '[=made|lost]' };

/** Scenarios with more effects than throwing a problem, by its code. */
const scenarios: Readonly<Partial<Record<string, Scenario>>> = {
  malformed_request: refuse(
    new Rejection('malformed_request', { happened: 'Idempotency-Key must have 1 to 255 visible ASCII characters.' }),
  ),
  unauthenticated: refuse(unauthorized('no_token')),
  insufficient_scope: {
    refuse: ({ operation, context }) => requireScope(operation.scope, { ...context.client!, scopes: new Set() }),
  },
  rate_limited: {
    ...seconds,
    refuse: ({ operation, config, value }) => {
      const name = getOperationClass(operation.uses);
      const { [name]: quota } = config.limits.clients;
      const msLeft = Number(value || quota.seconds) * 1_000;
      requireAllowed({ allowed: false, remaining: 0, msLeft, repeated: false }, quota, name);
    },
  },
  headers_too_large: refuseOutside('headers_too_large'),
  starting: refuseOutside('starting', 5),
  draining: refuseOutside('draining'),
  validation: {
    refuse: ({ operation, config, params }) => {
      const query = Object.keys(operation.query?.shape ?? {}).map((name) => [name, ['', '']] as const);
      parseInput(operation, { params, query: Object.fromEntries(query), body: {} }, config.compat);
    },
  },
  backend_circuit_open: fail(({ config }) => {
    const retryAfter = Math.ceil(config.guard.circuit.openFor / 1_000);
    return new Failure('overloaded', told, { code: 'backend_circuit_open', retryAfter });
  }),
  idempotency_key_in_use: refuse(
    new Failure('conflict', 'an earlier request with this key is still running', {
      code: 'idempotency_key_in_use',
      retryAfter: 1,
    }),
  ),
  idempotency_key_reused: refuse(
    new Failure('invalid', 'the key was used for a request with another path or another body', {
      code: 'idempotency_key_reused',
      at: 'idempotencyKey',
    }),
  ),
  outcome_unresolved: { ...fates, act: (port) => loseAnswer(port, 'outcome_unresolved') },
  forbidden: fail(() => new Failure('unavailable', told, { code: 'forbidden' })),
  not_found: {
    act: ({ operation, context, work }) => {
      const [[part, name] = []] = operation.params
        ? [['params', Object.keys(operation.params.shape)[0]!] as const]
        : findPatientFields(operation);
      const { input = {} } = context;
      if (part === undefined || name === undefined) return work();
      return work({ ...input, [part]: { ...getFields(input[part]), [name]: 'nobody' } });
    },
  },
  conflict: fail(
    () =>
      new Failure('conflict', 'the data was changed by another request at the same time', { code: 'version_conflict' }),
  ),
  slot_taken: {
    act: async ({ operation, context, call, hospital, work }) => {
      const book = async (...given: Parameters<SandboxHospital['takeSlot']>) => {
        hospital.takeSlot(...given);
        return { id: '' };
      };
      await operation.handle({ book }, context.input ?? {}, call);
      return work();
    },
  },
  identity_conflict: {
    act: async ({ operation: { name } }) => {
      const known = 'the identifier belongs to a patient with another birth date or gender';
      const message = name === 'registerPatient' ? known : 'another patient holds this identifier';
      throw new Failure('conflict', message, { code: 'identity_conflict' });
    },
  },
  nonexistent_local_time: {
    // A clock change in Madrid skips this time.
    act: async () => toReply(200, new Zone('Europe/Madrid').toInstant('2026-03-29T02:30:00', 'start')),
  },
  internal_error: fail(() => new TypeError(told)),
  backend_unavailable: fail(() => new Failure('unavailable', told)),
  backend_invalid_response: fail(() => new Failure('bad_answer', told)),
  overloaded: {
    ...seconds,
    ...fail(({ value }) => new Failure('overloaded', told, { retryAfter: Number(value || 1) })),
  },
  backend_timeout: {
    act: async ({ call, work }) => {
      if (!call.signal.aborted) await once(call.signal, 'abort');
      return work();
    },
  },
  backend_outcome_unknown: { ...fates, act: (port) => loseAnswer(port) },
  slow: {
    values: /^(\d{1,3}(\.\d{1,3})?|p50:[1-9]\d{0,4},p99:[1-9]\d{0,4})$/,
    form: '=SECONDS|p50:MS,p99:MS',
    act: async ({ call, value, work, draw }) => {
      await sleep(chooseDelay(value, draw), undefined, { signal: call.signal }).catch(() => undefined);
      return work();
    },
  },
  unknown_fields: { spoil: (reply) => ({ ...reply, body: JSON.stringify(addUnknown(JSON.parse(reply.body))) }) },
  garbled: { spoil: (reply) => ({ ...reply, body: `\u0000${reply.body.slice(1)}` }) },
  cut: { spoil: (reply) => ({ ...reply, body: cutHalf(reply.body) }) },
  wrong_length: {
    spoil: (reply) => addHeaders(reply, { 'Content-Length': String(2 * Buffer.byteLength(reply.body)) }),
    endsConnection: true,
  },
  drop: {
    act: async ({ work, hangUp }) => {
      const reply = await work();
      hangUp();
      return reply;
    },
  },
  omitted: {
    act: async ({ operation, call, work }) => {
      const reply = await work();
      const body: unknown = JSON.parse(reply.body);
      const list: unknown[] = [body, ...Object.values(getFields(body))].find((each) => Array.isArray(each)) ?? [];
      list.pop();
      call.omit({ resourceType: getPortName(operation), element: 'scenario' });
      return { ...reply, body: JSON.stringify(body) };
    },
  },
};

/** The scenario of this name. By default it throws the error of the gateway or the port. */
export const getScenario = (name: string): Scenario =>
  scenarios[name] ??
  (isPromised(name) ? fail(() => createPromisedFailure(name)) : refuse(new Rejection(name as ProblemCode)));

/** The name with its optional or required value: `slow=SECONDS`, `backend_outcome_unknown[=made|lost]`. */
export const writeScenario = (name: string): string => name + (getScenario(name).form ?? '');

/** The names of the scenarios that requests of an operation can have. */
export const listScenarios = (operation: Operation): readonly string[] => [
  ...listProblems(operation, false, isWrite(operation)),
  ...(isWrite(operation) ? ['conflict'] : []),
  ...(answersList(operation) ? ['omitted'] : []),
  ...['slow', 'drop', 'unknown_fields', 'garbled', 'cut', 'wrong_length'],
];
