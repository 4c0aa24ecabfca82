import { z } from 'zod';
import {
  type Call,
  type Capability,
  type Day,
  type PortFor,
  type PortName,
  splitCapability,
  type Weekday,
  weekdays,
} from '../ports/index.ts';
import { addDays, getWeekday } from '../toolkit/zone.ts';
import type { ProblemCode } from './problems.ts';

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;
export type Method = (typeof methods)[number];
/** Method and path template as in the API document, including trailing slashes. */
export type OperationRoute = `${Method} /${string}`;

/** A successful request in the sandbox hospital, with the caller's values. */
export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The day with this name, this number of weeks after the current week. Weeks begin on Monday. */
export type DayAhead = (weeks: number, day: Weekday) => Day;

/** The part of a request with a fault, and a JSON pointer (RFC 6901) into it or the name of a parameter. */
export type Place = `${'body' | 'query' | 'path' | 'header'} /${string}`;

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** One operation, with the types of its own schemas. */
export interface Declaration<
  C extends Capability,
  P extends z.ZodObject | undefined,
  Q extends z.ZodObject | undefined,
  B extends z.ZodType | undefined,
  R extends z.ZodType,
  A extends z.input<R>,
> {
  /** The operationId. */
  readonly name: string;
  readonly route: OperationRoute;
  readonly summary: string;
  /** Decisions of this gateway about gaps of the API document. They are published as additions. */
  readonly additions?: readonly string[];
  readonly scope: Scope;
  /** The port methods that it calls, the main one first. Its handler receives only these methods. */
  readonly uses: readonly [C, ...C[]];
  /** An invalid value answers 404, because no resource can have such an id. */
  readonly params?: P;
  /** Unknown parameters are ignored, and repeated ones are refused. */
  readonly query?: Q;
  /**
   * A `strictObject`: unknown fields are refused, unless `compat.unknownFields` is `ignore`. Null counts as absent in
   * optional fields, but a `PUT` rejects it, because it could ask to erase the value.
   */
  readonly body?: B;
  /** The maximum size of the body in bytes. Default: 64 KiB. */
  readonly bodyLimit?: number;
  readonly example: Example | ((ahead: DayAhead) => Example);
  /** The success status and the schema of its body. The schema has no transforms, and undeclared fields are dropped. */
  readonly returns: readonly [200 | 201, R];
  /** The path of the `Location` header. */
  readonly location?: (input: Input<P, Q, B>, answer: A) => string;
  /** Its handler may add a `version` to the answer. It is not in the body: the `ETag` header has it in quotes. */
  readonly versioned?: true;
  /** It changes a record whose version `If-Match` can name. */
  readonly conditional?: true;
  /** The ids of the patients in its body, who may differ from those of the request. */
  readonly patientsIn?: (body: z.output<R>) => readonly string[];
  /** The problems that its port can cause, in addition to those of every operation. */
  readonly fails?: readonly ProblemCode[];
  /** The place in the request of each field that an `invalid` failure can name in `at`. */
  readonly places?: Readonly<Record<string, Place>>;
  /** The API document lists this operation's statuses. `compat.strictStatusCodes` maps all others to them. */
  readonly listedStatuses?: true;
  readonly handle: (port: PortFor<C>, input: Input<P, Q, B>, call: Call) => Promise<A>;
}

/** The handler's request: validated, with every default filled in. */
export interface Input<P, Q, B> {
  readonly params: Parsed<P>;
  readonly query: Parsed<Q>;
  readonly body: Parsed<B>;
}

