import assert from 'node:assert/strict';
import type { Capability } from '../ports/index.ts';
import {
  type FixtureName,
  type FixturesWith,
  listMissing,
  type PartialFixtures,
  type PromisedBy,
  promisedFixtures,
} from './promised-fixtures.ts';

export type Route = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`;

/** The parameters of a query string. */
export type Query = Readonly<Record<string, string>>;

/** A request in the words of the API document. */
export interface Request {
  /** Method and path as the document prints them, with the path's parameters in braces. */
  readonly route: Route;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
}

export interface Response {
  readonly status: number;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded JSON. */
  readonly body: unknown;
}

/** Something that answers the documented API for one institution, with the fixtures of that institution. */
export interface Subject {
  send(request: Request): Promise<Response>;
  /** Whether the institution says that it offers it. */
  supports(capability: Capability): boolean;
  /** The subject's clock. */
  now(): Date;
  readonly fixtures: PartialFixtures;
}

/** A subject that offers these, and names these fixtures besides those which they promise. */
export type SubjectWith<C extends Capability, F extends FixtureName = never, S extends Subject = Subject> = S & {
  readonly fixtures: FixturesWith<PromisedBy<C> | F>;
};

/**
 * Whether the subject offers all these capabilities, and names these fixtures.
 * @throws AssertionError when it offers them, but does not name what they promise.
 */
export function offers<C extends Capability, F extends FixtureName = never, S extends Subject = Subject>(
  subject: S,
  capabilities: readonly C[],
  fixtures: readonly F[] = [],
): subject is SubjectWith<C, F, S> {
  if (!capabilities.every((capability) => subject.supports(capability))) return false;
  for (const capability of capabilities) {
    const missing = listMissing(subject.fixtures, promisedFixtures[capability]);
    if (missing.length > 0) assert.fail(`${capability} is offered, but the fixtures name no ${missing.join(', ')}`);
  }
  return listMissing(subject.fixtures, fixtures).length === 0;
}

/**
 * The subject, with the fixtures that these capabilities promise, and these.
 * @throws Error when it does not offer them.
 */
export function requireOffer<C extends Capability, F extends FixtureName = never, S extends Subject = Subject>(
  subject: S,
  capabilities: readonly C[],
  fixtures: readonly F[] = [],
): SubjectWith<C, F, S> {
  if (!offers(subject, capabilities, fixtures)) {
    throw new Error(`the subject lacks some of ${[...capabilities, ...fixtures].join(', ')}`);
  }
  return subject;
}
