import { randomUUID } from 'node:crypto';
import { nouns } from '../../../adapters/mapping/file/load.ts';
import { listPaths, type MappingFile } from '../../../adapters/mapping/file/schema.ts';
import type { ThingName } from '../../../adapters/mapping/file/things.ts';
import { readKey } from '../../../adapters/mapping/ports/writes.ts';
import { findText, readAnswer } from '../../../adapters/mapping/sources/http/answer.ts';
import type { Sources } from '../../../adapters/mapping/sources/open-sources.ts';
import {
  findValue,
  isRecord,
  type SourceExchange,
  type SourceValue,
} from '../../../adapters/mapping/sources/source.ts';
import { getCauseCode, TOO_LARGE } from '../../http-client/failures.ts';
import type { Failure } from '../../ports/index.ts';
import { didYouMean } from '../../toolkit/problems.ts';
import { formatYaml, YamlFile } from '../../toolkit/yaml-file.ts';
import {
  checkNames,
  type Entry,
  findEntry,
  formatEntry,
  type Given,
  type Located,
  listEntries,
  load,
  type Outcome,
  run,
  use,
} from './open.ts';
import { exceptCodes, listFields, mask, type Replace, replaceAnswer, replaceTexts } from './record.ts';
import { askForNobody, openStandIn, type Problem, rehearseChanges } from './rehearse.ts';

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
  text: string,
  given: Given,
  { showValues, really }: TryOptions,
  print: Print,
): Promise<boolean> {
  const file = load(path);
  const entry = findEntry(text, file);
  checkNames(given, entry);
  if (entry.isChange && !really) {
    const { exchanges } = await use(file, institution, (hospital) => run(hospital, entry, given), openStandIn({}));
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
  const { records } = Object(Reflect.get(file[thing]!, name));
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

/** Names that say, in systems that were met, what a mapping file has no word for. */
const signs: readonly (readonly [RegExp, string])[] = [
  [/recur|repeat|frequen|fortnight|quincen|cada_?seman|week_?of/i, 'an agenda is every fortnight or month'],
  [
    /over_?(book|turn)|sobre_?turno|cupo|capaci|vacante|max_?(app|turno|patient|paciente)/i,
    'a time has several places',
  ],
  [/(doctor|provider|practitioner|profesional|medico|matricula)_?(2|sec|alt)/i, 'there is a second practitioner'],
];
const agenda = ['schedules', 'slots', 'exceptions', 'taken'];
/** A name in JSON or XML whose value is something. */
const given = /"([\w.-]+)":(?!null|""|"?(?:0|false)\b)|<([\w.-]+)>(?!<|0<)/g;

/** What an answer about the agenda has that no field reads, and that a file may be unable to say; no value is repeated. */
function listBeyond(file: MappingFile, entry: Entry, { exchanges }: Outcome): readonly string[] {
  if (!agenda.includes(entry.thing)) return [];
  const read = JSON.stringify(file[entry.thing]?.fields);
  const names = new Set(
    exchanges.flatMap(({ answer }) => [...answer.matchAll(given)].map(([, one, two]) => one ?? two!)),
  );
  return [...names]
    .filter((name) => !read.includes(name))
    .flatMap((name) => {
      const meant = signs.find(([pattern]) => pattern.test(name))?.[1];
      if (meant === undefined) return [];
      return `${formatEntry(entry)}: no field reads ${name}; if it says that ${meant}, see docs/mapping.md#what-a-file-cannot-say`;
    });
}

/** What a code under a failure means, and what mends it. */
const meanings: Readonly<Record<string, string>> = {
  TOO_LARGE: 'the answer is too large; ask for less, or raise',
  no_records: 'the answer does not have what `records` names,',
  not_a_record: 'the answer has texts or numbers in the place of records at',
  no_count: 'the answer does not say how many there are at',
  not_json: 'the answer is no JSON, or not in this charset: correct `answers`, `charset` or `root`',
  not_xml: 'the answer is no XML, or has a DOCTYPE, or not this root: correct `answers`, `charset` or `root`',
  not_csv: 'the answer is no CSV: correct `answers` or `separator`',
  unknown_code: 'the file does not say what this code or status means: add it to `errors`',
  bad_link: 'the link to the next page is none',
  foreign_link: 'the link to the next page leads to another server than `http.url`',
  too_many_rows: 'more rows were changed than `changes` allows (1), so nothing was',
  login_refused: 'the answer to the login has no code of success, or no session: correct `login`',
  ETIMEDOUT: 'it took longer than `timeout`',
};

/** What names stand behind in messages of databases; other quoted text may be a value. */
const quoted =
  /(?<!\b(?:column|relation|table|function|procedure|user|role|database|schema|type|near|in|key|host) )(["'])(.+?)\1/gi;

/** What is known of a failure besides its kind: its code, and the words of the database or ours. Values are replaced in them. */
function explainFailure(failure: Failure, replace: Replace): string | undefined {
  const code = getCauseCode(failure);
  if (code === undefined) return undefined;
  const { message } = Object(failure.cause);
  const said = typeof message === 'string' ? message.replace(quoted, (found) => replace(found)) : meanings[code];
  const at = failure.at ?? (code === TOO_LARGE ? 'the limit of `bytes`' : undefined);
  return [code, said && [said, at].filter(Boolean).join(' ')].filter(Boolean).join(': ');
}

/** What a field can be read of, e.g. `a day, written dd/MM/yyyy`; undefined for what the file does not name. */
function explainField(file: MappingFile, thing: ThingName, element: string): string | undefined {
  const found = listFields(file, thing).find(({ leaf }) => leaf.path.join('/') === element);
  if (!found) return undefined;
  const { leaf, conversion } = found;
  const { codes, format, numeric, expression } = conversion;
  if (expression !== undefined) return `that the expression gives ${nouns[leaf.kind]}`;
  const table = typeof codes === 'string' ? file.codes[codes] : codes;
  const words = table ? Object.keys(table) : leaf.words;
  if (words.length > 0) return `one of ${words.join(', ')}`;
  if (numeric) return 'a whole number';
  if (leaf.kind !== 'text') return nouns[leaf.kind] + (format === undefined ? '' : `, written ${format}`);
  return /id$/i.test(element) ? 'an id without blanks, / \\ ? # and %; `encode: true` makes one of others' : 'a text';
}

/**
 * Asks the system of a mapping file once: lets a database look at each statement, compares the columns with those that the
 * fields read, asks each question that needs to be given nothing, and the others for what nobody has; makes changes that a
 * database can undo, and undoes them.
 * @param patient the id of an invented patient, for changes that need one.
 * @param note is called with what was found there; no value of a record is in it.
 * @returns what is wrong, one line each: `his.yaml:12:5 patients.fields.phone: ...`.
 */
export async function examineLive(
  located: Located,
  note: (line: string) => void,
  patient?: string,
): Promise<readonly string[]> {
  const file = load(located.path);
  const source = new YamlFile(located.path);
  const problems = await use(file, located.institution, async (hospital, sources) => {
    const found = await examineStatements(file, sources);
    // A statement that the database does not take need not be asked.
    const isRefused = (entry: Entry) => found.some(({ path }) => isAt(path, entry));
    const asked = listEntries(file).filter((entry) => needsNothing(entry) && !isRefused(entry));
    const refused: Entry[] = [];
    for (const entry of asked) {
      const outcome = await run(hospital, entry, {});
      if (outcome.fails === 'backend_auth') refused.push(entry);
      const count = Array.isArray(outcome.gives) ? outcome.gives.length : 0;
      if (outcome.fails === undefined) note(`${formatEntry(entry)}: ${count} records in ${outcome.milliseconds} ms`);
      listBeyond(file, entry, outcome).forEach(note);
      found.push(...listMisfits(file, entry, outcome));
    }
    if (refused.length < 2 || refused.length < asked.length) {
      for (const entry of listEntries(file).filter((each) => needsId(each) && !isRefused(each)))
        found.push(...(await askForNobody(hospital, entry, isHttp(file, entry))));
      return found.length > 0 ? found : await rehearseChanges(file, hospital, patient, note);
    }
    return [...found.filter(({ path }) => !refused.some((each) => isAt(path, each))), loginRefused];
  });
  return problems.map(({ path, what }) => `${source.findColumn(path)} ${path.join('.')}: ${what}`);
}

const isAt = ([first, second]: readonly string[], { thing, name }: Entry): boolean =>
  first === thing && second === name;

/** What is asked for is an id, a document or a birth date. */
const needsId = (entry: Entry): boolean => !entry.isChange && !needsNothing(entry);
const isHttp = (file: MappingFile, { thing, name }: Entry): boolean =>
  Object.hasOwn(Object(Reflect.get(file[thing]!, name)), 'request');

/** Told once, and not for each question. */
const loginRefused: Problem = {
  path: ['http', 'login'],
  what: 'the system refuses it for every question; check its address, user and secrets, and see it by mapping try',
};

/** A window of days is the coming ones. */
const needsNothing = ({ isChange, names }: Entry): boolean =>
  !isChange && (Object.keys(names).length === 0 || 'fromDay' in names);

function listMisfits(file: MappingFile, { thing, name }: Entry, { fails, failure, omitted }: Outcome): Problem[] {
  const why = failure && explainFailure(failure, mask);
  if (fails !== undefined)
    return [{ path: [thing, name], what: `fails with ${why ? `${fails} (${why})` : fails}; see it by mapping try` }];
  const byField = Map.groupBy(omitted, ({ element }) => element);
  return [...byField].map(([element, records]) => ({
    path: [thing, 'fields', ...element.split('/')],
    what: `does not fit in ${records.length} of the records that answer ${name}; ${expect(file, thing, element)}see them by mapping try`,
  }));
}

function expect(file: MappingFile, thing: ThingName, element: string): string {
  const expected = explainField(file, thing, element);
  return expected === undefined ? '' : `expected ${expected}; `;
}

async function examineStatements(file: MappingFile, sources: Sources): Promise<Problem[]> {
  const found: Problem[] = [];
  const table = file.database?.remember;
  const call = { signal: AbortSignal.timeout(60_000), requestId: randomUUID() };
  const [keys] = table === undefined ? [] : ((await sources.question(readKey(table)).describe?.(call)) ?? []);
  if (keys?.problem !== undefined)
    found.push({ path: ['database', 'remember'], what: `the table is not as Puente needs it: ${keys.problem}` });
  const columns = new Map<ThingName, [Entry, readonly string[]][]>();
  for (const entry of listEntries(file)) {
    const { thing, name, isChange } = entry;
    const section: { readonly select?: string | undefined } = file[thing]!;
    const definition = Reflect.get(section, name);
    const asked = isChange ? sources.change(definition) : sources.question(definition, section.select);
    for (const description of (await asked.describe?.(call)) ?? []) {
      const { problem } = description;
      if (problem !== undefined) found.push({ path: [thing, name], what: `the database does not take it: ${problem}` });
      else if (!isChange && description.columns) {
        columns.set(thing, [...(columns.get(thing) ?? []), [entry, description.columns]]);
      }
    }
  }
  return [...found, ...[...columns].flatMap(([thing, answered]) => compareColumns(file, thing, answered))];
}

/** A field that must be there needs its columns in every question of its thing, another one in one of them at least. */
function compareColumns(
  file: MappingFile,
  thing: ThingName,
  answered: readonly (readonly [Entry, readonly string[]])[],
): Problem[] {
  return listFields(file, thing).flatMap(({ leaf, conversion }) =>
    listPaths(conversion).flatMap((path): Problem[] => {
      const lacking = answered.filter(
        ([, columns]) => ![path, path.split('.')[0]!].some((each) => columns.includes(each)),
      );
      if (lacking.length === 0) return [];
      const what = `there is no column ${path}`;
      if (lacking.length === answered.length) {
        const known = new Set(answered.flatMap(([, columns]) => columns));
        return [{ path: [thing, 'fields', ...leaf.path], what: what + didYouMean(path, known) }];
      }
      if (!leaf.required) return [];
      return lacking.map(([{ name }]) => ({ path: [thing, name], what: `${what} for ${leaf.path.join('.')}` }));
    }),
  );
}
