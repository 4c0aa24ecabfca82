import { randomUUID } from 'node:crypto';
import { type Examination, Failure, type Finding } from '../../../src/ports/index.ts';
import { didYouMean } from '../../../src/toolkit/problems.ts';
import { getField, getFields } from '../../../src/toolkit/records.ts';
import { YamlFile } from '../../../src/toolkit/yaml-file.ts';
import { findQuestion } from '../file/questions.ts';
import { listPaths, type MappingFile } from '../file/schema.ts';
import type { ThingName } from '../file/things.ts';
import type { Hospital } from '../ports/hospital.ts';
import { readKey } from '../ports/writes.ts';
import type { HttpChange } from '../sources/http/schema.ts';
import type { Sources } from '../sources/open-sources.ts';
import type { SqlChange } from '../sources/sql/schema.ts';
import { compareRows, compareThings, noteGone, noteShared } from './compare.ts';
import { type Entry, type EntryOutcome, formatEntry, listEntries, run } from './entries.ts';
import { explainFailure, explainField } from './explain.ts';
import { listFields, mask } from './mask.ts';
import { askForNobody, type NoteLine, type RehearsalProblem, rehearseChanges } from './rehearse.ts';
import { agenda, explainTooMany, UnreadAgenda, unproven } from './windows.ts';

/** Names in common systems for features that a mapping file cannot express. */
const signs: readonly (readonly [RegExp, string])[] = [
  [/recur|repeat|frequen|fortnight|quincen|cada_?seman|week_?of/i, 'an agenda repeats every fortnight or month'],
  [
    /over_?(book|turn)|sobre_?turno|cupo|capaci|vacante|max_?(app|turno|patient|paciente)/i,
    'a time has several places',
  ],
  [
    /(doctor|provider|practitioner|profesional|medico|matricula)_?(2|sec|alt)/i,
    'an appointment has a second practitioner',
  ],
];
/** A name in JSON or XML with a value. */
const given = /"([\w.-]+)":(?!null|""|"?(?:0|false)\b)|<([\w.-]+)>(?!<|0<)/g;

/**
 * Names in an answer about the agenda that no field reads, and that a file may be unable to express. No value is
 * repeated.
 */
function listBeyond(file: MappingFile, entry: Entry, { exchanges }: EntryOutcome): readonly string[] {
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
      return `${formatEntry(entry)}: no field reads ${name}: if ${meant}, see docs/reference/mapping-details.md#limits-of-a-file`;
    });
}

/** A mapping file whose system is open. */
export interface MappedSystem {
  /** The path of the file. */
  readonly path: string;
  readonly hospital: Hospital;
  readonly sources: Sources;
}

/**
 * Compares the system with its mapping file. A database prepares each statement, and the returned columns are compared
 * with the fields. Each question without an id is asked. The others are asked for an unknown id and for the given
 * patients. Each change that a database can roll back is made and rolled back for an invented patient. A finding
 * contains no value of a record.
 */
export async function* examineSystem(
  { path: name, hospital, sources }: MappedSystem,
  { signal, patients = [], inventedPatient }: Pick<Examination, 'signal' | 'patients' | 'inventedPatient'>,
): AsyncGenerator<Finding> {
  try {
    await sources.reach({ signal, requestId: 'doctor' });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const detail = `the system cannot be reached (${explainFailure(error, mask) ?? error.kind})`;
    const fix = 'start the system, or correct its address and login in the mapping file';
    yield { check: 'connection', ok: false, detail, fix, stops: true };
    return;
  }
  const source = new YamlFile(name);
  const notes: Finding[] = [];
  const note: NoteLine = (detail, ok = null) => void notes.push({ check: 'system', ok, detail });
  const { file } = hospital;
  const problems = await examine({ file, hospital, sources, patients, inventedPatient, note }).catch(toSourceProblem);
  yield* notes;
  for (const problem of problems) {
    const { path, what } = problem;
    const detail = `${source.findColumn(path)} ${path.join('.')}: ${what}`;
    yield { check: 'mapping file', ok: false, detail, ...(problem === loginRefused && { stops: true }) };
  }
}

