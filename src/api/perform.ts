import { z } from 'zod';
import type { Call } from '../ports/index.ts';
import { explainIssue } from '../toolkit/problems.ts';
import { getField, isRecord } from '../toolkit/records.ts';
import { dropNulls } from './nulls.ts';
import type { AnyInput, Operation } from './operation.ts';
import type { Fault } from './problems.ts';
import { Rejection, toRejection } from './rejection.ts';
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
  /** The version of what it answers. */
  readonly version?: string;
  /** The id of what a write has made, which not every body has. */
  readonly created?: string;
}

export interface PerformOptions {
  /** The treatment of unknown fields of a body: rejected, or dropped for a caller that cannot change. */
  readonly unknownFields: 'reject' | 'ignore';
  /** True if parameters of a query that the operation does not have are refused too; default: they are ignored. */
  readonly unknownParameters?: 'reject' | undefined;
}

/**
 * Performs one operation on its port: checks the request, calls the handler, checks the answer against its schema and
 * drops from it what is not declared. Knows no HTTP, so that the contract can use it on the ports alone.
 * @throws Rejection, and nothing else.
 */
export const perform = async (operation: Operation, port: unknown, raw: RawRequest, call: Call): Promise<Answer> =>
  execute(operation, port, parseInput(operation, raw), call);

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
  const version = operation.versioned && isRecord(answer) ? answer.version : undefined;
  const created = operation.route.startsWith('POST') ? findId(answer) : undefined;
  return {
    status,
    body: checked.data,
    ...(location !== undefined && { location }),
    ...(typeof version === 'string' && { version }),
    ...(created !== undefined && { created }),
  };
}

/** The id that a handler answers with, for itself or in a model. */
function findId(answer: unknown): string | undefined {
  const [id, model] = [getField(answer, 'id'), getField(answer, 'model')];
  return typeof id === 'string' ? id : isRecord(model) ? findId(model) : undefined;
}

const compiled = new WeakMap<z.ZodType, z.ZodType>();

/** The schema with generated code for what matches it, which takes half the time; not before the first answer needs it. */
function compileOnce(schema: z.ZodType): z.ZodType {
  const known = compiled.get(schema) ?? z.compile(schema);
  compiled.set(schema, known);
  return known;
}

/** Only with its input does an issue distinguish a missing value from a wrong one. `explainIssue` has default messages. */
const reporting = { reportInput: true, error: explainIssue };

/**
 * The first half of `perform`: the request with every value checked and every default filled in.
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
  const body = schema && parseBody(schema, operation.changes ? raw.body : dropNulls(schema, raw.body), unknownFields);
  const faults = [
    ...(query?.error?.issues.flatMap((issue) => toFaults('query', issue)) ?? []),
    ...(body?.error?.issues.flatMap((issue) => toFaults('body', issue, operation.changes)) ?? []),
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

/** How many ignored parameters are named. */
const MAX_IGNORED = 10;

/** The first ten parameters of a query that the operation does not have, by names that are no values. */
export const listIgnored = (operation: Operation, query: RawRequest['query']): readonly string[] =>
  listUnknown(operation, query)
    .filter((name) => fieldName.test(name))
    .slice(0, MAX_IGNORED);

/** Only a key that looks like the name of a field is repeated to the caller: others may be values. */
const fieldName = /^[A-Za-z_][A-Za-z_-]{0,39}$/;

function toFaults(part: 'query' | 'body', issue: z.core.$ZodIssue, changes = false): Fault[] {
  const at = toJsonPointer(issue.path);
  if (changes && issue.input === null && at !== '') return [{ in: part, at, message: nullMessage }];
  if (issue.code !== 'unrecognized_keys') return [{ in: part, at, message: toSentence(issue) }];
  return issue.keys.map((key) => ({
    in: part,
    at: fieldName.test(key) ? `${at}/${key}` : at,
    message: 'is an unknown field',
  }));
}

const nullMessage = 'must not be null, which could mean to erase the value: leave the field out to keep it';

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
