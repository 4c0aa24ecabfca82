import type { Finding } from '../../../src/ports/index.ts';
import { isObject } from '../../../src/toolkit/http-client/json.ts';
import type { Interaction, TypeAccess } from './access.ts';

/** What a server says of itself at `/metadata`: nothing of it need be there, or true. */
export type Statement = Readonly<Record<string, unknown>>;

/** Whether the server speaks R4. */
export function examineVersion({ fhirVersion, software }: Statement): Finding {
  const check = 'FHIR version';
  const name = isObject(software) ? [software.name, software.version].filter((part) => typeof part === 'string') : [];
  const by = name.length > 0 ? `, ${name.join(' ')}` : '';
  if (typeof fhirVersion === 'string' && fhirVersion.startsWith('4.0')) {
    return { check, ok: true, detail: `the server speaks R4 (${fhirVersion})${by}` };
  }
  const said = typeof fhirVersion === 'string' ? `says version ${fhirVersion}` : 'does not say its version';
  return {
    check,
    ok: false,
    detail: `the server ${said}${by}: bookings, cancellations and tickets are refused`,
    fix: 'set baseUrl to its R4 (4.0) end point',
    stops: true,
  };
}

const writes: ReadonlySet<Interaction> = new Set(['create', 'update', 'delete']);

/** What the server says of the writes that are needed; what it says nothing of is not held against it. */
export function* examineDeclaredWrites(
  statement: Statement,
  needed: readonly TypeAccess[],
  isTrusted: boolean,
): Generator<Finding> {
  const [rest] = listObjects(statement.rest);
  const resources = listObjects(rest?.resource);
  if (!rest || resources.length === 0) {
    yield { check: 'writes', ok: null, detail: 'the server does not say which writes it takes' };
    return;
  }
  const missing = needed.flatMap(({ type, rights }) => {
    const codes = listCodes(resources.find((each) => each.type === type)?.interaction);
    const lacks = rights.filter((right) => writes.has(right) && !codes.includes(right));
    return lacks.length > 0 ? [`${type} (${lacks.join(', ')})`] : [];
  });
  const takes = missing.length > 0 ? `does not take: ${missing.join(', ')}` : 'takes every write that is needed';
  yield {
    check: 'writes',
    ok: missing.length === 0,
    detail: `the server says at /metadata that it ${takes}`,
    fix: 'switch these interactions on at the server, or leave out the ports that need them',
  };
  const check = 'transactions';
  if (!listCodes(rest.interaction).includes('transaction')) {
    const detail = 'the server does not say that it takes transactions: bookings, cancellations and tickets need them';
    yield { check, ok: false, detail, fix: 'switch transactions on at the server' };
    return;
  }
  const detail = 'the server says that it takes transactions; whether it does them as a whole only a write can show';
  const fix = isTrusted
    ? 'set transactions to probe, unless you know that it does'
    : 'start the gateway, which tries it with resources that it removes again, and look at /readyz';
  yield { check, ok: null, detail, fix };
}

const listCodes = (interactions: unknown): unknown[] => listObjects(interactions).map(({ code }) => code);

const listObjects = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
