import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPromisedFailure } from '../../adapters/common/failures.ts';
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
import type { AuthenticateRequest } from '../auth/client.ts';
import type { Config } from '../config/schema.ts';
import { Circuit } from '../guard/circuit.ts';
import type { CallerAddresses } from '../http/addresses.ts';
import { type BodyBudget, collectBody, readBody } from '../http/body.ts';
import { limitClient, requireToken } from '../http/caller.ts';
import { readKey, requireJsonAccepted, requireOffered } from '../http/chain.ts';
import type { RunningWrites } from '../http/drain.ts';
import { ClientLimits } from '../http/limits.ts';
import type { ErrorMiddleware, Middleware, RequestContext, Step } from '../http/request.ts';
import type { Reply } from '../http/send.ts';
import { type Call, Failure, type FailureDetails, type FailureKind } from '../ports/index.ts';
import { Zone } from '../toolkit/zone.ts';

/** Parts of the gateway that scenarios make use of, or put something that fails in the place of. */
export interface Parts {
  readonly config: Pick<Config, 'limits' | 'guard' | 'compat' | 'institution'>;
  readonly authenticate: AuthenticateRequest;
  readonly addresses: CallerAddresses;
  readonly bodies: BodyBudget;
  readonly runningWrites: RunningWrites;
  readonly findDeadline: (operation: Operation) => number;
  /** Of every operation. */
  readonly steps: Readonly<Record<'beginOperation' | 'limitClient' | 'readBody' | 'checkInput', Step>>;
  readonly sendProblems: ErrorMiddleware;
}

/** A call of the port, made when `work` is called. */
export interface PortCall {
  readonly operation: Operation;
  readonly call: Call;
  readonly context: RequestContext;
  readonly hospital: SandboxHospital;
  readonly config: Parts['config'];
  /** What the caller wrote behind the name. */
  readonly value: string;
  /** @param input instead of what the caller sent. */
  work(input?: RequestContext['input']): Promise<Reply>;
  /** Ends the connection. */
  hangUp(): void;
}

/** What happens to a request: steps that it passes first, of which one refuses it, or what the port does. */
export interface Scenario {
  readonly pass?: (operation: Operation, parts: Parts) => readonly Middleware[];
  readonly act?: (port: PortCall) => Promise<Reply>;
  /** What may stand behind the name and `=`, and how to say that; without it nothing. */
  readonly values?: RegExp;
  readonly hint?: string;
  /** Only for requests with an `Idempotency-Key`. */
  readonly needsKey?: true;
}

const toList = (middleware: Middleware | readonly Middleware[]): readonly Middleware[] => [middleware].flat();

const refuse = (...given: ConstructorParameters<typeof Rejection>): Scenario => ({
  pass: () => [
    () => {
      throw new Rejection(...given);
    },
  ],
});

/** As the server refuses what does not become a request: it closes the connection. */
const refuseOutside = (code: ProblemCode, retryAfter?: number): Scenario => ({
  pass: () => [
    (_req, res) => {
      res.setHeader('Connection', 'close');
      throw new Rejection(code, { retryAfter });
    },
  ],
});

const changeHeader = (name: string, value: string | undefined): Middleware => {
  return (req, _res, next) => {
    req.headers[name] = value;
    next();
  };
};

const fail = (kind: FailureKind, details?: FailureDetails, message = 'as the scenario says'): Scenario => ({
  act: async () => {
    throw new Failure(kind, message, details);
  },
});

const promise = (code: Parameters<typeof createPromisedFailure>[0]): Scenario => ({
  act: async () => {
    throw createPromisedFailure(code);
  },
});

/** Of a write whose answer never comes: `=lost` that it was not made either. */
async function loseAnswer({ value, work }: PortCall, code?: ProblemCode): Promise<Reply> {
  if (value !== 'lost') await work();
  throw new Failure('outcome_unknown', 'the answer is lost', { code });
}

const fates = { values: /^(made|lost)?$/, hint: 'takes =made or =lost: whether the write was made' };

/** As the keys refuse it, before the port is called. */
const refuseKey = (...given: ConstructorParameters<typeof Failure>): Scenario => ({
  needsKey: true,
  pass: (operation) => [
    () => {
      throw toRejection(new Failure(...given), operation);
    },
  ],
});

