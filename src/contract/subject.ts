import type { Capability } from '../ports/index.ts';
import type { Fixtures } from './fixtures.ts';
import type { Fail } from './outage.ts';

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
  /** More headers, which a subject in this process does not heed. */
  readonly headers?: Readonly<Record<string, string>>;
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
  /** A case reads those which its capabilities promise, and those which it names itself: others may be missing. */
  readonly fixtures: Fixtures;
  /** How the system behind it can be made to fail. */
  readonly fail?: Fail | undefined;
}
