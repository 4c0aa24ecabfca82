import type { Call, Examination, Finding } from '../../../src/ports/index.ts';
import { splitCapability } from '../../../src/ports/index.ts';
import { examineClock } from '../../../src/toolkit/http-client/examine-clock.ts';
import { examineConnection } from '../../../src/toolkit/http-client/examine-connection.ts';
import { explainLoginFailure, LoginFailure } from '../../../src/toolkit/http-client/login-failure.ts';
import type { FhirContext } from '../context.ts';
import type { Connection } from '../rest/connect.ts';
import { parseJson } from '../rest/decode.ts';
import type { Caller } from '../rest/transport.ts';
import { access, type TypeAccess } from './access.ts';
import { findCrowding } from './catalogue-size.ts';
import { describeFailure, describeRefusal } from './describe-reply.ts';
import { examineOffsets } from './offsets.ts';
import { examineRights } from './rights.ts';
import { examineDeclaredWrites, examineVersion, type Statement } from './statement.ts';

/** What only ports know how to look at. */
interface Looks {
  /** At the free slots that nobody is offered. */
  readonly slots: (call: Call) => AsyncIterable<Finding>;
  /** At whether patients are found by their documents. */
  readonly documents: (call: Caller) => Promise<Finding>;
}

/** Looks at the way to the FHIR server and at what it lets us do, by reads alone. */
export class FhirExaminer {
  readonly #context: FhirContext;
  readonly #connection: Connection;
  readonly #timeZone: string;
  readonly #looks: Looks;

  constructor(context: FhirContext, connection: Connection, timeZone: string, looks: Looks) {
    this.#context = context;
    this.#connection = connection;
    this.#timeZone = timeZone;
    this.#looks = looks;
  }

  async *examine({ signal, uses }: Examination): AsyncGenerator<Finding> {
    const { settings } = this.#context;
    const call: Caller = { signal, requestId: 'doctor' };
    const stages: (() => AsyncIterable<Finding>)[] = [
      () => examineConnection({ url: settings.baseUrl, setting: 'baseUrl', ...this.#way }),
      () => this.#examineLogin(signal),
      () => this.#examineStatement(call, uses),
      () => examineRights(this.#listNeeded(uses), { transport: this.#connection.transport, auth: settings.auth }, call),
      () => this.#examineSizes(call),
      () => this.#examineTimes(call, uses),
      () => this.#examinePatients(call, uses),
    ];
    for (const stage of stages) {
      for await (const finding of stage()) {
        yield finding;
        if (finding.stops) return;
      }
    }
  }

  get #way() {
    return { tls: this.#connection.tls, timeoutMs: this.#context.settings.timeout };
  }

  #listNeeded(uses: Examination['uses']): TypeAccess[] {
    const ports = new Set([...uses].map((capability) => splitCapability(capability)[0]));
    const isProbed = this.#context.settings.transactions === 'probe';
    return access.filter((each) => each.ports.some((port) => ports.has(port)) && (isProbed || each.type !== 'Basic'));
  }

  async *#examineLogin(signal: AbortSignal): AsyncGenerator<Finding> {
    const { auth, baseUrl } = this.#context.settings;
    if (!('tokenUrl' in auth)) return;
    // Through a proxy nothing of the way can be seen but what the login itself fails with.
    if (auth.proxy === undefined && new URL(auth.tokenUrl).origin !== new URL(baseUrl).origin) {
      const { ca } = this.#way.tls;
      const way = { ...this.#way, tls: ca === undefined ? {} : { ca } };
      for await (const finding of examineConnection({ url: auth.tokenUrl, setting: 'auth.tokenUrl', ...way })) {
        yield { ...finding, check: `login: ${finding.check}` };
        if (finding.stops) return;
      }
    }
    const check = 'login';
    try {
      await this.#connection.credentials.header(signal);
      yield { check, ok: true, detail: 'auth.tokenUrl gives a token' };
    } catch (error) {
      const why = error instanceof LoginFailure ? explainLoginFailure(error) : describeFailure(error);
      yield { check, ok: false, ...why, stops: true };
    }
  }

  async *#examineStatement(call: Caller, uses: Examination['uses']): AsyncGenerator<Finding> {
    const check = 'FHIR end point';
    let statement: Statement;
    const { transport } = this.#connection;
    const headers = { 'Cache-Control': 'no-cache' };
    const sentAt = Date.now();
    try {
      const reply = await transport.send({ method: 'GET', path: '/metadata', headers, write: false }, call);
      const refusal = describeRefusal(reply, this.#context.settings.auth);
      if (refusal) {
        yield { check, ...refusal, detail: `/metadata: ${refusal.detail}`, stops: true };
        return;
      }
      const receivedAt = Date.now();
      statement = parseJson(reply);
      if (statement.resourceType !== 'CapabilityStatement') {
        const fix = 'set baseUrl to the FHIR end point';
        yield { check, ok: false, detail: '/metadata: the answer is no CapabilityStatement', fix, stops: true };
        return;
      }
      yield { check, ok: true, detail: `/metadata answers in ${receivedAt - sentAt} ms` };
      yield examineVersion(statement);
      yield examineClock({ headers: reply.headers, sentAt, receivedAt });
    } catch (error) {
      const failure = describeFailure(error, this.#context.settings.baseUrl.startsWith('https:'));
      yield { check, ...failure, detail: `/metadata: ${failure.detail}`, stops: true };
      return;
    }
    const isTrusted = this.#context.settings.transactions === 'trust';
    yield* examineDeclaredWrites(statement, this.#listNeeded(uses), isTrusted);
  }

  async *#examineSizes(call: Caller): AsyncGenerator<Finding> {
    const check = 'size of the catalogue';
    const sizes = await this.#context.catalogue.measure(call);
    const crowding = findCrowding(sizes, this.#context.settings.limits);
    for (const { isOver, detail, fix } of crowding) yield { check, ok: isOver ? false : null, detail, fix };
    if (crowding.length > 0) return;
    yield sizes.length > 0
      ? { check, ok: true, detail: 'every part of it can be read whole' }
      : { check, ok: null, detail: 'the server does not count it' };
  }

  async *#examinePatients(call: Caller, uses: Examination['uses']): AsyncGenerator<Finding> {
    if (uses.has('patients.search') || uses.has('patients.register')) yield this.#looks.documents(call);
  }

  /** Slots name no patient. */
  async *#examineTimes(call: Caller, uses: Examination['uses']): AsyncGenerator<Finding> {
    if (!uses.has('appointments.slots')) return;
    try {
      const query = { start: `ge${new Date().toISOString()}`, _count: '50' };
      const options = { enough: 50, lenient: true } as const;
      const { matches } = await this.#connection.client.search('Slot', query, call, options);
      const starts = matches.map(({ start }) => start);
      yield examineOffsets(starts, this.#context.zone, this.#timeZone);
    } catch (error) {
      yield { check: 'time zone', ...describeFailure(error) };
    }
    try {
      yield* this.#looks.slots({ ...call, client: 'doctor', now: new Date().toISOString(), omit: () => undefined });
    } catch (error) {
      yield { check: 'free slots', ...describeFailure(error) };
    }
  }
}
