import assert from 'node:assert/strict';
import { type Capability, Failure, type Offer, writes } from '../ports/index.ts';
import { getField, getFields } from '../toolkit/records.ts';
import { secretsRead } from '../toolkit/secret.ts';
import { readOutput, type WrittenText } from './output.ts';

/** Words of the API itself, which are not data of a patient. */
const ownWords = /^(?:DNI|Passport|Other|Female|Male|active|canceled|ascending|descending|CONSULTA|PRACTICA)$/;

/** Adds every text and number of a value to the set. */
function collect(value: unknown, values: Set<string>): void {
  if (typeof value === 'object' && value !== null) {
    if (!(value instanceof AbortSignal)) for (const each of Object.values(value)) collect(each, values);
  } else if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    if (text.length >= 3 && !ownWords.test(text)) values.add(text);
  }
}

/** True if the text contains the value as separate words. */
function says(text: string, value: string): boolean {
  const isWord = (char = '') => /[\p{L}\p{N}]/u.test(char);
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (!isWord(text[at - 1]) && !isWord(text[at + value.length])) return true;
  }
  return false;
}

/** The minimum length of a secret: a shorter one may occur by chance. */
const MIN_SECRET = 8;

/** The secrets of settings that were read since this module was loaded, and the passwords in their addresses. */
const secrets = new Set<string>();
secretsRead.subscribe((read) => {
  const secret = String(read);
  const password = URL.canParse(secret) ? decodeURIComponent(new URL(secret).password) : '';
  for (const each of [secret, password]) if (each.length >= MIN_SECRET) secrets.add(each);
});

/** The maximum length of a text whose words are decoded. A response with a file is longer. */
const MAX_DECODED = 10_000;

/** The text, followed by its words decoded from Base64, as in logins, and from URL escapes. */
function decodeWords(text: string): string {
  if (text.length > MAX_DECODED) return text;
  return [
    text,
    ...Array.from(text.matchAll(/[\w+/-]{12,}={0,2}/g), ([word]) => Buffer.from(word, 'base64').toString()),
    text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) => Buffer.from(escaped.replaceAll('%', ''), 'hex').toString()),
  ].join('\n');
}

/** @throws AssertionError if one of the texts contains a secret. The message does not contain it. */
function expectNoSecret(texts: readonly unknown[], what: string): void {
  if (secrets.size === 0) return;
  for (const text of texts) {
    const decoded = decodeWords(String(text));
    const isTold = [...secrets].some((secret) => says(decoded, secret));
    assert.ok(!isTold, `${what} contains a secret of the settings`);
  }
}

/**
 * Watches the ports of an adapter. A call fails with an AssertionError if a Failure or the output of the process
 * contains a value of an earlier call or of a returned patient. It also fails if any error, output or response contains
 * a secret of the settings, or if a method changes its arguments.
 * @param ofPatients contains more values of patients, such as their names in the fixtures.
 * @param note receives every error of the ports.
 * @param rest runs after each write.
 */
export function watchFailures<O extends Offer>(
  ports: O,
  note: NoteThrown = () => {},
  ofPatients?: unknown,
  rest: () => Promise<void> = async () => {},
): O {
  const values = new Set<string>();
  collect(ofPatients, values);
  const written: WrittenText[] = [];
  return new Proxy(ports, {
    get: (offer, name) => {
      const port: unknown = Reflect.get(offer, name);
      return typeof port === 'object' && port !== null
        ? watchPort(port, { values, written, note, rest, portName: String(name) })
        : port;
    },
  });
}

type NoteThrown = (thrown: unknown, method: string) => void;

interface WatchedValues {
  readonly values: Set<string>;
  /** The output of calls that was not checked yet. */
  readonly written: WrittenText[];
  readonly note: NoteThrown;
  readonly rest: () => Promise<void>;
  readonly portName: string;
}

