import type { Capability } from '../ports/index.ts';
import type { Fixtures } from './fixtures.ts';
import type { Fail } from './outage.ts';
import type { PartialFixtures } from './promised-fixtures.ts';
import type { Request, Response, Route, Subject } from './subject.ts';

export interface HttpOptions {
  /** Where the gateway listens, base path included, without a slash at the end. */
  readonly baseUrl: string;
  /** A bearer token with every scope. Default: requests have none. */
  readonly token?: string | undefined;
  readonly supports: readonly Capability[];
  readonly fixtures: PartialFixtures;
  /** The routes that differ from those of the document. */
  readonly routes?: ReadonlyMap<string, Route>;
  /** Default: its system never fails, and cases of an outage are skipped. */
  readonly fail?: Fail | undefined;
  /** Milliseconds to wait for an answer. Default: a minute. */
  readonly timeout?: number;
}

/** A subject that sends its requests to a gateway over HTTP. A body that is not JSON counts as none. */
export function createHttpSubject(options: HttpOptions): Subject {
  const { supports, fixtures, fail } = options;
  return {
    send: (request) => sendRequest(options, request),
    supports: (capability) => supports.includes(capability),
    now: () => new Date(),
    fixtures: fixtures as Fixtures,
    fail,
  };
}

/** Sends the request to a gateway over HTTP. */
export async function sendRequest(
  { baseUrl, token, routes, timeout = 60_000 }: Omit<HttpOptions, 'supports' | 'fixtures' | 'fail'>,
  request: Request,
): Promise<Response> {
  const route = routes?.get(request.route) ?? request.route;
  const answer = await fetch(`${baseUrl}${fillPath(route, request)}`, {
    method: route.slice(0, route.indexOf(' ')),
    headers: {
      ...request.headers,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    signal: AbortSignal.timeout(timeout),
  });
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: parseJson(await answer.text()),
  };
}

/** Path and query of a request to that route. */
export function fillPath(route: Route, { params = {}, query = {} }: Pick<Request, 'params' | 'query'>): string {
  const path = route.slice(route.indexOf(' ') + 1);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
