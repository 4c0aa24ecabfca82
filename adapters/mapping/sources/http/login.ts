import type { AxiosInstance } from 'axios';
import { Failure } from '../../../../src/ports/index.ts';
import { Cached } from '../../../../src/toolkit/cached.ts';
import { createCredentials } from '../../../../src/toolkit/http-client/access.ts';
import { toNetworkFailure } from '../../../../src/toolkit/http-client/failures.ts';
import type { HttpOptions } from '../../../../src/toolkit/http-client/http-options.ts';
import { readSecret } from '../../../../src/toolkit/secret.ts';
import type { SourceCall, Values } from '../source.ts';
import { findMeaning, findText, readAnswer } from './answer.ts';
import type { HttpSettings, SessionLogin } from './schema.ts';
import { fillRequest, type Template } from './template.ts';
import { addUsernameToken } from './ws-security.ts';

export type Headers = Readonly<Record<string, string>>;

/** What tells the system who asks. */
export interface Login {
  /** Headers of every request. */
  get(call: SourceCall): Promise<Headers>;
  /** Other ones after `stale` were refused, if there are any. All callers share one renewal. */
  renew(stale: Headers, call: SourceCall): Promise<Headers | undefined>;
  /** The body of a request with what tells it there. */
  sign?(body: string): string;
}

/** @throws SettingsProblem when a secret is missing, or a key cannot be used. */
export async function createLogin(settings: HttpSettings, http: AxiosInstance, options: HttpOptions): Promise<Login> {
  const { login: auth, url } = settings;
  if (auth.kind === 'session') return createSession(auth, settings, http);
  if (auth.kind === 'ws-security') {
    const password = readSecret(auth.password, 'http.login');
    const sign = (body: string) => addUsernameToken(body, auth.user, password, auth.digest);
    return { get: async () => ({}), renew: async () => undefined, sign };
  }
  const credentials = await createCredentials({ auth }, url, options, 'http.login');
  const toHeaders = (value?: string): Headers => (value === undefined ? {} : { Authorization: value });
  return {
    get: async ({ signal }) => toHeaders(await credentials.header(signal)),
    renew: async ({ Authorization: stale }, { signal }) => {
      const renewed = await credentials.renew(stale, signal);
      return renewed === stale ? undefined : toHeaders(renewed);
    },
  };
}

/** A session that a request begins and that all callers share; failed logins are repeated at growing intervals. */
function createSession(login: SessionLogin, settings: HttpSettings, http: AxiosInstance): Login {
  const { template, secrets } = takeSecrets(login, 'http.login');
  const session = new Cached<Headers, SourceCall>((call) => logIn(template, secrets, settings, http, call), {
    ttlMs: () => Number.POSITIVE_INFINITY,
    staleMs: () => 0,
    timeoutMs: settings.timeout,
  });
  return {
    get: (call) => session.get(call),
    renew: async (stale, call) => {
      const current = await session.get(call);
      return current === stale ? session.reload(call) : current;
    },
  };
}

/** A request with a `:name` in the place of each secret, the secrets, and the references to them. */
export type Taken<T> = { readonly template: T; readonly secrets: Values; readonly references: Values };

export function takeSecrets<T extends Template>(definition: T, setting: string, read = readSecret): Taken<T> {
  const secrets: Record<string, string[]> = {};
  const references: Record<string, string[]> = {};
  const take = (reference: string): string => {
    const name = `secret${Object.keys(secrets).length}`;
    secrets[name] = [read(reference, setting)];
    references[name] = [reference];
    return `:${name}`;
  };
  const text = JSON.stringify(definition, (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (/^(env|file):/.test(value)) return take(value);
    return value.replace(/(?<=>\s*)(env|file):[^<>]+?(?=\s*<)/g, take);
  });
  return { template: JSON.parse(text), secrets, references };
}

async function logIn(
  template: SessionLogin,
  secrets: Values,
  settings: HttpSettings,
  http: AxiosInstance,
  { signal, observe }: SourceCall,
): Promise<Headers> {
  const { method, path, headers, body } = fillRequest(template, secrets, settings.charset);
  const reply = await http
    .request<Uint8Array>({ method, url: path, headers: { ...headers }, data: body, signal })
    .catch((error: unknown) => {
      throw toNetworkFailure(error, false);
    });
  const answer = readAnswer(reply, settings);
  observe?.({ sent: template.request, answer: '', status: answer.status });
  const { token: at, tokenHeader = '', header, before } = template;
  const token = at === undefined ? answer.headers[tokenHeader.toLowerCase()] : findText(answer.content, at);
  const cookies = [answer.headers['set-cookie'] ?? []].flat().map((cookie) => String(cookie).split(';')[0]);
  const isIn =
    findMeaning(answer, settings.errors) === 'good' &&
    (header === undefined ? cookies.length > 0 : token !== undefined);
  if (!isIn) {
    const cause = { code: 'login_refused' };
    throw new Failure('unavailable', 'the system does not let us in', { code: 'backend_auth', cause });
  }
  return {
    ...(header !== undefined && { [header]: `${before}${token}` }),
    ...(cookies.length > 0 && { Cookie: cookies.join('; ') }),
  };
}
