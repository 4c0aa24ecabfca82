import { z } from 'zod';
import { badAnswer, TOO_LARGE } from '../../../src/http-client/failures.ts';
import type { Call } from '../../../src/ports/index.ts';
import { Cached } from '../../../src/toolkit/cached.ts';
import { getFields } from '../../../src/toolkit/records.ts';

/** What a system answers, before it is mapped: texts as they came, lists, and records inside of records. */
export type SourceValue = string | number | boolean | null | readonly SourceValue[] | SourceRecord;
export interface SourceRecord {
  readonly [name: string]: SourceValue;
}

export const isRecord = (value: SourceValue | undefined): value is SourceRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How many records one question may be answered with. */
export const mostRecords = z.int().min(100).max(10_000_000).default(20_000).meta({
  description:
    'Most records of one answer, all its pages together. A list that is longer fails; it is never cut in silence.',
});

/** What begins a path in the record in which one stands. */
export const outer = '../';

/** Lets a record know in which one it stands, by a property that no list of its names has. */
export const nest = (record: SourceRecord, inside: SourceRecord): SourceRecord =>
  Object.defineProperty(record, outer, { value: inside, configurable: true });

/** A name of a list, and what those of its records have that are meant. */
const filter = /^(.+)\[([^=]+)=(.*)\]$/;

/** A `:name`; two colons are a cast of SQL. */
export const namePattern = /(?<![\w:]):([a-z]\w*)/gi;
/** The `:names` in all texts of a part of the file. */
export const listNames = (part: unknown): string[] =>
  typeof part === 'string'
    ? [...part.matchAll(namePattern)].map(([, key = '']) => key)
    : Object.values(Array.isArray(part) ? part : getFields(part)).flatMap(listNames);

/** The names of a path; a filter may have dots of its own. */
export const splitPath = (path: string): string[] => path.split(/\.(?![^[]*\])/);

/** What stands at a path of names with dots between them; of records in a list, what each has there, of `LIST[NAME=VALUE]` some of them. */
export function findValue(value: SourceValue | undefined, path: string): SourceValue | undefined {
  if (Array.isArray(value)) return (value as readonly SourceValue[]).flatMap((each) => findValue(each, path) ?? []);
  if (typeof value === 'string') return findValue(parseJson(value), path);
  if (!isRecord(value)) return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  if (path.startsWith(outer)) return findValue(value[outer], path.slice(outer.length));
  const [first = '', ...rest] = path.includes('.') ? splitPath(path) : [path];
  if (rest.length > 0) return findValue(findValue(value, first), path.slice(first.length + 1));
  const [, list = '', name = '', wanted] = filter.exec(path) ?? [];
  if (!Object.hasOwn(value, list)) return undefined;
  return [value[list]!].flat().filter((each) => String(findValue(each, name)) === wanted);
}

