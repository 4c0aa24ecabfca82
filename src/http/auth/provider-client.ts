import { anyAnswer, createHttpClient } from '../../toolkit/http-client/axios.ts';
import type { TimedAnswer } from '../../toolkit/http-client/examine-clock.ts';
import {
  badAnswer,
  createTimeoutFailure,
  sendAgainIfBroken,
  toNetworkFailure,
} from '../../toolkit/http-client/failures.ts';
import { parseJsonObject, SMALL_ANSWER } from '../../toolkit/http-client/json.ts';

/** How an identity provider is reached. */
export interface ProviderNetwork {
  /** Certificate authorities to trust instead of the usual ones, in PEM. */
  readonly ca?: string | undefined;
  /** The URL of an HTTP proxy. */
  readonly proxy?: string | undefined;
}

export interface ProviderRequest {
  readonly url: URL;
  readonly signal: AbortSignal;
  /** Given, it is a POST of these fields. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ProviderAnswer extends TimedAnswer {
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Sends a request to an identity provider, once more when a connection breaks that was kept open.
 * @throws Failure whose `cause` has the `code` of the network, or `HTTP_` and a status that is not 200.
 */
export type AskProvider = (request: ProviderRequest) => Promise<ProviderAnswer>;

/** Milliseconds for one request. */
export const PROVIDER_TIMEOUT_MS = 2_000;

export function createProviderClient({ ca, proxy }: ProviderNetwork = {}): AskProvider {
  const options = { timeout: PROVIDER_TIMEOUT_MS, maxBytes: SMALL_ANSWER, tls: { ca }, proxy };
  const http = createHttpClient(options, anyAnswer);

  async function send({ url, signal, form, headers: given }: ProviderRequest): Promise<ProviderAnswer> {
    const sentAt = Date.now();
    const { status, data, headers } = await http.request<Uint8Array>({
      method: form ? 'POST' : 'GET',
      url: url.href,
      signal,
      headers: { Accept: 'application/json', ...given },
      data: form && new URLSearchParams(form),
    });
    if (status !== 200) throw badAnswer(`HTTP_${status}`);
    const known = ['date', 'age'].filter((name) => headers[name] !== undefined);
    return {
      // Key sets come as plain files too, whose type is whatever their server makes of the name.
      body: parseJsonObject(data, 'application/json'),
      headers: Object.fromEntries(known.map((name) => [name, String(headers[name])])),
      sentAt,
      receivedAt: Date.now(),
    };
  }

  return (request) =>
    sendAgainIfBroken(() => send(request), request.signal).catch((error: unknown) => {
      // Of an error of axios only the code may survive: the rest holds the token and the client's secret.
      throw request.signal.aborted ? createTimeoutFailure('ETIMEDOUT') : toNetworkFailure(error, false);
    });
}
