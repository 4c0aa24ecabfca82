import { getField } from '../../../src/toolkit/records.ts';
import { formatYaml } from '../../../src/toolkit/yaml-file.ts';
import {
  checkNames,
  type Entry,
  findEntry,
  formatEntry,
  type Given,
  type Outcome,
  run,
} from '../examination/entries.ts';
import { explainFailure, explainField } from '../examination/explain.ts';
import { exceptCodes, mask, type Replace, replaceAnswer, replaceTexts } from '../examination/mask.ts';
import type { MappingFile } from '../file/schema.ts';
import { findText, readAnswer } from '../sources/http/answer.ts';
import { findValue, isRecord, type SourceExchange, type SourceValue } from '../sources/source.ts';
import { type Located, load, use } from './open.ts';
import { openStandIn } from './stand-in.ts';

export interface TryOptions {
  readonly showValues?: true;
  /** Makes a change; without it only what would be sent is shown. */
  readonly really?: true;
}

type Print = (text: string) => void;

/**
 * Asks a question, and prints what was sent, what came, and what became of it.
 * @returns whether the system answered, with records that fit.
 */
export async function tryEntry(
  { path, institution }: Located,
  { entry: text, given }: { readonly entry: string; readonly given: Given },
  { showValues, really }: TryOptions,
  print: Print,
): Promise<boolean> {
  const file = load(path);
  const entry = findEntry(text, file);
  checkNames(given, entry);
  if (entry.isChange && !really) {
    const { exchanges } = await use(file, institution, (hospital) => run(hospital, entry, given), openStandIn);
    print(`${formatEntry(entry)} would send (with --really it does):\n`);
    for (const { sent } of exchanges) print(`  ${sent}\n`);
    return true;
  }
  const outcome = await use(file, institution, (hospital) => run(hospital, entry, given));
  const hide = showValues ? (value: string) => value : exceptCodes(file, mask);
  const replace = (exchange: SourceExchange) => replaceAnswer(exchange, file, hide);
  print(`${formatEntry(entry)} took ${outcome.milliseconds} ms\n`);
  if (outcome.exchanges.length === 0 && outcome.fails === undefined)
    print('\nnothing was sent: what is asked for cannot exist there\n');
  for (const exchange of outcome.exchanges)
    print(formatExchange(exchange, findCode(exchange, file), showValues ? exchange.answer : replace(exchange)));
  print(formatOutcome(outcome, hide, file, entry));
  print(explainNoRecords(outcome, entry, file) ?? '');
  if (!showValues) print('\nvalues are hidden; --show-values shows them\n');
  return outcome.fails === undefined && outcome.omitted.length === 0;
}

const indent = (text: string): string => text.trimEnd().replaceAll(/^/gm, '  ');

function formatExchange({ sent, status }: SourceExchange, code: string | undefined, answer: string): string {
  const said = [status ?? [], code === undefined ? [] : `code ${code}`].flat().join(', ');
  return `\nsent\n${indent(sent)}\nanswer${said && ` (${said})`}\n${indent(answer)}\n`;
}

/** The code in an answer over HTTP, which is hidden nowhere: it says what the file has to name. */
function findCode(exchange: SourceExchange, { http }: MappingFile): string | undefined {
  const path = http?.errors.code;
  return path && findText(readContent(exchange, http), path);
}

/** Undefined for what is no answer over HTTP, or cannot be read. */
function readContent({ status, answer }: SourceExchange, http: MappingFile['http']): SourceValue | undefined {
  if (!http || status === undefined) return undefined;
  // As that of an answer that may be anything.
  const reply = { status: 0, headers: {}, data: Buffer.from(answer) };
  return readAnswer(reply, { ...http, charset: 'utf-8' }).content;
}

/** What the answer has in the place of the records that it does not have; in XML an empty list may be left out. */
function explainNoRecords(outcome: Outcome, { thing, name }: Entry, file: MappingFile): string | undefined {
  const records = getField(getField(file[thing], name), 'records');
  const { gives, omitted, exchanges } = outcome;
  const isEmpty = omitted.length === 0 && (gives === undefined || (Array.isArray(gives) && gives.length === 0));
  const content = readContent(exchanges.at(-1) ?? { sent: '', answer: '' }, file.http);
  if (!isEmpty || typeof records !== 'string' || !isRecord(content)) return undefined;
  if (findValue(content, records) !== undefined) return undefined;
  return `\nnothing stands at \`records: ${records}\`; the answer has ${Object.keys(content).join(', ')}\n`;
}

function formatOutcome(
  { gives, fails, failure, omitted }: Outcome,
  hide: Replace,
  file: MappingFile,
  { thing }: Entry,
): string {
  const lines = omitted.map(({ element, id }) => {
    const expected = explainField(file, thing, element);
    const whose = id === undefined ? '' : ` of ${hide(id)}`;
    return `does not fit: ${element}${whose}${expected === undefined ? '' : `; expected ${expected}`}\n`;
  });
  const why = failure && explainFailure(failure, hide);
  const records = gives === undefined ? '' : `\ngives\n${indent(formatYaml(replaceTexts(gives, hide)))}\n`;
  return `${records}${fails === undefined ? '' : `\nfails: ${fails}${why === undefined ? '' : ` (${why})`}\n`}${lines.length > 0 ? '\n' : ''}${lines.join('')}`;
}