/** Of a column that holds JSON. */
function parseJson(text: string): SourceValue {
  try {
    return /^\s*[[{]/.test(text) ? (JSON.parse(text) as SourceValue) : null;
  } catch {
    return null;
  }
}

/** One value as the institution writes it. In JSON a number and a boolean stay what they are. */
export type Scalar = string | number | boolean | null;

/** @throws Failure bad_answer `TOO_LARGE` */
export function requireFewRecords(records: readonly SourceRecord[], most: number): void {
  if (records.length > most) throw badAnswer(TOO_LARGE, 'records');
}

/** What stands behind each `:name`: every way in which the institution may write it, or none when nobody gave a value. */
export type Values = Readonly<Record<string, readonly Scalar[]>>;

/** What a code, a status or a step says of a request. */
export const meanings = [
  'nothing',
  'session',
  'busy',
  'refused',
  'invalid',
  'done',
  'exists',
  'slot_taken',
  'slot_unknown',
  'not_cancelable',
] as const;
export type Meaning = (typeof meanings)[number];

/** What came of a change: it was made, with the id of what it made where the file says it, or something kept it from being made. */
export type ChangeResult = { readonly id?: string } | { readonly meaning: Meaning };

/** Nothing was changed, and why: the file says it, or a value cannot be sent. */
export class NotMade extends Error {
  readonly meaning: Meaning;

  constructor(meaning: Meaning) {
    super(meaning);
    this.meaning = meaning;
  }
}

/** What was sent, for `puente mapping try` and tests. It may have data of a patient: it goes to a terminal, never to a log. */
export interface SourceExchange {
  /** E.g. `GET /pacientes/1001`, or the statement with its values. */
  readonly sent: string;
  /** The answer as it came, a text; of SQL the rows as JSON. */
  readonly answer: string;
  /** Of HTTP. */
  readonly status?: number;
}

/** What a source needs to know of the call that it serves. */
export type SourceCall = Pick<Call, 'signal' | 'requestId' | 'timeLeft'> & {
  /** Given by tools alone. */
  readonly observe?: (exchange: SourceExchange) => void;
};

/** What a database says of a statement that it has not run. */
export interface StatementDescription {
  readonly sql: string;
  /** Names of the columns that it returns; undefined when the database does not tell before it runs. */
  readonly columns?: readonly string[];
  /** Why the database does not take it, in its own words. */
  readonly problem?: string;
}

/** Something that can be asked, made once when the adapter starts, with its text checked. */
export interface Question {
  /** The `:names` that it uses. */
  readonly names: ReadonlySet<string>;
  /** Whether the same rows are given again, as one object. */
  readonly isKept?: true;
  /**
   * @throws Failure `unavailable`, `timeout`, `overloaded` or `bad_answer`; nothing found is an empty list.
   */
  ask(values: Values, call: SourceCall): Promise<readonly SourceRecord[]>;
  /** Of SQL alone: lets the database look at the statement, without running it. */
  describe?(call: SourceCall): Promise<readonly StatementDescription[]>;
}

/** What came of a change that was made to be undone. */
export interface Rehearsal {
  /** The first time, and the second time in the same transaction. */
  readonly first: ChangeResult;
  readonly second: ChangeResult;
  /** How many rows the first one changed. */
  readonly changed: number;
  /** Whether a second connection made the change as well, although the first had not committed its own, and nothing will keep one back. */
  readonly isMadeTwice: boolean;
}

/** Something that can be changed. */
export interface Change {
  readonly names: ReadonlySet<string>;
  /**
   * Makes the change as a whole, or not at all.
   * @param perSlot what differs in each slot of a booking, in the order of the slots.
   * @throws Failure `outcome_unknown` once it was sent and what became of it is not known; else as `Question.ask`.
   */
  make(values: Values, perSlot: readonly Values[], call: SourceCall): Promise<ChangeResult>;
  /**
   * Of a database that can undo it: makes the change twice in one transaction and meanwhile from a second connection, and undoes all.
   * Undefined, and nothing is tried, where it may not be undone as a whole.
   */
  rehearse?(values: Values, perSlot: readonly Values[], call: SourceCall): Promise<Rehearsal | undefined>;
  describe?(call: SourceCall): Promise<readonly StatementDescription[]>;
}

export const keep = z.int().min(1).max(86_400).optional().meta({
  description: 'Seconds for which the answer is used again; for questions without `:names`.',
});

/** Refuses to keep what depends on what is asked. */
export const isKeepable = ({ keep, ...rest }: { readonly keep?: number | undefined }): boolean =>
  keep === undefined || listNames(rest).length === 0;
export const keepFault = { path: ['keep'], message: 'is for questions without :names' };

/** How many requests one load of what is kept may take the time of. */
const KEPT_REQUESTS = 10;

/**
 * The same question, whose answer is used again if it is kept.
 * @param timeout milliseconds for one request.
 */
export function keepAnswer(question: Question, seconds: number | undefined, timeout: number): Question {
  if (seconds === undefined) return question;
  const kept = new Cached<readonly SourceRecord[], SourceCall>((call) => question.ask({}, call), {
    ttlMs: () => seconds * 1_000,
    timeoutMs: timeout * KEPT_REQUESTS,
  });
  return { ...question, isKept: true, ask: (_, call) => kept.get(call) };
}
