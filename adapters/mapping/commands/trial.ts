import { getField } from '../../../src/toolkit/records.ts';
import { formatYaml } from '../../../src/toolkit/yaml-file.ts';
import { checkNames, type Entry, type EntryOutcome, findEntry, type Given, run } from '../examination/entries.ts';
import { explainFailure, explainField } from '../examination/explain.ts';
import { exceptCodes, mask, type Replace, replaceAnswer, replaceTexts } from '../examination/mask.ts';
import type { MappingFile } from '../file/schema.ts';
import { findText, readAnswer } from '../sources/http/answer.ts';
import { findValue, isRecord, type SourceExchange, type SourceValue } from '../sources/source.ts';
import { type Located, load, use } from './open.ts';
import { openStandIn } from './stand-in.ts';

export interface TryOptions {
  readonly showValues?: boolean | undefined;
  /** Sends a change. Without it, the trial only shows the request. */
  readonly really?: true;
}

/** A question or a change by its name, such as `patients.byId`, with its values. */
export interface Asked {
  readonly entry: string;
  readonly given: Given;
}

/** The result of a question, as texts for people. */
export interface Trial {
  readonly entry: Entry;
  /** True if it was sent. Otherwise it is the preview of a change. */
  readonly isMade: boolean;
  readonly milliseconds: number;
  /** The exchanges, each with the beginning of its answer, and its status and code if it has them. */
  readonly exchanges: readonly { readonly sent: string; readonly said: string; readonly answer: string }[];
  /** The first records as Puente reads them, in YAML. */
  readonly gives: string | undefined;
  /** The reason for a failure. */
  readonly fails: string | undefined;
  /** The values that do not match their field, with the expected form, in the order of the records. */
  readonly invalidValues: readonly string[];
  /** The content of the answer at the place of the missing records. */
  readonly hint: string | undefined;
}

/**
 * Sends a question to the system, or shows the request of a change.
 * @throws ConfigProblems if the file has problems, or has no such question.
 */
export async function makeTrial(
  { path, institution }: Located,
  { entry: text, given }: Asked,
  { showValues, really }: TryOptions,
): Promise<Trial> {
  const file = load(path);
  const entry = findEntry(text, file);
  checkNames(given, entry);
  const isMade = !entry.isChange || really === true;
  const open = isMade ? undefined : openStandIn;
  const outcome = await use(file, institution, (hospital) => run(hospital, entry, given), open);
  const { milliseconds, exchanges } = outcome;
  if (!isMade) {
    const sent = exchanges.map((exchange) => ({ sent: exchange.sent, said: '', answer: '' }));
    return {
      entry,
      isMade,
      milliseconds,
      exchanges: sent,
      gives: undefined,
      fails: undefined,
      invalidValues: [],
      hint: undefined,
    };
  }
  const hide = showValues ? (value: string) => value : exceptCodes(file, mask);
  const replace = (exchange: SourceExchange) => (showValues ? exchange.answer : replaceAnswer(exchange, file, hide));
  return {
    ...{ entry, isMade, milliseconds },
    exchanges: exchanges.map((exchange) => ({
      sent: exchange.sent,
      said: [exchange.status ?? [], findCode(exchange, file) ?? []].flat().join(', '),
      answer: formatAnswer(exchange, replace),
    })),
    ...formatOutcome(outcome, hide, file, entry),
    hint: explainNoRecords(outcome, entry, file),
  };
}

/** The maximum number of records in a text for people. */
const MAX_RECORDS = 10;
/** The maximum number of characters of an HTTP answer in a text for people. */
const MAX_CHARACTERS = 20_000;

const formatRest = (more: number, what: string): string => (more > 0 ? `and ${more} more${what}` : '');

/** The beginning of an answer: the first rows of a database, or the first characters over HTTP. */
function formatAnswer(exchange: SourceExchange, replace: (exchange: SourceExchange) => string): string {
  const rows: unknown =
    exchange.status === undefined && exchange.answer !== '' ? JSON.parse(exchange.answer) : undefined;
  if (Array.isArray(rows)) {
    const rest = formatRest(rows.length - MAX_RECORDS, '');
    return replace({ ...exchange, answer: JSON.stringify(rows.slice(0, MAX_RECORDS)) }) + (rest && `\n${rest}`);
  }
  // Values are masked before the cut, because the masks would hide the names in truncated JSON.
  const text = replace(exchange);
  const rest = formatRest(text.length - MAX_CHARACTERS, ' characters');
  return text.slice(0, MAX_CHARACTERS) + (rest && `\n${rest}`);
}

function formatRecords(gives: unknown, hide: Replace): string {
  if (!Array.isArray(gives)) return formatYaml(replaceTexts(gives, hide));
  const rest = formatRest(gives.length - MAX_RECORDS, '');
  return formatYaml(replaceTexts(gives.slice(0, MAX_RECORDS), hide)) + rest;
}

/** The code in an HTTP answer. It is never masked, because the file has to name it. */
function findCode(exchange: SourceExchange, { http }: MappingFile): string | undefined {
  const path = http?.errors.code;
  const code = path && findText(readContent(exchange, http), path);
  return code && `code ${code}`;
}

/** Undefined if the exchange is not HTTP, or is unreadable. */
function readContent({ status, answer }: SourceExchange, http: MappingFile['http']): SourceValue | undefined {
  if (!http || status === undefined) return undefined;
  // A neutral answer, which replaces a missing one.
  const reply = { status: 0, headers: {}, data: Buffer.from(answer) };
  return readAnswer(reply, { ...http, charset: 'utf-8' }).content;
}

/** In XML an empty list may be left out. */
function explainNoRecords(outcome: EntryOutcome, { thing, name }: Entry, file: MappingFile): string | undefined {
  const records = getField(getField(file[thing], name), 'records');
  const { gives, omitted, exchanges } = outcome;
  const isEmpty = omitted.length === 0 && (gives === undefined || (Array.isArray(gives) && gives.length === 0));
  const content = readContent(exchanges.at(-1) ?? { sent: '', answer: '' }, file.http);
  if (!isEmpty || typeof records !== 'string' || !isRecord(content)) return undefined;
  if (findValue(content, records) !== undefined) return undefined;
  return `the answer has no \`records: ${records}\`, but ${Object.keys(content).join(', ')}`;
}

function formatOutcome(
  { gives, fails, failure, omitted }: EntryOutcome,
  hide: Replace,
  file: MappingFile,
  { thing }: Entry,
): Pick<Trial, 'gives' | 'fails' | 'invalidValues'> {
  const why = failure && explainFailure(failure, hide);
  return {
    gives: gives === undefined ? undefined : formatRecords(gives, hide),
    fails: fails === undefined || why === undefined ? fails : `${fails} (${why})`,
    invalidValues: omitted.map(({ element, id }) => {
      const expected = explainField(file, thing, element);
      const whose = id === undefined ? '' : ` of ${hide(id)}`;
      return `${element}${whose}${expected === undefined ? '' : `; expected ${expected}`}`;
    }),
  };
}
