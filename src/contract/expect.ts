import assert from 'node:assert/strict';
import { z } from 'zod';
import { Failure } from '../ports/index.ts';
import { getFields } from '../toolkit/records.ts';
import type { Request, Response, Subject } from './subject.ts';
import { Skipped, UNASKED } from './thrown.ts';

/** What a value of a request or an answer looks like. */
export type Shape = z.ZodType;

/** The same as a document prints it: an object with exactly these fields, or a list with at least one item like this one. */
export type Form = Shape | readonly Form[] | Fields;

export interface Fields {
  readonly [name: string]: Form;
}

/** What has that form. */
export type Value<F> =
  F extends z.ZodType<infer V>
    ? V
    : F extends readonly (infer I)[]
      ? readonly Value<I>[]
      : { readonly [K in keyof F]: Value<F[K]> };

/** A list is not empty, so that the shape of its items is checked. Of an object a field that is missing is an error, and so is one more. */
export function toShape(form: Form): Shape {
  if (form instanceof z.ZodType) return form;
  if (isList(form))
    return z.array(toShape(form[0]!)).min(1, 'is empty: the fixtures must name something that has some');
  return z.strictObject(Object.fromEntries(Object.entries(form).map(([name, field]) => [name, toShape(field)])));
}

const isList = (form: Exclude<Form, Shape>): form is readonly Form[] => Array.isArray(form);

/** Fields that all look like this. */
export const each = <F extends Form, N extends string>(form: F, ...names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, form])) as Readonly<Record<N, F>>;

/** @throws AssertionError that names each place below `at`, never a value, when the value does not have this shape. */
export function checkShape(shape: Shape, value: unknown, at: string): void {
  const { error } = shape.safeParse(value);
  const faults = error?.issues.map(({ path, message }) => `${[at, ...path].join('/')}: ${message}`) ?? [];
  assert.ok(faults.length === 0, faults.join('\n'));
}

/** A text that does not have this shape. */
export const getMisfit = (shape: Shape): string => String(z.globalRegistry.get(shape)?.misfit ?? '\u0000');

const createPattern = (what: string, form: RegExp, misfit: string) =>
  z.string().regex(form, `is not ${what}`).meta({ misfit });

const month = '(0[1-9]|1[0-2])';
const dayOfMonth = '(0[1-9]|[12]\\d|3[01])';
const time = '([01]\\d|2[0-3]):[0-5]\\d';