/** The same for any operation. */
export interface AnyInput {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** One operation for routing, validation, authorization, OpenAPI and the contract. */
export interface Operation
  extends Omit<
    Declaration<Capability, undefined, undefined, undefined, z.ZodUnknown, unknown>,
    'params' | 'query' | 'body' | 'returns' | 'location' | 'patientsIn' | 'handle'
  > {
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  readonly returns: readonly [200 | 201, z.ZodType];
  /** The declared route, if a configured one replaces it. */
  readonly declaredRoute?: OperationRoute;
  location?(input: AnyInput, answer: unknown): string;
  patientsIn?(body: unknown): readonly string[];
  handle(port: unknown, input: AnyInput, call: Call): Promise<unknown>;
}

/** Declares one operation. The types of the schemas become the types of the handler. */
export function operation<
  const C extends Capability,
  R extends z.ZodType,
  A extends z.input<R>,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(declaration: Declaration<C, P, Q, B, R, A>): Operation {
  return declaration;
}

/**
 * The method of the declared route, which shows whether the operation creates, changes or removes a record. The body of
 * a `PUT` changes one: absent fields stay the same, and null is refused, because it could ask to erase a value.
 */
export const getMethod = ({ route, declaredRoute = route }: Operation): Method =>
  methods.find((method) => declaredRoute.startsWith(`${method} `)) ?? 'GET';

/** The port whose methods the operation calls. */
export const getPortName = (operation: Operation): PortName => splitCapability(operation.uses[0])[0];

/** True if `supports` has every capability that the operation uses. */
export const isOffered = ({ uses }: Operation, supports: ReadonlySet<Capability>): boolean =>
  uses.every((capability) => supports.has(capability));

/** True if the operation changes the institution's data. */
export const isWrite = ({ scope }: Operation): boolean => scope.endsWith(':write');

/** True if the answer is a list, bare or in a field. Such a list may omit invalid records. */
export const answersList = ({ returns: [, body] }: Operation): boolean =>
  [body, ...(body instanceof z.ZodObject ? Object.values<z.core.$ZodType>(body.shape) : [])].some(
    (each) => each instanceof z.ZodArray,
  );

/** The example with days relative to `now`. */
export function buildExample(operation: Operation, now: Date): Example {
  return typeof operation.example === 'function' ? operation.example(createDayAhead(now)) : operation.example;
}

/** Computes days of coming weeks from the UTC day of `now`. */
function createDayAhead(now: Date): DayAhead {
  return (weeks, day) => {
    const today = now.toISOString().slice(0, 10);
    return addDays(today, weeks * 7 + weekdays.indexOf(day) - getWeekday(today));
  };
}

/** `METHOD /path` for operations of Group B, by operationId. */
export type Paths = Readonly<Record<string, string>>;

export interface RouteProblem {
  readonly operation: string;
  readonly problem: string;
}

/** Group B with the configured routes, which `findRouteProblems` must have accepted. The API document has no routes. */
export const applyRoutes = (groupB: readonly Operation[], paths: Paths): readonly Operation[] =>
  groupB.map((operation) => {
    const route = paths[operation.name] ?? '';
    return isRoute(route) ? { ...operation, route, declaredRoute: operation.route } : operation;
  });

/** Each configured route of Group B that cannot be served, and the reason. Empty if all can. */
export function findRouteProblems(
  groupA: readonly Operation[],
  groupB: readonly Operation[],
  paths: Paths,
): readonly RouteProblem[] {
  const all = [...groupA, ...applyRoutes(groupB, paths)];
  return Object.entries(paths).flatMap(([name, route]) => {
    const operation = groupB.find((candidate) => candidate.name === name);
    const problem = operation ? findProblem(operation, route, all) : 'unknown operation of Group B';
    return problem === undefined ? [] : [{ operation: name, problem }];
  });
}

const routePattern = /^(GET|POST|PUT|DELETE) ((?:\/(?:[A-Za-z0-9._~-]+|\{[A-Za-z][A-Za-z0-9_]*\}))+\/?)$/;
const isRoute = (text: string): text is OperationRoute => routePattern.test(text);
const gatewayPaths: ReadonlySet<string> = new Set([
  'livez',
  'readyz',
  'capabilities',
  'docs',
  'openapi.json',
  'problems',
]);

function findProblem(operation: Operation, route: string, all: readonly Operation[]): string | undefined {
  const [, method, path] = routePattern.exec(route) ?? [];
  if (!method || !path) return 'must be a method and a path, e.g. POST /coverages';
  if (operation.body && !['POST', 'PUT'].includes(method)) return 'must be POST or PUT, since the operation has a body';
  const wanted = Object.keys(operation.params?.shape ?? {});
  const given = splitPath(path).flatMap((segment) => /^\{(.+)\}$/.exec(segment)?.[1] ?? []);
  if (wanted.toSorted().join() !== given.toSorted().join()) {
    return wanted.length === 0
      ? 'must have no parameter in its path'
      : `must have ${wanted.map((name) => `{${name}}`).join(', ')} in its path, once, and no other parameter`;
  }
  const [first = ''] = splitPath(path);
  if (gatewayPaths.has(first)) return `starts with a path of the gateway: /${first}`;
  const rival = all.find((other) => other.name !== operation.name && overlaps(other.route, route));
  return rival && `conflicts with ${rival.name}, which has the route ${rival.route}`;
}

const splitPath = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '');

function overlaps(one: string, other: string): boolean {
  const [method, path = ''] = one.split(' ');
  const [otherMethod, otherPath = ''] = other.split(' ');
  const [a, b] = [splitPath(path), splitPath(otherPath)];
  return (
    method === otherMethod &&
    a.length === b.length &&
    a.every((segment, i) => segment === b[i] || segment.startsWith('{') || b[i]?.startsWith('{'))
  );
}

/** Every scope of a token, and what it allows. */
export const scopes = {
  'patients:read': 'Search and read patients, their main practitioner, family group and health insurances',
  'patients:write': 'Register and update patients',
  'family:write': 'Add and remove members of a family group',
  'tickets:read': 'Read ticket types and tickets',
  'tickets:write': 'File tickets',
  'appointments:read': 'Read appointments',
  'appointments:write': 'Book and cancel appointments',
  'slots:read': 'Search available appointment slots',
  'practitioner-change:read': 'Read a request to change the main practitioner',
  'practitioner-change:write': 'Request another main practitioner',
  'coverage:write': 'Create and edit coverages',
  'insurance:read': 'Read health insurance carriers and plans',
  'services:read': 'Search health care services',
  'directory:read': 'Read practitioners, locations, change reasons and the medical directory',
  'ops:read': 'Read the capabilities of this gateway',
  sandbox: 'Set the scenarios, the clock and the data of a sandbox',
} as const;

export type Scope = keyof typeof scopes;
const isScope = (name: string): name is Scope => Object.hasOwn(scopes, name);

export const allScopes: readonly Scope[] = Object.keys(scopes).filter(isScope);
