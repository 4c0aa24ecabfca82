import assert from 'node:assert/strict';
import { Failure } from '../ports/index.ts';
import { getFields } from '../toolkit/records.ts';
import { checkShape, getSchema } from './document.ts';
import type { Request, Respondent, Response } from './exchange.ts';
import { Skipped } from './thrown.ts';

/** The name of the patients that the cases register, which no problem may contain. */
export const invented = { name: 'Zulma', last_name: 'Quiroga' } as const;

interface ProblemBody {
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly errors?: readonly { readonly in: string; readonly at: string }[];
}

/**
 * The body of the response, which must have the expected status. `T` is the part that the caller reads. The cases of
 * document-conformance.ts check the whole shape.
 */
export async function getBody<T>(subject: Respondent, request: Request, status: 200 | 201 = 200): Promise<T> {
  return (await getResponse(subject, request, status)).body as T;
}

/** The list in that field of the body. */
export async function getList<T>(subject: Respondent, field: string, request: Request): Promise<T[]> {
  const list = (await getBody<Readonly<Record<string, T[]>>>(subject, request))[field];
  assert.ok(Array.isArray(list), `${request.route} answers without the list ${field}`);
  return list;
}

/** Like `getBody`, with the headers. */
export async function getResponse(subject: Respondent, request: Request, status: 200 | 201): Promise<Response> {
  const response = await subject.send(request);
  checkSuccess(request.route, response, status);
  return response;
}

/**
 * @throws AssertionError if the response is not JSON with this status. The message describes the response without its
 * values.
 */
export function checkSuccess(route: string, response: Response, status: 200 | 201): void {
  assert.equal(response.status, status, `${route} answers ${describeResponse(response)} instead of ${status}`);
  checkContentType(response, 'application/json');
}

/** The booking fields that a system may not store, and the values of its appointment in that case. */
const dispensable = { copay: null, authorization: null };

/**
 * Like `getResponse`, for a booking with all optional fields. A system that cannot store the copay or the authorization
 * answers 501, so that it does not lose them, and accepts the booking without them.
 */
export async function getResponseToAll(subject: Respondent, request: Request, status: 200 | 201) {
  try {
    return { ...(await getResponse(subject, request, status)), refused: {} };
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
  }
  const fields = Object.entries(getFields(request.body)).filter(([name]) => !(name in dispensable));
  const least = { ...request, body: Object.fromEntries(fields) };
  return { ...(await getResponse(subject, least, status)), refused: dispensable };
}

/** The ids that a list must have, and those that it must not have. */
interface ExpectedIds {
  readonly has?: readonly string[];
  readonly lacks?: readonly string[];
}

/** Asserts which ids are listed. The message names the list by `what`, and each wrong id. */
export function expectIds(listed: readonly string[], what: string, { has = [], lacks = [] }: ExpectedIds): void {
  const missing = has.filter((id) => !listed.includes(id));
  const wrong = lacks.filter((id) => listed.includes(id));
  const found = `${what} lists ${listed.length} records`;
  assert.ok(missing.length === 0, `${found}, and ${missing.join(' and ')} is missing`);
  assert.ok(wrong.length === 0, `${found}, and ${wrong.join(' and ')} is among them`);
}

/**
 * Asserts that an institution has what its fixtures promise. `found` is what the adapter returned, and `what` is the
 * promise. Either the adapter or the fixture may be wrong.
 */
export function expectPromised(found: unknown, what: string): asserts found {
  assert.ok(found, `${what} is not returned: look in the system whether the adapter omits it or the fixture is wrong`);
}

/** Asserts the number of items. The message names them by `what`. */
export const expectCount = ({ length }: readonly unknown[], count: number, what: string): void =>
  assert.equal(length, count, `there are ${length} ${what} instead of ${count}`);

/** Asserts that the subject refuses the request with problem details of this status and code. */
export async function expectProblem(
  subject: Respondent,
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
  checkShape(getSchema('Problem'), response.body, 'problem');
  const problem = response.body as ProblemBody;
  assert.equal(problem.code, code);
  assert.equal(problem.status, status);
  assert.ok(!problem.detail.includes(invented.last_name), 'the problem contains the name of a patient');
  return problem;
}

/** Asserts that the subject refuses the request with 422 and a fault at that place, e.g. `body /fields/0/value`. */
export async function expectFault(
  subject: Respondent,
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

/** In process, a response has no Content-Type. */
function checkContentType({ headers }: Response, expected: string): void {
  const [type = ''] = headers['content-type']?.split(';') ?? [expected];
  assert.equal(type.trim().toLowerCase(), expected, 'the Content-Type');
}

const describeResponse = ({ status, body, isUnasked }: Response): string => {
  const { code, errors = [] } = (body ?? {}) as Partial<ProblemBody>;
  const places = errors.map((fault) => `${fault.in} ${fault.at}`);
  const unasked = isUnasked && '(to the request itself: the adapter was not called)';
  return [status, code, ...places, status < 300 && sketch(body), unasked].filter(Boolean).join(' ');
};

/** The fields of a body and the types of their values, down to this number of levels. Contains no value. */
function sketch(value: unknown, levels = 3): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.length} × ${sketch(value[0], levels - 1)}]`;
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${name}: ${sketch(each, levels - 1)}`)
    .join(', ')} }`;
}

/** Asserts that a port call fails with a Failure that has these properties. */
export const expectFailure = (
  call: Promise<unknown>,
  expected: Partial<Pick<Failure, 'kind' | 'code' | 'at'>>,
  message?: string,
): Promise<void> =>
  assert.rejects(
    call,
    (error) => {
      if (error instanceof assert.AssertionError) throw error;
      return (
        error instanceof Failure &&
        Object.entries(expected).every(([name, value]) => Reflect.get(error, name) === value)
      );
    },
    message,
  );