export const text = z.string();
export const id = createPattern('an id', /^[^\s/\\?#%]{1,128}$/, 'two words');
export const day = createPattern('a day YYYY-MM-DD', new RegExp(`^\\d{4}-${month}-${dayOfMonth}$`), '2026-02-30');
export const slashDay = createPattern('a day YYYY/MM/DD', new RegExp(`^\\d{4}/${month}/${dayOfMonth}$`), '2026/02/30');
export const localDateTime = createPattern(
  'a local date-time YYYY-MM-DDThh:mm:ss',
  new RegExp(`^\\d{4}-${month}-${dayOfMonth}T${time}:[0-5]\\d$`),
  'noon',
);
export const clock = createPattern('a time hh:mm', new RegExp(`^${time}$`), '25:00');
export const instant = createPattern(
  'a UTC timestamp with milliseconds (ISO 8601)',
  new RegExp(`^\\d{4}-${month}-${dayOfMonth}T${time}:[0-5]\\d\\.\\d{3}Z$`),
  'noon',
);
export const url = createPattern('a URL', /^https?:\/\/\S+$/, 'nowhere');
export const digits = createPattern('a whole number in digits', /^\d+$/, 'many');
export const bool = z.boolean();
export const integer = z.int();
export const number = z.number();

export const enumeration = (...values: readonly string[]) => z.enum(values).meta({ misfit: 'none-of-these' });

/** The document's boolean in words. */
export const flag = enumeration('true', 'false');

export const union = <A extends Shape, B extends Shape>(first: A, second: B) => z.union([first, second]);
export const { nullable } = z;

/** A list that may be empty. */
export const array = <F extends Form>(item: F) => z.array(toShape(item)) as z.ZodArray<z.ZodType<Value<F>>>;

/** A field that may be missing. */
export const { optional } = z;

/** `{}`, or this shape. */
export const orEmpty = <F extends Form>(inner: F) => union(toShape({}), toShape(inner)) as z.ZodType<Partial<Value<F>>>;

const problemShape = toShape({
  type: text,
  title: text,
  status: integer,
  detail: text,
  instance: text,
  code: text,
  errors: optional(array({ in: enumeration('body', 'query', 'path', 'header'), at: text, message: text })),
});

/** The name of the patients that the cases register, which no problem may contain. */
export const invented = { name: 'Zulma', last_name: 'Quiroga' } as const;

interface ProblemBody {
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly errors?: readonly { readonly in: string; readonly at: string }[];
}

/**
 * The body of the answer, whose status must be the one expected. `T` is the part that the caller reads; the cases of
 * document-conformance.ts prove the whole shape.
 */
export async function getBody<T>(subject: Subject, request: Request, status: 200 | 201 = 200): Promise<T> {
  return (await getResponse(subject, request, status)).body as T;
}

/** The list in that field of the body. */
export async function getList<T>(subject: Subject, field: string, request: Request): Promise<T[]> {
  const list = (await getBody<Readonly<Record<string, T[]>>>(subject, request))[field];
  assert.ok(Array.isArray(list), `${request.route} answers without a list ${field}`);
  return list;
}

/** As `getBody`, with the headers. */
export async function getResponse(subject: Subject, request: Request, status: 200 | 201): Promise<Response> {
  const response = await subject.send(request);
  checkSuccess(request.route, response, status);
  return response;
}

/** @throws AssertionError that says what was answered, without a value, where that is no JSON with this status. */
export function checkSuccess(route: string, response: Response, status: 200 | 201): void {
  assert.equal(response.status, status, `${route} answers ${describeResponse(response)} instead of ${status}`);
  checkContentType(response, 'application/json');
}

/** What a booking may say that a system may have no place for, and what its appointment shows then. */
const dispensable = { copay: null, authorization: null };

/**
 * As `getResponse`, of a booking with all that it may say. A system that has no place for the copay or the authorisation
 * answers 501, so that they are not lost, and books without them.
 */
export async function getResponseToAll(subject: Subject, request: Request, status: 200 | 201) {
  try {
    return { ...(await getResponse(subject, request, status)), refused: {} };
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
  }
  const fields = Object.entries(getFields(request.body)).filter(([name]) => !(name in dispensable));
  const least = { ...request, body: Object.fromEntries(fields) };
  return { ...(await getResponse(subject, least, status)), refused: dispensable };
}

/** Asserts how many there are, and says of what. */
export const expectCount = ({ length }: readonly unknown[], count: number, what: string): void =>
  assert.equal(length, count, `there are ${length} ${what} instead of ${count}`);

/** Asserts that the request is refused with problem details of this status and code. */
export async function expectProblem(
  subject: Subject,
  request: Request,
  status: number,
  code: string,
): Promise<ProblemBody> {
  const response = await subject.send(request);
  assert.equal(
    response.status,
    status,
    `${request.route} answers ${describeResponse(response)} instead of ${status} ${code}`,
  );
  checkContentType(response, 'application/problem+json');
  checkShape(problemShape, response.body, 'problem');
  const problem = response.body as ProblemBody;
  assert.equal(problem.code, code);
  assert.equal(problem.status, status);
  assert.ok(!problem.detail.includes(invented.last_name), 'the problem says the name of a patient');
  return problem;
}

/** Asserts that the request is refused with 422 and a fault at that place, e.g. `body /fields/0/value`. */
export async function expectFault(
  subject: Subject,
  request: Request,
  place: string | readonly string[],
  code = 'validation',
): Promise<void> {
  const { errors = [] } = await expectProblem(subject, request, 422, code);
  const places = errors.map((fault) => `${fault.in} ${fault.at}`);
  const wanted = [place].flat();
  const isThere = places.some((each) => wanted.includes(each));
  assert.ok(isThere, `${request.route} finds faults at ${places.join(', ')} instead of ${wanted.join(' or ')}`);
}

/** In process an answer has no Content-Type. */
function checkContentType({ headers }: Response, expected: string): void {
  const [type = ''] = headers['content-type']?.split(';') ?? [expected];
  assert.equal(type.trim().toLowerCase(), expected, 'the Content-Type');
}

const describeResponse = ({ status, headers, body }: Response): string => {
  const { code, errors = [] } = (body ?? {}) as Partial<ProblemBody>;
  const places = errors.map((fault) => `${fault.in} ${fault.at}`);
  const unasked = headers[UNASKED] && '(to the request itself: the adapter was not asked, see the fixtures)';
  return [status, code, ...places, status < 300 && sketch(body), unasked].filter(Boolean).join(' ');
};

/** The fields of a body and what kinds of values they have, to so many levels; no value. */
function sketch(value: unknown, levels = 3): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.length} × ${sketch(value[0], levels - 1)}]`;
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${name}: ${sketch(each, levels - 1)}`)
    .join(', ')} }`;
}

/** Asserts that a call of a port fails with a Failure that has these. */
export const expectFailure = (
  call: Promise<unknown>,
  expected: Partial<Pick<Failure, 'kind' | 'code' | 'at'>>,
  message?: string,
): Promise<void> =>
  assert.rejects(
    call,
    (error) =>
      error instanceof Failure && Object.entries(expected).every(([name, value]) => Reflect.get(error, name) === value),
    message,
  );