interface Examined extends Pick<MappedSystem, 'hospital' | 'sources'> {
  readonly file: MappingFile;
  readonly patients: readonly string[];
  readonly inventedPatient: string | undefined;
  readonly note: NoteLine;
}

/** A database that cannot prepare a statement. */
function toSourceProblem(error: unknown): RehearsalProblem[] {
  if (!(error instanceof Failure)) throw error;
  return [{ path: ['database'], what: `cannot be asked: ${explainFailure(error, mask) ?? error.kind}` }];
}

async function examine({
  file,
  hospital,
  sources,
  patients,
  inventedPatient,
  note,
}: Examined): Promise<RehearsalProblem[]> {
  const found = await examineStatements(file, sources, note);
  // A statement that the database rejects is not asked.
  const isRefused = (entry: Entry) => found.some(({ path }) => isAt(path, entry));
  const asked = listEntries(file).filter((entry) => needsNothing(entry) && !isRefused(entry));
  const refused: Entry[] = [];
  for (const entry of asked) {
    const outcome = await run(hospital, entry, {});
    if (outcome.fails === 'backend_auth') refused.push(entry);
    if (outcome.fails === undefined) note(formatCount(entry, outcome), true);
    for (const line of listBeyond(file, entry, outcome)) note(line);
    found.push(...listMismatches(file, entry, outcome), ...compareRows(file, entry, outcome.exchanges, note));
  }
  if (refused.length >= 2 && refused.length === asked.length)
    return [...found.filter(({ path }) => !refused.some((each) => isAt(path, each))), loginRefused];
  const keyed = listEntries(file).filter((each) => needsId(each) && !isRefused(each));
  for (const entry of keyed) found.push(...(await askForNobody(hospital, entry, isHttp(file, entry))));
  for (const patient of new Set([...patients, inventedPatient ?? []].flat())) {
    for (const entry of keyed) found.push(...(await readPatient({ file, hospital, patient, note }, entry)));
  }
  noteShared(file, note);
  if (found.length > 0) return found;
  const patient = inventedPatient ?? patients[0];
  const compared = await compareThings(hospital, note, patient).catch((error: unknown) => {
    if (error instanceof UnreadAgenda) return [error.problem];
    if (!(error instanceof Failure)) throw error;
    const what = `things are not compared: ${explainFailure(error, mask) ?? error.message}; ${unproven}`;
    return [{ path: [file.database ? 'database' : 'http'], what }];
  });
  return compared.length > 0
    ? compared
    : rehearseChanges(file, hospital, { patient: inventedPatient, others: patients }, note);
}

const count = ({ gives }: EntryOutcome): number => (Array.isArray(gives) ? gives.length : 0);
const formatCount = (entry: Entry, outcome: EntryOutcome): string =>
  `${formatEntry(entry)}: ${count(outcome)} records in ${outcome.milliseconds} ms`;

/** Reads the named patient and the patient's records. */
async function readPatient(
  { file, hospital, patient, note }: Pick<Examined, 'file' | 'hospital' | 'note'> & { readonly patient: string },
  entry: Entry,
): Promise<RehearsalProblem[]> {
  const isPatient = formatEntry(entry) === 'patients.byId';
  if (!isPatient && !('patientId' in entry.names)) return [];
  const outcome = await run(hospital, entry, { [isPatient ? 'id' : 'patientId']: patient });
  const mismatches = [...listMismatches(file, entry, outcome), ...compareRows(file, entry, outcome.exchanges, note)];
  if (mismatches.length > 0) return mismatches;
  note(formatCount(entry, outcome), true);
  const ids = isPatient ? [outcome.gives ?? []].flat().map((each) => String(getField(each, 'id'))) : [patient];
  if (ids.includes(patient)) return [];
  const others = ids.length > 0 ? `, but ${ids.join(', ')}` : '';
  return [
    {
      path: [entry.thing, entry.name],
      what: `finds no patient ${patient}${others}: name an existing one, or correct the format of the id`,
    },
  ];
}

