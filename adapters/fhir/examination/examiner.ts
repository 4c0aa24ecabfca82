import { randomUUID } from 'node:crypto';
import {
  type Call,
  type Capability,
  type Examination,
  type Finding,
  type Readiness,
  splitCapability,
} from '../../../src/ports/index.ts';
import { examineClock } from '../../../src/toolkit/http-client/examine-clock.ts';
import { examineConnection } from '../../../src/toolkit/http-client/examine-connection.ts';
import { isTooLate } from '../../../src/toolkit/http-client/failures.ts';
import { explainLoginFailure, LoginFailure } from '../../../src/toolkit/http-client/login-failure.ts';
import { ignoreFailure } from '../../../src/toolkit/ignore-failure.ts';
import type { FhirContext } from '../context.ts';
import type { Connection } from '../rest/connect.ts';
import { parseJson } from '../rest/decode.ts';
import type { Caller } from '../rest/transport.ts';
import { access, type TypeAccess } from './access.ts';
import { findCrowding } from './catalogue-size.ts';
import { describeFailure, describeRefusal } from './describe-reply.ts';
import { examineRights } from './rights.ts';
import { examineDeclaredWrites, examineVersion, type Statement } from './statement.ts';

/** What only ports know how to look at, where the gateway offers one of these. */
interface Look {
  readonly check: string;
  readonly uses: readonly Capability[];
  readonly examine: (context: FhirContext, call: Call) => AsyncIterable<Finding>;
}

/** Looks at the way to the FHIR server and at what it lets us do, by reads and by creates that must fail. */
export function createExamine(
  context: FhirContext,
  { client, transport, credentials, tls }: Connection,
  looks: readonly Look[],
): NonNullable<Readiness['examine']> {
  const { settings, catalogue } = context;
  const timeoutMs = settings.timeout;
  return async function* ({ signal, uses }) {
    const call: Caller = { signal, requestId: 'doctor' };
    const stages: (() => AsyncIterable<Finding>)[] = [
      () => examineConnection({ url: settings.baseUrl, setting: 'baseUrl', tls, timeoutMs }),
      () => examineLogin(signal),
      () => examineStatement(call, uses),
      () => examineRights(listNeeded(uses), { transport, auth: settings.auth }, call),
      () => examinePages(call),
      () => examineSizes(call),
      ...looks.filter((look) => look.uses.some((use) => uses.has(use))).map((look) => () => lookAt(look, call)),
    ];
    for (const stage of stages) {
      for await (const finding of stage()) {
        yield finding;
        if (finding.stops) return;
      }
    }
  };

  function listNeeded(uses: Examination['uses']): TypeAccess[] {
    const ports = new Set([...uses].map((capability) => splitCapability(capability)[0]));
    const isProbed = settings.transactions === 'probe';
    return access.filter((each) => each.ports.some((port) => ports.has(port)) && (isProbed || each.type !== 'Basic'));
  }

  async function* examineLogin(signal: AbortSignal): AsyncGenerator<Finding> {
    const { auth, baseUrl } = settings;
    if (!('tokenUrl' in auth)) return;
    // Through a proxy nothing of the way can be seen but what the login itself fails with.
    if (auth.proxy === undefined && new URL(auth.tokenUrl).origin !== new URL(baseUrl).origin) {
      const address = { url: auth.tokenUrl, setting: 'auth.tokenUrl', tls: { ca: tls.ca }, timeoutMs };
      for await (const finding of examineConnection(address)) {
        yield { ...finding, check: `login: ${finding.check}` };
        if (finding.stops) return;
      }
    }
    const check = 'login';
    try {
      await credentials.header(signal);
      yield { check, ok: true, detail: 'auth.tokenUrl gives a token' };
    } catch (error) {
      const why = error instanceof LoginFailure ? explainLoginFailure(error) : describeFailure(error);
      yield { check, ok: false, ...why, stops: true };
    }
  }

  async function* examineStatement(call: Caller, uses: Examination['uses']): AsyncGenerator<Finding> {
    const check = 'FHIR end point';
    let statement: Statement;
    const headers = { 'Cache-Control': 'no-cache' };
    const sentAt = Date.now();
    try {
      const reply = await transport.send({ method: 'GET', path: '/metadata', headers, write: false }, call);
      const refusal = describeRefusal(reply, settings.auth);
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
      const failure = describeFailure(error, settings.baseUrl.startsWith('https:'));
      // Some servers make it anew for minutes, and answer the rest.
      const stops = !isTooLate(error) && { stops: true as const };
      yield { check, ...failure, detail: `/metadata: ${failure.detail}`, ...stops };
      return;
    }
    const isTrusted = settings.transactions === 'trust';
    yield* examineDeclaredWrites(statement, listNeeded(uses), isTrusted);
  }

  /** Asks for as much as the ports ever do, of what nobody has. */
  async function* examinePages(call: Caller): AsyncGenerator<Finding> {
    await client.search('Location', { _id: randomUUID(), _count: '500' }, call).catch(ignoreFailure);
    const { count } = transport.searchLimits;
    if (count === undefined) return;
    const detail = `the server refuses pages of more than ${count} matches, or a few more, so that lists take more requests`;
    yield { check: 'pages', ok: null, detail, fix: 'let it take a _count of 500' };
  }

  async function* examineSizes(call: Caller): AsyncGenerator<Finding> {
    const check = 'size of the catalogue';
    const sizes = await catalogue.measure(call);
    const crowding = findCrowding(sizes, settings.limits);
    for (const { isOver, detail, fix } of crowding) yield { check, ok: isOver ? false : null, detail, fix };
    if (crowding.length > 0) return;
    yield sizes.length > 0
      ? { check, ok: true, detail: 'every part of it can be read whole' }
      : { check, ok: null, detail: 'the server does not count it' };
  }

  async function* lookAt({ check, examine }: Look, call: Caller): AsyncGenerator<Finding> {
    const { signal, requestId } = call;
    try {
      yield* examine(context, {
        ...{ signal, requestId, client: 'doctor', now: new Date().toISOString() },
        omit: () => undefined,
      });
    } catch (error) {
      yield { check, ...describeFailure(error) };
    }
  }
}
