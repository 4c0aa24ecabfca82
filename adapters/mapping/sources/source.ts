import { z } from 'zod';
import { badAnswer, TOO_LARGE } from '../../../src/http-client/failures.ts';
import type { Call } from '../../../src/ports/index.ts';
import { Cached } from '../../../src/toolkit/cached.ts';
import { getFields } from '../../../src/toolkit/records.ts';

/** An answer of a system before it is mapped: texts as received, lists, and nested records. */
export type SourceValue = string | number | boolean | null | readonly SourceValue[] | SourceRecord;
export interface SourceRecord {
  readonly [name: string]: SourceValue;
}

export const isRecord = (value: SourceValue | undefined): value is SourceRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The maximum number of records that answer one question. */
export const mostRecords = z.int().min(100).max(10_000_000).default(20_000).meta({
  description: 'Maximum number of records of one answer on all its pages. A longer list fails, and is never truncated.',
});

/** The prefix of a path in the enclosing record. */
export const outer = '../';

/** Links a record to its enclosing record, by a property that is not enumerable. */
export const nest = (record: SourceRecord, inside: SourceRecord): SourceRecord =>
  Object.defineProperty(record, outer, { value: inside, configurable: true });

/** The name of a list, with a condition on its records. */
const filter = /^(.+)\[([^=]+)=(.*)\]$/;

/** A `:name`; two colons are a cast of SQL. */
export const namePattern = /(?<![\w:]):([a-z]\w*)/gi;
/** The `:names` in all texts of a part of the file. */
export const listNames = (part: unknown): string[] =>
  typeof part === 'string'
    ? [...part.matchAll(namePattern)].map(([, key = '']) => key)
    : Object.values(Array.isArray(part) ? part : getFields(part)).flatMap(listNames);

/** The names of a path. A filter may contain dots. */
export const splitPath = (path: string): string[] => path.split(/\.(?![^[]*\])/);

/**
 * The value at a path of dotted names. A list of records gives the value of each, and `LIST[NAME=VALUE]` of some of
 * them.
 */
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

/** Converts whole numbers with too many digits for JavaScript to texts. All others stay the same. */
const keepDigits = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => {
    const value = token[0] === '"' ? 0 : Number(token);
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? `"${token}"` : token;
  });

/** Parses JSON, and loses no digit of a whole number. */
export const parseExactJson = (text: string): SourceValue =>
  JSON.parse(/\d{16}/.test(text) ? keepDigits(text) : text) as SourceValue;

/** Parses a column with JSON. */
function parseJson(text: string): SourceValue {
  try {
    return /^\s*[[{]/.test(text) ? parseExactJson(text) : null;
  } catch {
    return null;
  }
}

/** One value in the institution's form. Numbers and truth values of JSON keep their type. */
export type Scalar = string | number | boolean | null;

/** @throws Failure bad_answer `TOO_LARGE` */
export function requireFewRecords(records: readonly SourceRecord[], most: number): void {
  if (records.length > most) throw badAnswer(TOO_LARGE, 'records');
}

/** The values of each `:name`, in every form that the institution may use. Empty if nobody gave a value. */
export type Values = Readonly<Record<string, readonly Scalar[]>>;

/** The meanings of a code, a status or a step. */
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

/** The result of a change: the id of the new record if known, or the meaning that prevented the change. */
export type ChangeResult = { readonly id?: string } | { readonly meaning: Meaning };

/** Nothing was changed: the file defines why, or a value cannot be sent. */
export class NotMade extends Error {
  readonly meaning: Meaning;

  constructor(meaning: Meaning) {
    super(meaning);
    this.meaning = meaning;
  }
}

/**
 * The sent request, for `puente mapping try` and tests. It may have a patient's data, so it may go to a terminal, but
 * never to a log.
 */
export interface SourceExchange {
  /** E.g. `GET /pacientes/1001`, or the statement with its values. */
  readonly sent: string;
  /** The answer as received, a text. For SQL, the rows as JSON. */
  readonly answer: string;
  /** Of HTTP. */
  readonly status?: number;
}

/** The parts of a call that a source needs. */
export type SourceCall = Pick<Call, 'signal' | 'requestId' | 'timeLeft'> & {
  /** Set only by tools. */
  readonly observe?: (exchange: SourceExchange) => void;
};

/** A database's description of a statement without running it. */
export interface StatementDescription {
  readonly sql: string;
  /** The names of its columns. Undefined if the database describes them only when it runs. */
  readonly columns?: readonly string[];
  /** The database's reason for rejecting it. */
  readonly problem?: string;
}

/** A question, created once when the adapter starts, with its text checked. */
export interface Question {
  /** The `:names` that it uses. */
  readonly names: ReadonlySet<string>;
  /** True if later calls return the same rows, as the same object. */
  readonly isKept?: true;
  /** @throws Failure `unavailable`, `timeout`, `overloaded` or `bad_answer`. If nothing is found, the list is empty. */
  ask(values: Values, call: SourceCall): Promise<readonly SourceRecord[]>;
  /** Only for SQL: the database prepares the statement without running it. */
  describe?(call: SourceCall): Promise<readonly StatementDescription[]>;
}

/** The result of a change that is made and rolled back. */
export interface Rehearsal {
  /** The first result, and the second one in the same transaction. */
  readonly first: ChangeResult;
  readonly second: ChangeResult;
  /** The number of rows that the first change affected. */
  readonly changed: number;
  /** True if a second connection also made the change before the first one committed, and both could commit. */
  readonly isMadeTwice: boolean;
}

/** Something that can be changed. */
export interface Change {
  readonly names: ReadonlySet<string>;
  /**
   * Makes the change atomically.
   * @param perSlot the values of each slot of a booking, in order.
   * @throws Failure `outcome_unknown` if it was sent and its outcome is unknown, otherwise as `Question.ask`.
   */
  make(values: Values, perSlot: readonly Values[], call: SourceCall): Promise<ChangeResult>;
  /**
   * Only for a database that can roll back: makes the change twice in one transaction, and meanwhile from a second
   * connection, then rolls back. Undefined, without a trial, if a full rollback is not possible.
   * @param later the values of the second time and of the second connection. Defaults to the same values.
   */
  rehearse?(
    values: Values,
    perSlot: readonly Values[],
    call: SourceCall,
    later?: { readonly values: Values; readonly perSlot: readonly Values[] },
  ): Promise<Rehearsal | undefined>;
  describe?(call: SourceCall): Promise<readonly StatementDescription[]>;
}

export const keep = z.int().min(1).max(86_400).optional().meta({
  description: 'Seconds for which the answer of `all` is cached.',
});

/** The number of request timeouts that one load of cached data may take. */
const KEPT_REQUESTS = 10;

/**
 * The same question with a cache for its answer.
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
