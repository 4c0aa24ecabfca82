export type Route = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`;

/** The parameters of a query string. */
export type Query = Readonly<Record<string, string>>;

/** A request in the words of the API document. */
export interface Request {
  /** Method and path as in the document, with the path's parameters in braces. */
  readonly route: Route;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
  /** More headers. A subject in this process ignores them. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Response {
  readonly status: number;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded JSON. */
  readonly body: unknown;
  /** True if a subject in this process refused the request before it asked the adapter. */
  readonly isUnasked?: true;
}

/** A server for requests of the API document. */
export interface Respondent {
  send(request: Request): Promise<Response>;
}
