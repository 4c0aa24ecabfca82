import { z } from 'zod';
import { type Call, type Capability, type Day, type PortFor, type PortName, splitCapability } from '../ports/index.ts';
import type { ProblemCode } from './problem-types.ts';
import type { Scope } from './scopes.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
/** Method and path template as the API document prints them, trailing slash included. */
export type Route = `${Method} /${string}`;

/** A request that succeeds in the sandbox hospital, with the values that the caller sends. */
export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The day of that name, so many weeks after the current week; weeks begin on Monday. */
export type DayAhead = (weeks: number, day: Weekday) => Day;
export const weekdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;
export type Weekday = (typeof weekdays)[number];

/** The part of a request that has a fault, and within it a JSON pointer (RFC 6901) or the name of a parameter. */
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
  readonly route: Route;
  readonly summary: string;
  /** What the API document leaves open and this gateway decided; published as an addition. */
  readonly additions?: readonly string[];
  readonly scope: Scope;
  /** The methods of one port that it calls, the one that it is for first. Its handler receives them and no others. */
  readonly uses: readonly [C, ...C[]];
  /** An invalid value answers 404: no resource can have such an id. */
  readonly params?: P;
  /** Unknown parameters are ignored, repeated ones refused. */
  readonly query?: Q;
  /** A `strictObject`: unknown fields are refused, unless `compat.unknownFields` is `ignore`. */
  readonly body?: B;
  /** The maximum size of the body in bytes; default 64 KiB. */
  readonly bodyLimit?: number;
  readonly example: Example | ((ahead: DayAhead) => Example);
  /** The success status and the schema of its body. The schema has no transforms; what it does not declare is dropped. */
  readonly returns: readonly [200 | 201, R];
  /** The path that the `Location` header names. */
  readonly location?: (input: Input<P, Q, B>, answer: A) => string;
  /** The ids of the patients in its body, where the request names none. */
  readonly patientsIn?: (body: z.output<R>) => readonly string[];
  /** The problems that its port can cause, beyond those that every operation shares. */
  readonly fails?: readonly ProblemCode[];
  /** The place in the request of each field that an `invalid` failure can name in `at`. */
  readonly places?: Readonly<Record<string, Place>>;
  /** The API document lists this operation's statuses: `compat.strictStatusCodes` maps all others to them. */
  readonly listedStatuses?: true;
  readonly handle: (port: PortFor<C>, input: Input<P, Q, B>, call: Call) => Promise<A>;
}

/** A request as the handler gets it: checked, with every default filled in. */
export interface Input<P, Q, B> {
  readonly params: Parsed<P>;
  readonly query: Parsed<Q>;
  readonly body: Parsed<B>;
}

/** The same, of any operation. */
export interface AnyInput {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** One operation as routing, validation, authorisation, OpenAPI and the contract read it. */
export interface Operation
  extends Omit<
    Declaration<Capability, undefined, undefined, undefined, z.ZodUnknown, unknown>,
    'params' | 'query' | 'body' | 'returns' | 'location' | 'patientsIn' | 'handle'
  > {
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  readonly returns: readonly [200 | 201, z.ZodType];
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

/** The port whose methods the operation calls. */
export const getPortName = (operation: Operation): PortName => splitCapability(operation.uses[0])[0];

/** Whether `supports` has every capability that the operation uses. */
export const isOffered = ({ uses }: Operation, supports: ReadonlySet<Capability>): boolean =>
  uses.every((capability) => supports.has(capability));

/** Whether the operation changes the institution's data. */
export const isWrite = ({ scope }: Operation): boolean => scope.endsWith(':write');

/** Whether the answer is a list, bare or in a field: then it may be without records that cannot be shown. */
export const answersList = ({ returns: [, body] }: Operation): boolean =>
  [body, ...(body instanceof z.ZodObject ? Object.values(body.shape) : [])].some((each) => each instanceof z.ZodArray);

/** The example, its days relative to `now`. */
export function buildExample(operation: Operation, now: Date): Example {
  return typeof operation.example === 'function' ? operation.example(createDayAhead(now)) : operation.example;
}

/** Computes days of coming weeks from the UTC day of `now`. */
function createDayAhead(now: Date): DayAhead {
  return (weeks, day) => {
    const sinceMonday = (now.getUTCDay() + 6) % 7;
    const date = new Date(now);
    date.setUTCDate(date.getUTCDate() - sinceMonday + weeks * 7 + weekdays.indexOf(day));
    return date.toISOString().slice(0, 10);
  };
}
