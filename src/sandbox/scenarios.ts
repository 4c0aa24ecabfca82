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
import type { Middleware, RequestContext } from '../http/request.ts';
import { type Reply, toReply } from '../http/send.ts';
import { type Call, Failure } from '../ports/index.ts';
import { getFields } from '../toolkit/records.ts';
import { Zone } from '../toolkit/zone.ts';

/** A call of the port, made when `work` is called. */
export interface PortCall {
  readonly operation: Operation;
  readonly call: Call;
  readonly context: RequestContext;
  readonly hospital: SandboxHospital;
  readonly config: Config;
  /** What the caller wrote behind the name. */
  readonly value: string;
  /** @param input instead of what the caller sent. */
  work(input?: RequestContext['input']): Promise<Reply>;
  /** Ends the connection. */
  hangUp(): void;
}

/** What happens to a request: it is refused before its body is read, or what the port does. */
export interface Scenario {
  readonly refuse?: (operation: Operation, config: Config, ...[req, res]: Parameters<Middleware>) => void;
  readonly act?: (port: PortCall) => Promise<Reply>;
  /** What may stand behind the name and `=`, and how that is written; without it nothing. */
  readonly values?: RegExp;
  readonly form?: string;
}

const refuse = (error: Error): Scenario => ({
  refuse: (operation) => {
    throw toRejection(error, operation);
  },
});

const fail = (createError: (port: PortCall) => Error): Scenario => ({
  act: async (port) => {
    throw createError(port);
  },
});

const told = 'as the scenario says';

/** As the server refuses what does not become a request: it closes the connection. */
const refuseOutside = (code: ProblemCode, retryAfter?: number): Scenario =>
  refuse(new Rejection(code, { retryAfter, headers: { Connection: 'close' } }));

/** Of a write whose answer never comes: `=lost` that it was not made either. */
async function loseAnswer({ value, work }: PortCall, code?: ProblemCode): Promise<Reply> {
  if (value !== 'lost') await work();
  throw new Failure('outcome_unknown', 'the answer is lost', { code });
}

const fates = { values: /^(made|lost)?$/, form: '[=made|lost]' };

/** Those that are more than to throw what has that code, each under the code of the problem that it causes. */
const scenarios: Readonly<Partial<Record<string, Scenario>>> = {
  malformed_request: refuse(
    new Rejection('malformed_request', { happened: 'Idempotency-Key must have 1 to 255 visible ASCII characters.' }),
  ),
  unauthenticated: refuse(unauthorized('no_token')),
  insufficient_scope: {
    refuse: ({ scope }, _config, _req, { locals }) => requireScope(scope, { ...locals.client!, scopes: new Set() }),
  },
  rate_limited: {
    refuse: ({ uses }, { limits }) => {
      const name = getOperationClass(uses);
      const { [name]: quota } = limits.clients;
      requireAllowed({ allowed: false, remaining: 0, resetSeconds: quota.seconds, repeated: false }, quota, name);
    },
  },
  headers_too_large: refuseOutside('headers_too_large'),
  starting: refuseOutside('starting', 5),
  draining: refuseOutside('draining'),
  validation: {
    refuse: (operation, { compat }, { params }) => {
      const query = Object.keys(operation.query?.shape ?? {}).map((name) => [name, ['', '']] as const);
      parseInput(operation, { params, query: Object.fromEntries(query), body: {} }, compat);
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
      const known = 'the identifier belongs to somebody with another birth date or gender';
      const message = name === 'registerPatient' ? known : 'another patient holds this identifier';
      throw new Failure('conflict', message, { code: 'identity_conflict' });
    },
  },
  nonexistent_local_time: {
    // The clocks of Madrid skip it.
    act: async () => toReply(200, new Zone('Europe/Madrid').toInstant('2026-03-29T02:30:00', 'start')),
  },
  internal_error: fail(() => new TypeError(told)),
  backend_unavailable: fail(() => new Failure('unavailable', told)),
  backend_invalid_response: fail(() => new Failure('bad_answer', told)),
  overloaded: {
    values: /^([1-9]\d{0,2})?$/,
    form: '[=SECONDS]',
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
    values: /^\d{1,3}(\.\d{1,3})?$/,
    form: '=SECONDS',
    act: async ({ call, value, work }) => {
      await sleep(1_000 * Number(value), undefined, { signal: call.signal }).catch(() => undefined);
      return work();
    },
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

/** The scenario of this name: without one of its own it throws what the gateway or the port would. */
export const getScenario = (name: string): Scenario =>
  scenarios[name] ??
  (isPromised(name) ? fail(() => createPromisedFailure(name)) : refuse(new Rejection(name as ProblemCode)));

/** The name, and what may or must stand behind it: `slow=SECONDS`, `backend_outcome_unknown[=made|lost]`. */
export const writeScenario = (name: string): string => name + (getScenario(name).form ?? '');

/** The names of the scenarios that requests of an operation can have. */
export const listScenarios = (operation: Operation): readonly string[] => [
  ...listProblems(operation, false, isWrite(operation)),
  ...(isWrite(operation) ? ['conflict'] : []),
  ...(answersList(operation) ? ['omitted'] : []),
  ...['slow', 'drop'],
];
