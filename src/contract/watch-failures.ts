import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { format } from 'node:util';
import { Failure, type Offer } from '../ports/index.ts';

/** Words of the API itself, which tell nothing of a patient. */
const ownWords = /^(?:DNI|Passport|Other|Female|Male|active|canceled|ascending|descending|CONSULTA|PRACTICA)$/;

/** Remembers every text and number in a value. */
function collect(value: unknown, values: Set<string>): void {
  if (typeof value === 'object' && value !== null) {
    if (!(value instanceof AbortSignal)) for (const each of Object.values(value)) collect(each, values);
  } else if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    if (text.length >= 3 && !ownWords.test(text)) values.add(text);
  }
}

/** Whether the text has the value as words of their own. */
function says(text: string, value: string): boolean {
  const isWord = (char = '') => /[\p{L}\p{N}]/u.test(char);
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (!isWord(text[at - 1]) && !isWord(text[at + value.length])) return true;
  }
  return false;
}

/**
 * The same ports, which fail with an AssertionError where the message or the code of a Failure, or what is written to the console
 * meanwhile, holds a value that a port was given before, such as an id, or that a port returned of a patient.
 * @param ofPatients holds more values of patients, such as their names in the fixtures.
 * @param note is told all that they throw.
 */
export function watchFailures<O extends Offer>(ports: O, note: Note = () => {}, ofPatients?: unknown): O {
  const values = new Set<string>();
  collect(ofPatients, values);
  return new Proxy(ports, {
    get: (offer, name) => {
      const port: unknown = Reflect.get(offer, name);
      return typeof port === 'object' && port !== null
        ? watchPort(port, { values, note, portName: String(name) })
        : port;
    },
  });
}

type Note = (thrown: unknown, method: string) => void;

interface Watched {
  readonly values: Set<string>;
  readonly note: Note;
  readonly portName: string;
}

const watchPort = (port: object, { values, note, portName }: Watched): object =>
  new Proxy(port, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return async (...given: readonly unknown[]) => {
        collect(given.slice(0, -1), values);
        const endLog = readConsole();
        try {
          const returned: unknown = await Reflect.apply(method, target, given);
          if (portName === 'patients') collect(returned, values);
          expectNone(endLog(), values, `the console of ${String(name)}`);
          return returned;
        } catch (error) {
          note(error, `${portName}.${String(name)}`);
          if (error instanceof Failure) {
            const text = `${error.message} ${error.code ?? ''} ${error.at ?? ''}`;
            expectNone([text], values, `a Failure of ${String(name)}`);
          }
          throw error;
        } finally {
          endLog();
        }
      };
    },
  });

function expectNone(texts: readonly string[], values: ReadonlySet<string>, what: string): void {
  for (const text of texts) {
    const said = [...values].filter((value) => says(text, value));
    assert.deepEqual(said, [], `${what} says what the port was given, or returned of a patient: ${text}`);
  }
}

const consoleChannels = ['log', 'info', 'debug', 'warn', 'error'].map((method) => channel(`console.${method}`));

/** Begins to listen to the console; what is returned ends that, and tells what was written. */
function readConsole(): () => readonly string[] {
  const lines: string[] = [];
  const read = (written: unknown) => void lines.push(format(...(written as unknown[])));
  for (const each of consoleChannels) each.subscribe(read);
  return () => {
    for (const each of consoleChannels) each.unsubscribe(read);
    return lines;
  };
}
