import type { IncomingHttpHeaders } from 'node:http';

/** One request as it came over the wire. */
export interface LoggedRequest {
  readonly method: string;
  /** The request target, byte for byte. */
  readonly target: string;
  /** What lies behind the base URL, without the query and as sent: `Patient/_search`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the server was asked, oldest first. */
export class AccessLog {
  readonly #requests: LoggedRequest[] = [];

  get all(): readonly LoggedRequest[] {
    return this.#requests;
  }

  /** Method and path of each request, for call budgets: `GET Patient/1`. */
  get calls(): readonly string[] {
    return this.#requests.map(({ method, path }) => `${method} ${path}`);
  }

  add(request: LoggedRequest): void {
    this.#requests.push(request);
  }

  reset(): void {
    this.#requests.length = 0;
  }
}