const watchPort = (port: object, { values, written, note, rest, portName }: WatchedValues): object =>
  new Proxy(port, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return async (...given: readonly unknown[]) => {
        const asked = given.slice(0, -1);
        collect(asked, values);
        const before = JSON.stringify(asked);
        const omitted: string[] = [];
        let returned: unknown;
        try {
          const call = watchOmitted(given.at(-1), omitted);
          const work = async (): Promise<unknown> => Reflect.apply(method, target, [...asked, call]);
          returned = await readOutput(String(name), written, work);
          if (unordered.has(`${portName}.${String(name)}`)) returned = sortRows(returned);
          if (portName === 'directory') returned = sortWithin(returned);
          if (portName === 'patients') collect(returned, values);
        } catch (error) {
          expectNoSecret(listTexts(error), `an error of ${String(name)}`);
          note(error, `${portName}.${String(name)}`);
          if (error instanceof Failure) {
            const cause = String(getField(error.cause, 'code') ?? '').replace(/^HTTP_\d{3}$/, '');
            const text = `${error.message} ${error.code ?? ''} ${error.at ?? ''} ${cause}`;
            expectNone([text], values, `a Failure of ${String(name)}`);
          }
          throw error;
        } finally {
          for (const { method: by, text } of written.splice(0)) {
            expectNoSecret([text], `the output of ${by}`);
            expectNone([text], values, `the output of ${by}`);
          }
          expectNone(omitted, values, `a record that ${String(name)} omits`);
          assert.equal(JSON.stringify(asked), before, `${String(name)} changes its arguments`);
        }
        if (writes.some((write) => write === `${portName}.${String(name)}`)) await rest();
        if (secrets.size > 0) expectNoSecret([JSON.stringify(returned)], `a response of ${String(name)}`);
        return returned;
      };
    },
  });

/** The same context of a call. It adds the kinds of omitted records to the list. */
const watchOmitted = (call: unknown, omitted: string[]): unknown => {
  const omit = getField(call, 'omit');
  if (typeof omit !== 'function') return call;
  const note = (...given: readonly unknown[]): unknown => {
    omitted.push(JSON.stringify(given[0]));
    return Reflect.apply(omit, call, given);
  };
  return { ...getFields(call), omit: note };
};

/** The lists for which the ports promise no order. Their rows may change places between two calls. */
const unordered: ReadonlySet<string> = new Set<Capability>([
  'patients.search',
  'tickets.types',
  'insurance.plans',
  'insurance.coverages',
  'practitioners.list',
  'practitioners.changeReasons',
  'family-groups.list',
  'directory.locations',
  'directory.entries',
]);

/** The rows in one order. */
function sortRows(rows: unknown): unknown {
  if (!Array.isArray(rows)) return rows;
  const sorted = Object.isFrozen(rows) ? [...(rows as unknown[])] : (rows as unknown[]);
  return sorted.sort((a, b) => (toSortKey(a) < toSortKey(b) ? -1 : 1));
}

const toSortKey = (row: unknown): string =>
  String(getField(row, 'id') ?? getField(getField(row, 'location'), 'id') ?? JSON.stringify(row));

/** The same value with each list in it in one order: the providers of a place, their services, and telephones. */
function sortWithin(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copy: object = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
  // A caller's changes must reach the adapter's own record, unless it is frozen.
  const sorted = Object.isFrozen(value) ? copy : value;
  for (const [name, part] of Object.entries(value)) Reflect.set(sorted, name, sortWithin(part));
  return sortRows(sorted);
}

/** The texts of an error that may reach a caller or a log. */
const listTexts = (error: unknown): readonly unknown[] =>
  ['message', 'code', 'at', 'stack']
    .map((name) => getField(error, name))
    .concat(getField(getField(error, 'cause'), 'code'));

function expectNone(texts: readonly string[], values: ReadonlySet<string>, what: string): void {
  for (const text of texts) {
    const said = [...values].filter((value) => says(text, value));
    assert.deepEqual(said, [], `${what} contains a value of a call or of a returned patient: ${text}`);
  }
}
