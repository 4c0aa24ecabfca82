import type { AxiosInstance, AxiosResponse } from 'axios';
import { createHttpClient } from '../../../src/http-client/axios.ts';
import { badAnswer, parseRetryAfter, toNetworkFailure } from '../../../src/http-client/failures.ts';
import { type Call, type Capability, Failure, type FailureKind, writes } from '../../../src/ports/index.ts';
import { raceAbort, throwIfAborted } from '../../../src/toolkit/failures.ts';
import { getField, omitUndefined } from '../../../src/toolkit/records.ts';
import type { Asked } from './system.ts';

interface Refusal {
  readonly kind: FailureKind;
  readonly message: string;
  readonly code?: string;
  readonly at?: string;
}

/** Asks the legacy system as the adapter of the tests does. */
export class LegacyClient {
  readonly #http: AxiosInstance;
  #login: Promise<string> | undefined;

  constructor(url: string) {
    const options = { base: url, timeout: 5_000, maxBytes: 10_000_000, tls: {} };
    this.#http = createHttpClient(options, { responseType: 'json', validateStatus: null });
  }

  async ask(capability: Capability, given: readonly unknown[], call: Call): Promise<unknown> {
    throwIfAborted(call);
    const { now, client, idempotencyKey, ifMatch } = call;
    const asked = { given, call: { now, client, ...omitUndefined({ idempotencyKey, ifMatch }) } };
    const answer = await this.askAsUser(capability, asked, call);
    return this.read(answer, writes.includes(capability));
  }

  /** With the login of before, and with a new one where that is refused. */
  protected async askAsUser(capability: Capability, asked: Asked, call: Call): Promise<AxiosResponse<unknown>> {
    const token = await this.getToken(call);
    const login = this.#login;
    const answer = await this.send(capability, asked, call, token);
    if (answer.status !== 401) return answer;
    // Another caller may have logged in again meanwhile.
    if (this.#login === login) this.forgetLogin();
    return this.send(capability, asked, call, await this.getToken(call));
  }

  /** One login for all callers, which ends with none of them. */
  protected async getToken({ signal }: Call): Promise<string> {
    this.#login ??= this.login().catch((error: unknown) => {
      this.forgetLogin();
      throw error;
    });
    return raceAbort(this.#login, signal);
  }

  protected forgetLogin(): void {
    this.#login = undefined;
  }

  protected async login(signal?: AbortSignal): Promise<string> {
    const answer = await this.#http
      .post<{ token: string }>('login', {}, signal ? { signal } : {})
      .catch((error: unknown) => {
        throw toNetworkFailure(error, false);
      });
    if (answer.status === 401) throw new Failure('unavailable', 'the system refuses the login');
    const token = getField(answer.data, 'token');
    return typeof token === 'string' ? token : String(this.read(answer, false));
  }

  protected headers(token: string, call: Call): Readonly<Record<string, string>> {
    return { Authorization: `Bearer ${token}`, 'X-Request-Id': call.requestId };
  }

  protected async send(
    capability: Capability,
    asked: Asked,
    call: Call,
    token: string,
  ): Promise<AxiosResponse<unknown>> {
    const isWrite = writes.includes(capability);
    const url = capability.replace('.', '/');
    const options = { headers: this.headers(token, call), signal: call.signal };
    const sent = isWrite
      ? this.#http.post<unknown>(url, asked, options)
      : this.#http.get<unknown>(url, { ...options, params: { asked: JSON.stringify(asked) } });
    return sent.catch((error: unknown) => {
      throw this.explain(error, isWrite);
    });
  }

  protected explain(error: unknown, isWrite: boolean): Failure {
    return toNetworkFailure(error, isWrite);
  }

  /** Many writes answer nothing. */
  protected readAnswer(data: unknown, isWrite: boolean): unknown {
    const answer: unknown = getField(data, 'answer');
    if (answer === undefined && !isWrite) throw badAnswer('NO_ANSWER');
    return answer;
  }

  protected read({ status, data, headers }: AxiosResponse<unknown>, isWrite: boolean): unknown {
    const cause = { code: `HTTP_${status}` };
    if (status === 200) return this.readAnswer(data, isWrite);
    if (status === 403) throw new Failure('unavailable', 'the system forbids it', { cause });
    if (status === 429) {
      const retryAfter = parseRetryAfter(headers['retry-after']);
      throw new Failure('overloaded', 'the system has too many requests', { cause, retryAfter });
    }
    if (status === 409) {
      const { kind, message, ...details } = data as Refusal;
      throw new Failure(kind, message, details);
    }
    if (isWrite && status !== 401) throw new Failure('outcome_unknown', 'the system fails amid a write');
    if (status === 404) throw badAnswer('HTTP_404');
    throw new Failure('unavailable', 'the system fails');
  }
}