const isAt = ([first, second]: readonly string[], { thing, name }: Entry): boolean =>
  first === thing && second === name;

/** True if the question needs an id, a document or a birth date. */
const needsId = (entry: Entry): boolean => !entry.isChange && !needsNothing(entry);
const isHttp = (file: MappingFile, { thing, name }: Entry): boolean =>
  Object.hasOwn(getFields(getField(file[thing], name)), 'request');

/** Reported once, not for each question. */
const loginRefused: RehearsalProblem = {
  path: ['http', 'login'],
  what: 'the system rejects the login for every question: check its address, user and secrets, and run mapping try',
};

/** A window of days defaults to the coming days. */
const needsNothing = ({ isChange, names }: Entry): boolean =>
  !isChange && (Object.keys(names).length === 0 || 'fromDay' in names);

function listMismatches(
  file: MappingFile,
  { thing, name }: Entry,
  { fails, failure, omitted }: EntryOutcome,
): RehearsalProblem[] {
  const tooMany = failure && agenda.includes(thing) ? explainTooMany(file, failure) : undefined;
  if (tooMany !== undefined) return [{ path: [thing, name], what: tooMany }];
  const why = failure && explainFailure(failure, mask);
  if (fails !== undefined)
    return [
      { path: [thing, name], what: `fails with ${why ? `${fails} (${why})` : fails}: run mapping try for details` },
    ];
  const byField = Map.groupBy(omitted, ({ element }) => element);
  return [...byField].map(([element, records]) => ({
    path: [thing, 'fields', ...element.split('/')],
    what: `does not match in ${records.length} of the records that answer ${name}: ${expect(file, thing, element)}run mapping try for details`,
  }));
}

function expect(file: MappingFile, thing: ThingName, element: string): string {
  const expected = explainField(file, thing, element);
  return expected === undefined ? '' : `expected ${expected}; `;
}

async function examineStatements(file: MappingFile, sources: Sources, note: NoteLine): Promise<RehearsalProblem[]> {
  const found: RehearsalProblem[] = [];
  const table = file.database?.remember;
  const call = { signal: AbortSignal.timeout(60_000), requestId: randomUUID() };
  const [keys] = table === undefined ? [] : ((await sources.question(readKey(table)).describe?.(call)) ?? []);
  if (keys?.problem !== undefined)
    found.push({ path: ['database', 'remember'], what: `the table does not match: ${keys.problem}` });
  const columns = new Map<ThingName, [Entry, readonly string[]][]>();
  for (const entry of listEntries(file)) {
    const { thing, name, isChange } = entry;
    const question = findQuestion(file, thing, name);
    const change = getField(file[thing], name);
    const asked = question && !isChange ? sources.question(question) : sources.change(change as SqlChange | HttpChange);
    for (const description of (await asked.describe?.(call)) ?? []) {
      const { problem } = description;
      if (problem !== undefined) found.push({ path: [thing, name], what: `the database rejects it: ${problem}` });
      else if (!isChange && description.columns) {
        columns.set(thing, [...(columns.get(thing) ?? []), [entry, description.columns]]);
      }
    }
  }
  for (const [thing, answered] of columns) {
    const all = new Set(answered.flatMap(([, names]) => names));
    noteGone(file, thing, [...all], note);
  }
  return [...found, ...[...columns].flatMap(([thing, answered]) => compareColumns(file, thing, answered))];
}

/** A required field needs its columns in every question of its thing. Another field needs them in at least one. */
function compareColumns(
  file: MappingFile,
  thing: ThingName,
  answered: readonly (readonly [Entry, readonly string[]])[],
): RehearsalProblem[] {
  return listFields(file, thing).flatMap(({ leaf, conversion }) =>
    listPaths(conversion).flatMap((path): RehearsalProblem[] => {
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
