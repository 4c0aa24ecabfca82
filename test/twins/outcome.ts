import type { Response, Route } from '../../src/contract/subject.ts';
import { gaps } from './gaps.ts';
import { sortTies } from './lists.ts';

/** What an answer says, without what no two adapters have in common: request ids, gaps. */
export interface Outcome {
  readonly status: number;
  /** Of a problem. */
  readonly code?: string;
  /** Where its faults lie, e.g. `body /date`. */
  readonly places?: readonly string[];
  /** What it says in words. */
  readonly detail?: string;
  readonly location?: string;
  /** How many records a list leaves out because they cannot be shown. */
  readonly omitted?: string | undefined;
  readonly body?: unknown;
}

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly in: string; readonly at: string }[];
}

/** @param mask replaces what differs between adapters although it means the same. */
export function toOutcome(
  route: Route,
  { status, headers, body }: Response,
  mask: (value: unknown) => unknown,
): Outcome {
  if (status >= 400) {
    const { code, detail, errors = [] } = body as Problem;
    const places = errors.map((fault) => `${fault.in} ${fault.at}`).toSorted();
    return { status, code, detail, ...(places.length > 0 && { places }) };
  }
  const { location, omitted } = headers;
  return {
    status,
    ...(location && { location }),
    ...(omitted !== '0' && { omitted }),
    body: sortTies(route, dropGaps(route, body), mask),
  };
}

function dropGaps(route: Route, body: unknown): unknown {
  const own = gaps.filter((gap) => gap.route === route);
  if (own.some(({ field }) => field === undefined)) return {};
  const dropped = new Set(own.map(({ field }) => field));
  if (dropped.size === 0) return body;
  return JSON.parse(JSON.stringify(body), (key, part: unknown) => (dropped.has(key) ? undefined : part));
}

/** A place in two answers at which they say different things; undefined where one says nothing. */
export interface Difference {
  /** JSON pointer; its first part is the number of the answer among those that were asked for at once. */
  readonly at: string;
  readonly memory: unknown;
  readonly fhir: unknown;
}

/** Where two values differ. */
export function listDifferences(memory: unknown, fhir: unknown, at = ''): Difference[] {
  if (isObject(memory) && isObject(fhir) && Array.isArray(memory) === Array.isArray(fhir)) {
    const keys = new Set([...Object.keys(memory), ...Object.keys(fhir)]);
    return [...keys].flatMap((key) => listDifferences(memory[key], fhir[key], `${at}/${key}`));
  }
  return Object.is(memory, fhir) ? [] : [{ at, memory, fhir }];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The answer in a word: `409 slot_taken`, `422 validation body /date`. */
export const formatOutcome = ({ status, code, places = [] }: Outcome): string =>
  [status, code, ...places].filter((part) => part !== undefined).join(' ');
