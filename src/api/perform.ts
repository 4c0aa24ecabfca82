import { z } from 'zod';
import { type Call, Failure, type FailureKind } from '../ports/index.ts';
import { explainIssue } from '../toolkit/problems.ts';
import type { AnyInput, Operation, Place } from './operation.ts';
import { type Fault, getProblemPath, type Problem, type ProblemCode, problemOfKind, problems } from './problems.ts';
import { patientId } from './scalars.ts';

/** A request that was decoded but not yet checked. */
export interface RawRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The answer of an operation; the body matches the declared schema. */
export interface Answer {
  readonly status: 200 | 201;
  readonly body: unknown;
  /** Path that the `Location` header names, below the base path. */
  readonly location?: string;
  /** The id of what a write has made, which not every body has. */
  readonly created?: string;
}

export interface PerformOptions {
  /** Whether unknown fields of a body are refused, or dropped for a caller that cannot change. */
  readonly unknownFields: 'reject' | 'ignore';
}

/**
 * Performs one operation on its port: checks the request, calls the handler, checks the answer against its schema and
 * drops from it what is not declared. Knows no HTTP, so that the contract can use it on the ports alone.
 * @throws Rejection, and nothing else.
 */
export const perform = async (
  operation: Operation,
  port: unknown,
  raw: RawRequest,
  call: Call,
  options?: PerformOptions,
): Promise<Answer> => execute(operation, port, parseInput(operation, raw, options), call);

/**
 * The second half of `perform`, for a request that was checked.
 * @throws Rejection, and nothing else.
 */
export async function execute(operation: Operation, port: unknown, input: AnyInput, call: Call): Promise<Answer> {
  let answer: unknown;
  try {
    answer = await operation.handle(port, input, call);
  } catch (error) {
    throw toRejection(error, operation);
  }
  const [status, schema] = operation.returns;
  const checked = compileOnce(schema).safeParse(answer);
  if (!checked.success) {
    const { error } = checked;
    throw new Rejection('backend_invalid_response', { at: error.issues[0]?.path.join('/'), cause: error });
  }
  const location = operation.location?.(input, answer);
  const created = operation.route.startsWith('POST') ? findId(answer) : undefined;
  return {
    status,
    body: checked.data,
    ...(location !== undefined && { location }),
    ...(created !== undefined && { created }),
  };
}

/** The id that a handler answers with, for itself or in a model. */
function findId(answer: unknown): string | undefined {
  const { id, model } = Object(answer);
  return typeof id === 'string' ? id : model && findId(model);
}

const compiled = new WeakMap<z.ZodType, z.ZodType>();

/** The schema with generated code for what matches it, which takes half the time; not before the first answer needs it. */
function compileOnce(schema: z.ZodType): z.ZodType {
  const known = compiled.get(schema) ?? z.compile(schema);
  compiled.set(schema, known);
  return known;
}

/** Without its input an issue does not say whether a value is missing or wrong. What no schema has words for has ours. */
const reporting = { reportInput: true, error: explainIssue };

/**
 * The first half of `perform`: the request with every value checked and every default filled in.
 * @throws Rejection `not_found` or `validation`.
 */
export function parseInput(
  operation: Operation,
  raw: RawRequest,
  { unknownFields }: PerformOptions = { unknownFields: 'reject' },
): AnyInput {
  const params = operation.params?.safeParse(raw.params);
  if (params && !params.success) throw new Rejection('not_found');
  const query = operation.query?.safeParse(raw.query, reporting);
  const body = operation.body && parseBody(operation.body, raw.body, unknownFields);
  const faults = [
    ...(query?.error?.issues.flatMap((issue) => toFaults('query', issue)) ?? []),
    ...(body?.error?.issues.flatMap((issue) => toFaults('body', issue)) ?? []),
  ];
  if (faults.length > 0) throw new Rejection('validation', { faults });
  return { params: params?.data, query: query?.data, body: body?.data };
}

function parseBody(schema: z.ZodType, body: unknown, unknownFields: PerformOptions['unknownFields']) {
  const first = schema.safeParse(body, reporting);
  if (first.success || unknownFields === 'reject') return first;
  const copy = structuredClone(body);
  for (const issue of first.error.issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const owner = issue.path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], copy);
    for (const key of issue.keys) delete (owner as Record<string, unknown>)[key];
  }
  return schema.safeParse(copy, reporting);
}

/** Only a key that looks like the name of a field is repeated to the caller: others may be values. */
const fieldName = /^[A-Za-z_][A-Za-z_-]{0,39}$/;

function toFaults(part: 'query' | 'body', issue: z.core.$ZodIssue): Fault[] {
  const at = toJsonPointer(issue.path);
  if (issue.code !== 'unrecognized_keys') return [{ in: part, at, message: toSentence(issue) }];
  return issue.keys.map((key) => ({
    in: part,
    at: fieldName.test(key) ? `${at}/${key}` : at,
    message: 'is an unknown field',
  }));
}

