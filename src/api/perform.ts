import { z } from 'zod';
import type { Call } from '../ports/index.ts';
import { explainIssue } from '../toolkit/problems.ts';
import { getField, isRecord } from '../toolkit/records.ts';
import { dropNulls } from './nulls.ts';
import { type AnyInput, getMethod, type Operation } from './operation.ts';
import type { Fault } from './problems.ts';
import { Rejection, toRejection } from './rejection.ts';
import { patientId } from './scalars.ts';

/** A decoded request before validation. */
export interface RawRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The answer of an operation. The body matches the declared schema. */
export interface Answer {
  readonly status: 200 | 201;
  readonly body: unknown;
  /** The path of the `Location` header, below the base path. */
  readonly location?: string;
  /** The version of the returned record. */
  readonly version?: string;
  /** The id of a new record, which may not be in the body. */
  readonly created?: string;
}

export interface PerformOptions {
  /** The treatment of unknown fields of a body: rejected, or dropped for callers that cannot be changed. */
  readonly unknownFields: 'reject' | 'ignore';
  /** The treatment of unknown query parameters. Default: they are ignored. */
  readonly unknownParameters?: 'reject' | undefined;
}

/**
 * Performs one operation on its port. It validates the request, calls the handler, validates the answer against its
 * schema and drops undeclared fields. It is independent of HTTP, so that the contract can use it on ports.
 * @throws Rejection, and no other error.
 */
export const perform = async (operation: Operation, port: unknown, raw: RawRequest, call: Call): Promise<Answer> =>
  execute(operation, port, parseInput(operation, raw), call);

/**
 * The second half of `perform`, for a validated request.
 * @throws Rejection, and no other error.
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
  const version = operation.versioned && isRecord(answer) ? answer.version : undefined;
  const created = getMethod(operation) === 'POST' ? findId(answer) : undefined;
  return {
    status,
    body: checked.data,
    ...(location !== undefined && { location }),
    ...(typeof version === 'string' && { version }),
    ...(created !== undefined && { created }),
  };
}

/** The id in a handler's answer, either at the top or in a model. */
function findId(answer: unknown): string | undefined {
  const [id, model] = [getField(answer, 'id'), getField(answer, 'model')];
  return typeof id === 'string' ? id : isRecord(model) ? findId(model) : undefined;
}

const compiled = new WeakMap<z.ZodType, z.ZodType>();

/** The schema with generated validation code, which takes half the time. It is compiled at the first answer. */
function compileOnce(schema: z.ZodType): z.ZodType {
  const known = compiled.get(schema) ?? z.compile(schema);
  compiled.set(schema, known);
  return known;
}

/** An issue distinguishes a missing value from a wrong one only with its input. `explainIssue` has default messages. */
const reporting = { reportInput: true, error: explainIssue };

/**
 * The first half of `perform`: the request with every value validated and every default filled in.
 * @throws Rejection `not_found` or `validation`.
 */
export function parseInput(
  operation: Operation,
  raw: RawRequest,
  { unknownFields, unknownParameters }: PerformOptions = { unknownFields: 'reject' },
): AnyInput {
  const params = operation.params?.safeParse(raw.params);
  if (params && !params.success) throw new Rejection('not_found');
  const query = operation.query?.safeParse(raw.query, reporting);
  const schema = operation.body;
  const isChange = getMethod(operation) === 'PUT';
  const body = schema && parseBody(schema, isChange ? raw.body : dropNulls(schema, raw.body), unknownFields);
  const faults = [
    ...(query?.error?.issues.flatMap((issue) => toFaults('query', issue)) ?? []),
    ...(body?.error?.issues.flatMap((issue) => toFaults('body', issue, isChange)) ?? []),
    ...(unknownParameters === 'reject' ? listUnknown(operation, raw.query).map(toUnknownFault) : []),
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
    const owner = issue.path.reduce<unknown>(getField, copy);
    if (isRecord(owner)) for (const key of issue.keys) delete owner[key];
  }
  return schema.safeParse(copy, reporting);
}

const listUnknown = ({ query }: Operation, given: RawRequest['query']): readonly string[] =>
  Object.keys(given).filter((name) => !Object.hasOwn(query?.shape ?? {}, name));

const toUnknownFault = (name: string): Fault => ({
  in: 'query',
  at: fieldName.test(name) ? `/${name}` : '',
  message: 'is an unknown parameter',
});

/** The maximum number of ignored parameters that are named. */
const MAX_IGNORED = 10;

/** The first ten unknown query parameters, by names that cannot be values. */
export const listIgnored = (operation: Operation, query: RawRequest['query']): readonly string[] =>
  listUnknown(operation, query)
    .filter((name) => fieldName.test(name))
    .slice(0, MAX_IGNORED);

/** The caller gets back only keys that look like field names, because others may be values. */
const fieldName = /^[A-Za-z_][A-Za-z_-]{0,39}$/;

function toFaults(part: 'query' | 'body', issue: z.core.$ZodIssue, isChange = false): Fault[] {
  const at = toJsonPointer(issue.path);
  if (isChange && issue.input === null && at !== '') return [{ in: part, at, message: nullMessage }];
  if (issue.code !== 'unrecognized_keys') return [{ in: part, at, message: toSentence(issue) }];
  return issue.keys.map((key) => ({
    in: part,
    at: fieldName.test(key) ? `${at}/${key}` : at,
    message: 'is an unknown field',
  }));
}

const nullMessage = 'must not be null, because null could ask to erase the value: leave the field out to keep it';

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

/** A field of a request with a patient's id. */
export type PatientField = readonly [part: keyof AnyInput, name: string];

/** The fields that are declared as a patient's id. */
export function findPatientFields({ params, query, body }: Operation): readonly PatientField[] {
  const parts = [
    ['params', params],
    ['query', query],
    ['body', body],
  ] as const;
  return parts.flatMap(([part, schema]) => {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema instanceof z.ZodObject ? schema.shape : {};
    const named = Object.entries(shape).filter(([, field]) => unwrap(field) === patientId);
    return named.map(([name]): PatientField => [part, name]);
  });
}

/** The optional fields. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = getField(schema._zod.def, 'innerType');
  return inner instanceof z.core.$ZodType ? unwrap(inner) : schema;
}