/** Every scenario: under the code of a problem what causes it. */
export const scenarios: Readonly<Partial<Record<ProblemCode, Scenario>>> &
  Readonly<Record<'slow' | 'drop' | 'omitted', Scenario>> = {
  malformed_request: {
    pass: (operation) => [changeHeader('idempotency-key', '"'), ...toList(readKey([])(operation))],
  },
  idempotency_key_required: {
    pass: (operation) => [changeHeader('idempotency-key', undefined), ...toList(readKey([operation.name])(operation))],
  },
  unauthenticated: {
    pass: ({ scope }, { authenticate }) => [
      changeHeader('authorization', undefined),
      ...requireToken(authenticate, scope),
    ],
  },
  auth_provider_unavailable: refuse('auth_provider_unavailable'),
  insufficient_scope: {
    pass: ({ scope }, { authenticate }) =>
      requireToken(async (req) => ({ ...(await authenticate(req)), scopes: new Set() }), scope),
  },
  not_implemented: { pass: (operation) => toList(requireOffered(new Set())(operation)) },
  not_acceptable: {
    pass: (operation) => [changeHeader('accept', 'text/html'), ...toList(requireJsonAccepted(operation))],
  },
  rate_limited: {
    pass: (operation, { config, addresses }) => {
      const limits = new ClientLimits(config.limits.clients, (_name, quota) => {
        const exhausted = async () => ({ allowed: false, remaining: 0, resetSeconds: quota.seconds, repeated: false });
        return { quota, take: exhausted, look: exhausted, giveBack: () => undefined };
      });
      return toList(limitClient(limits, addresses)(operation));
    },
  },
  headers_too_large: refuseOutside('headers_too_large'),
  starting: refuseOutside('starting', 5),
  draining: refuseOutside('draining'),
  request_timeout: {
    pass: () => [
      async () => {
        await collectBody(new IncomingMessage(new Socket()), () => undefined, { grace: 10, bytesPerSecond: 1 });
      },
    ],
  },
  payload_too_large: {
    pass: (operation, { bodies }) => toList(readBody(bodies, [])({ ...operation, bodyLimit: 0 })),
  },
  unsupported_media_type: {
    pass: (operation, { bodies }) => [
      changeHeader('content-type', 'text/plain'),
      ...toList(readBody(bodies, [])(operation)),
    ],
  },
  validation: {
    pass: (operation, { config }) => [
      (req, _res, next) => {
        const query = Object.keys(operation.query?.shape ?? {}).map((name) => [name, ['', '']]);
        parseInput(operation, { params: req.params, query: Object.fromEntries(query), body: {} }, config.compat);
        next();
      },
    ],
  },
  audit_unavailable: refuse('audit_unavailable'),
  backend_circuit_open: {
    act: async ({ config, work }) => {
      const circuit = new Circuit({ ...config.guard.circuit, minimum: 1 }, () => undefined);
      await circuit.run(async () => 'fails');
      circuit.requireTrial();
      return work();
    },
  },
  idempotency_store_unavailable: refuseKey('overloaded', '', { code: 'idempotency_store_unavailable' }),
  idempotency_key_in_use: refuseKey('conflict', 'an earlier request with this key is still running', {
    code: 'idempotency_key_in_use',
    retryAfter: 1,
  }),
  idempotency_key_reused: refuseKey('invalid', 'the key was used for a request with another path or another body', {
    code: 'idempotency_key_reused',
    at: 'idempotencyKey',
  }),
  outcome_unresolved: { needsKey: true, ...fates, act: (port) => loseAnswer(port, 'outcome_unresolved') },
  forbidden: fail('unavailable', { code: 'forbidden' }),
  not_found: {
    act: ({ operation, context, work }) => {
      const [[part, name] = []] = operation.params
        ? [['params', Object.keys(operation.params.shape)[0]!] as const]
        : findPatientFields(operation);
      const { input = {} } = context;
      if (part === undefined || name === undefined) return work();
      return work({ ...input, [part]: { ...Object(input[part]), [name]: 'nobody' } });
    },
  },
  no_main_practitioner: promise('no_main_practitioner'),
  no_change_request: promise('no_change_request'),
  conflict: fail('conflict', { code: 'version_conflict' }, 'the data was changed by another request at the same time'),
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
  not_cancelable: promise('not_cancelable'),
  identity_conflict: {
    act: async ({ operation: { name } }) => {
      const known = 'the identifier belongs to somebody with another birth date or gender';
      const message = name === 'registerPatient' ? known : 'another patient holds this identifier';
      throw new Failure('conflict', message, { code: 'identity_conflict' });
    },
  },
  change_request_open: promise('change_request_open'),
  relation_exists: promise('relation_exists'),
  coverage_exists: promise('coverage_exists'),
  slot_unknown: promise('slot_unknown'),
  nonexistent_local_time: {
    act: async () => {
      new Zone('Europe/Madrid').toInstant('2026-03-29T02:30:00', 'start');
      throw new Error('the clocks of Madrid skip that');
    },
  },
  search_too_wide: promise('search_too_wide'),
  internal_error: {
    act: async () => {
      throw new TypeError('as the scenario says');
    },
  },
  backend_unavailable: fail('unavailable'),
  backend_invalid_response: fail('bad_answer'),
  overloaded: fail('overloaded', { retryAfter: 1 }),
  backend_timeout: {
    act: async ({ call, work }) => {
      if (!call.signal.aborted) await once(call.signal, 'abort');
      return work();
    },
  },
  backend_outcome_unknown: { ...fates, act: (port) => loseAnswer(port) },
  slow: {
    values: /^\d{1,3}(\.\d{1,3})?$/,
    hint: 'takes seconds, such as slow=2.5',
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
      const list: unknown[] = [body, ...Object.values(Object(body))].find((each) => Array.isArray(each)) ?? [];
      list.pop();
      call.omit({ resourceType: getPortName(operation), element: 'scenario' });
      return { ...reply, body: JSON.stringify(body) };
    },
  },
};

/** The names of the scenarios that requests of an operation can have. */
export function listScenarios(operation: Operation): readonly (keyof typeof scenarios)[] {
  const codes = listProblems(operation, false, isWrite(operation));
  const more = isWrite(operation) ? (['conflict'] as const) : [];
  const names = [...codes, ...more, ...(answersList(operation) ? (['omitted'] as const) : []), 'slow', 'drop'] as const;
  return names.filter((name) => scenarios[name] !== undefined);
}
