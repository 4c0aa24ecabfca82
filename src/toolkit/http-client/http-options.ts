/** How servers are reached. */
export interface HttpOptions {
  /** Milliseconds that one request may take, from its first byte to the last byte of the answer; a request may say fewer. */
  readonly timeout: number;
  /** The URL that every path is below, without a slash at its end; without it requests have absolute URLs. */
  readonly base?: string | undefined;
  /** Most bytes of an answer, packed and unpacked. */
  readonly maxBytes: number;
  /** Most requests at once to one origin; further ones wait, which counts as their time. Without it there is no bound. */
  readonly connections?: number | undefined;
  /** PEM. */
  readonly tls: { readonly [Part in 'ca' | 'cert' | 'key']?: string | undefined };
  /** The URL of an HTTP proxy; without it none is used, whatever the environment says. */
  readonly proxy?: string | undefined;
}
