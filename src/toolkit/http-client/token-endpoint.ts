import type { Axios, AxiosResponse } from 'axios';
import { z } from 'zod';
import { getCauseCode, sendAgainIfBroken, toNetworkFailure } from './failures.ts';
import { parseJsonObject } from './json.ts';
import { findLoginReason, LoginFailure } from './login-failure.ts';

/** How a client authenticates at a token endpoint: fields of the form, and headers. */
export type ClientProof = () => Promise<{ form: Record<string, string>; headers?: Record<string, string> }>;

export interface TokenSource {
  readonly http: Axios;
  readonly tokenUrl: string;
  readonly scope?: string | undefined;
  /** Further fields of the form, e.g. `audience` or `resource`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Milliseconds for one request to the token endpoint. */
  readonly timeout: number;
  readonly prove: ClientProof;
}

export interface Token {
  /** The value of the `Authorization` header. */
  readonly header: string;
  /** Milliseconds for which it is valid. */
  readonly validMs: number;
}

/** A number (RFC 6749, 5.1), which some servers write as text. */
const seconds = z.union([z.number(), z.string().trim().min(1).pipe(z.coerce.number())]).pipe(z.number().positive());
const tokenAnswer = z.looseObject({ access_token: z.string().min(1), expires_in: seconds.default(300) });

/** The OAuth error, of which only what looks like a code is believed: it is logged. */
const errorAnswer = z.object({
  error: z
    .string()
    .regex(/^[a-z]+(_[a-z]+){0,5}$/)
    .max(40)
    .optional()
    .catch(undefined),
  error_description: z.string().optional().catch(undefined),
});

/**
 * A token for client credentials (RFC 6749, 4.4). A connection that breaks is tried once more.
 * @throws LoginFailure
 */
export async function fetchToken(source: TokenSource, signal: AbortSignal): Promise<Token> {
  const sentAt = performance.now();
  const { host } = new URL(source.tokenUrl);
  const reply = await sendAgainIfBroken(() => sendLogin(source, signal), signal).catch((error: unknown) => {
    const failure = toNetworkFailure(error, false);
    const reason = failure.kind === 'bad_answer' ? 'login_bad_answer' : 'login_unreachable';
    throw new LoginFailure(reason, host, getCauseCode(failure) ?? failure.kind);
  });
  if (reply.status !== 200) throw toRefusal(reply, host);
  const answer = tokenAnswer.safeParse(readBody(reply));
  if (!answer.success) throw new LoginFailure('login_bad_answer', host, 'bad_token_answer');
  const validMs = answer.data.expires_in * 1000 - (performance.now() - sentAt);
  return { header: `Bearer ${answer.data.access_token}`, validMs: Math.max(validMs, 0) };
}

interface LoginReply extends Pick<AxiosResponse<Uint8Array>, 'status' | 'data' | 'headers'> {
  readonly signed: boolean;
}

async function sendLogin(source: TokenSource, signal: AbortSignal): Promise<LoginReply> {
  const { http, tokenUrl, scope, parameters, prove } = source;
  const { form, headers } = await prove();
  const fields = { ...parameters, grant_type: 'client_credentials', ...(scope !== undefined && { scope }), ...form };
  const options = { headers: { Accept: 'application/json', ...headers }, signal };
  const reply = await http.post<Uint8Array>(tokenUrl, new URLSearchParams(fields), options);
  return { status: reply.status, data: reply.data, headers: reply.headers, signed: 'client_assertion' in form };
}

function toRefusal(reply: LoginReply, host: string): LoginFailure {
  const { status, headers, signed } = reply;
  const { error, error_description: description } = errorAnswer.safeParse(readBody(reply)).data ?? {};
  const clockOffset = Date.parse(String(headers.date)) - Date.now();
  const reason = findLoginReason({ status, signed, error, description, clockOffset });
  return new LoginFailure(reason, host, error ?? `HTTP_${status}`);
}

/** The JSON object in a body; undefined when there is none. */
function readBody({ data, headers }: LoginReply): unknown {
  try {
    return parseJsonObject(data, String(headers['content-type'] ?? ''));
  } catch {
    return undefined;
  }
}