/** RFC 6901. */
const toJsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function toSentence(issue: z.core.$ZodIssue): string {
  if (issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_type') return `must be ${addArticle(issue.expected)}`;
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(String).join(', ');
    return issue.values.length === 1 ? `must be ${values}` : `must be one of ${values}`;
  }
  return issue.message;
}

const addArticle = (type: string): string =>
  type === 'int' ? 'a whole number' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;

/** A field of a request that has the id of a patient. */
export type PatientField = readonly [part: keyof AnyInput, name: string];

/** The fields that are declared as the id of a patient. */
export function findPatientFields({ params, query, body }: Operation): readonly PatientField[] {
  const parts = Object.entries({ params, query, body }) as [keyof AnyInput, z.core.$ZodType | undefined][];
  return parts.flatMap(([part, schema]) => {
    const shape = (schema?._zod.def as { readonly shape?: Readonly<Record<string, z.core.$ZodType>> } | undefined)
      ?.shape;
    const named = Object.entries(shape ?? {}).filter(([, field]) => unwrap(field) === patientId);
    return named.map(([name]): PatientField => [part, name]);
  });
}

/** What may be left out. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as { readonly innerType?: z.core.$ZodType };
  return innerType ? unwrap(innerType) : schema;
}

export interface RejectionDetails {
  /** What happened this time, in sentences without values. Default: what the problem says in general. */
  readonly happened?: string | undefined;
  /** What to do now. Default: what the problem says in general. */
  readonly advice?: string | undefined;
  readonly faults?: readonly Fault[] | undefined;
  /** Seconds until the caller should try again. */
  readonly retryAfter?: number | undefined;
  /** Headers of the response, e.g. `Allow`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cause?: unknown;
  /** Whether it is beyond a limit, as one before it was: then it is counted, and no line of its own is written about it. */
  readonly repeated?: boolean | undefined;
  /** Where an adapter's answer did not match its schema; for the log only. */
  readonly at?: string | undefined;
}

/** A request that ends in a problem: the only error that leaves `perform`. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly code: ProblemCode;
  readonly details: RejectionDetails;
  /** A stable code of why, for the log and the operator alone, where the caller must not know. */
  readonly reason: string | undefined;

  constructor(code: ProblemCode, details: RejectionDetails = {}, reason?: string) {
    super(code, { cause: details.cause });
    this.code = code;
    this.details = details;
    this.reason = reason;
  }
}

/** The kinds of failure whose message is sent to the caller. */
const publicKinds: ReadonlySet<FailureKind> = new Set(['invalid', 'not_found', 'conflict', 'unsupported']);

/** Maps an error that a handler threw to the problem that the caller sees. A backend's error is never shown as the caller's. */
export function toRejection(error: unknown, operation: Operation): Rejection {
  if (error instanceof Rejection) return error;
  if (!(error instanceof Failure)) return new Rejection('internal_error', { cause: error });
  const code =
    error.code && Object.hasOwn(problems, error.code) ? (error.code as ProblemCode) : problemOfKind[error.kind];
  return new Rejection(code, {
    happened: publicKinds.has(error.kind) ? formatSentence(error.message) : undefined,
    faults: error.kind === 'invalid' ? [toFault(error, operation)] : undefined,
    retryAfter: error.retryAfter,
    cause: error,
    at: error.kind === 'bad_answer' || error.kind === 'outcome_unknown' ? error.at : undefined,
  });
}

const idempotencyKey: Place = 'header /Idempotency-Key';

function toFault({ at, message }: Failure, operation: Operation): Fault {
  const places: Readonly<Record<string, Place>> = { idempotencyKey, ...operation.places };
  const place = (at && Object.hasOwn(places, at) && places[at]) || 'body /';
  const [part, pointer] = place.split(' ') as [Fault['in'], string];
  return { in: part, at: pointer === '/' ? '' : pointer, message };
}

const formatSentence = (message: string): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, '')}.`;

/** What `compat.strictStatusCodes` sends instead of statuses that the API document does not list for coverages and carriers. */
const listedStatuses: Readonly<Record<number, number>> = { 400: 422, 502: 500, 503: 500, 504: 500 };

/** The problem details (RFC 9457) of a rejection. `basePath` is the prefix of the gateway's own pages. */
export function toProblemBody(rejection: Rejection, requestId: string, basePath: string, strict = false): Problem {
  const { status, title, ...general } = problems[rejection.code];
  const { happened = general.happened, advice = general.advice, faults } = rejection.details;
  return {
    type: `${basePath}${getProblemPath(rejection.code)}`,
    title,
    status: strict ? (listedStatuses[status] ?? status) : status,
    detail: `${happened} ${advice}`,
    instance: `urn:puente:request:${encodeURIComponent(requestId)}`,
    code: rejection.code,
    ...(faults && { errors: faults }),
  };
}
