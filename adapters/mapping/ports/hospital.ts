import { z } from 'zod';
import {
  type Call,
  type CompareNames,
  createNameOrder,
  Failure,
  normalizeDocument,
  type PatientSearch,
} from '../../../src/ports/index.ts';
import { throwIfAborted } from '../../../src/toolkit/failures.ts';
import { deepFreeze, getField, getFields } from '../../../src/toolkit/records.ts';
import { Zone } from '../../../src/toolkit/zone.ts';
import type { Institution } from '../../adapter.ts';
import { createMapper, type Mapper } from '../fields/mapper.ts';
import { type Name, patientId as patientIdName, type Thing } from '../file/names.ts';
import { findQuestion } from '../file/questions.ts';
import { findWritten, type MappingFile, type Section } from '../file/schema.ts';
import { type ChangeOf, type QuestionOf, type RecordOf, type ThingName, things } from '../file/things.ts';
import type { HttpChange } from '../sources/http/schema.ts';
import type { Sources } from '../sources/open-sources.ts';
import type { Change, ChangeResult, Meaning, Question, SourceRecord, Values } from '../sources/source.ts';
import type { SqlChange } from '../sources/sql/schema.ts';
import { Turns } from '../sources/sql/sql-source.ts';

type Names = Readonly<Record<string, Name>>;

/** The values of a change by name, and those of each slot of a booking. */
interface ChangeValues {
  readonly [name: string]: unknown;
  readonly perSlot?: readonly object[];
}

/** An entry of a mapping file, e.g. `patients.byId`. */
export type EntryName = { [T in ThingName]: `${T}.${QuestionOf<T> | ChangeOf<T>}` }[ThingName];

/** The institution behind a mapping file. It takes Puente's words, and returns records. */
export class Hospital {
  readonly file: MappingFile;
  readonly zone: Zone;
  readonly bookingHorizonDays: number;
  readonly compareNames: CompareNames;
  /**
   * Present if the system allows two bookings of one time. Each booking then runs, and is verified, after the other.
   */
  readonly turns: Turns | undefined;
  readonly #mapper: Mapper;
  readonly #questions = new Map<string, Question>();
  readonly #changes = new Map<string, Change>();
  readonly #meanings = new Map<string, readonly Meaning[]>();
  readonly #unfit = new Set<string>();
  readonly #mapped = new WeakMap<readonly SourceRecord[], readonly object[]>();

  constructor(file: MappingFile, sources: Sources, { timeZone, locale, bookingHorizonDays }: Institution) {
    this.file = file;
    this.zone = new Zone(timeZone);
    this.bookingHorizonDays = bookingHorizonDays;
    this.compareNames = createNameOrder(locale);
    this.turns = getField(file.appointments?.book, 'lookAgain') ? new Turns(1) : undefined;
    this.#mapper = createMapper(file, this.zone);
    for (const thing of Object.keys(things) as ThingName[]) this.#open(thing, sources);
  }

  #open<T extends ThingName>(thing: T, sources: Sources): void {
    const section: Section<T> | undefined = this.file[thing];
    if (!section) return;
    for (const name of Object.keys(things[thing].questions) as QuestionOf<T>[]) {
      const question = findQuestion(this.file, thing, name);
      const keep = name === 'all' ? section.keep : undefined;
      if (question) this.#questions.set(`${thing}.${name}`, sources.question(question, keep));
    }
    for (const name of Object.keys(things[thing].changes) as ChangeOf<T>[]) {
      const change: SqlChange | HttpChange | undefined = section[name];
      if (!change) continue;
      this.#changes.set(`${thing}.${name}`, sources.change(change));
      this.#meanings.set(`${thing}.${name}`, listMeanings(change, this.file));
    }
  }

  /** True if the file has the entry. */
  has(entry: EntryName): boolean {
    return this.#questions.has(entry) || this.#changes.has(entry);
  }

  /** True if the file defines this meaning for the change. */
  canMean(change: EntryName, meaning: Meaning): boolean {
    return (this.turns && meaning === 'slot_taken') || (this.#meanings.get(change) ?? []).includes(meaning);
  }

  /** The questions whose last answer had records that all failed to match. */
  listUnfit(): readonly string[] {
    return [...this.#unfit];
  }

  /** True if the entry uses one of these `:names`. */
  uses(entry: EntryName, ...names: readonly string[]): boolean {
    return names.some((name) => (this.#changes.get(entry) ?? this.#questions.get(entry))?.names.has(name));
  }

  /** @throws Failure unsupported for a value that the change does not store, unless the record already has it. */
  requireNames(change: EntryName, given: object): void {
    const lost = Object.entries(given).find(
      ([name, value]) => value !== undefined && !this.uses(change, name) && !isSoAnyway(this.file, change, name, value),
    );
    if (lost) throw new Failure('unsupported', `the institution’s system does not store ${lost[0]}`);
  }

  /**
   * The records that answer a question. Of a question about a patient, only the patient's. Empty if the file does not
   * have the question, or no such record can exist.
   * @throws Failure as `Question.ask` and `Mapper.read` do.
   */
  async find<T extends ThingName>(thing: T, name: QuestionOf<T>, given: object, call: Call) {
    const records = await this.ask(thing, name, given, call);
    const { patientId } = given as { readonly patientId?: string };
    if (patientId === undefined) return records;
    // A reference may have another form of the id than the patient has.
    const { written = [] } = this.#mapper.toValues({ written: patientIdName }, { written: patientId }) ?? {};
    const own = new Set([patientId, ...written.map(String)]);
    const owner = (each: RecordOf<T>) => ('patientId' in each ? each.patientId : undefined);
    const isOther = (each: RecordOf<T>) => owner(each) !== undefined && !own.has(String(owner(each)));
    // Drops records of other patients, even if the question returned them.
    const isOfPatient = Object.hasOwn(getFields(getField(things[thing].questions, name)), 'patientId');
    return records
      .filter((each) => !isOfPatient || !isOther(each))
      .map((each) => (owner(each) === undefined || isOther(each) ? each : { ...each, patientId }));
  }

  /** Like `find`, but includes records of other patients that the question returns. For tools. */
  async ask<T extends ThingName>(thing: T, name: QuestionOf<T>, given: object, call: Call) {
    throwIfAborted(call);
    const entry = `${thing}.${name}`;
    const question = this.#questions.get(entry);
    const forms = listForms(given).map((form) => this.#toValues(things[thing].questions, name, form));
    const values = mergeValues(forms.filter((form) => form !== undefined));
    if (!question || !values) return [];
    const rows = await question.ask(question.describe ? spellDocument(values, given) : values, call);
    return this.#read(thing, rows, { entry, isKept: question.isKept }, call);
  }

  /** Cached rows are mapped once, unless some of their omissions must be reported each time. */
  #read<T extends ThingName>(
    thing: T,
    rows: readonly SourceRecord[],
    { entry, isKept }: { readonly entry: string; readonly isKept: true | undefined },
    call: Call,
  ) {
    const known = this.#mapped.get(rows) as readonly RecordOf<T>[] | undefined;
    if (known) return known;
    let isWhole = true;
    const omit: Call['omit'] = (record, id) => {
      isWhole = false;
      call.omit(record, id);
    };
    this.#unfit.add(entry);
    const records = this.#mapper.read(thing, rows, { ...call, omit });
    this.#unfit.delete(entry);
    if (isKept && isWhole) this.#mapped.set(rows, deepFreeze(records));
    return records;
  }

  /**
   * Makes a change, and returns its result. A new id has the form that records show.
   * @param given its values. `perSlot` has those of each slot for `forEachSlot`.
   * @throws Failure as `Change.make`, and unsupported if the institution has no code for a value.
   */
  async change<T extends ThingName>(
    thing: T,
    name: ChangeOf<T>,
    given: ChangeValues,
    call: Call,
  ): Promise<ChangeResult> {
    throwIfAborted(call);
    const { change, values, slots } = this.#prepare(thing, name, given);
    const result = await change.make(values, slots, call);
    if (!('id' in result) || result.id === undefined) return result;
    const id = this.#mapper.readId(thing, result.id);
    return id === undefined ? {} : { id };
  }

  /**
   * The result of a change that is made twice, the second time with `later`, and rolled back. Undefined if it cannot be
   * rolled back. For tools.
   */
  async rehearse(
    { thing, name }: { readonly thing: ThingName; readonly name: string },
    given: ChangeValues,
    call: Call,
    later = given,
  ) {
    const { change, values, slots } = this.#prepare(thing, name, given);
    const second = this.#prepare(thing, name, later);
    return change.rehearse?.(values, slots, call, { values: second.values, perSlot: second.slots });
  }

  #prepare(thing: ThingName, name: string, { perSlot = [], ...given }: ChangeValues) {
    const change = this.#changes.get(`${thing}.${name}`);
    const values = this.#toValues(things[thing].changes, name, given);
    const slots = perSlot.map((each) => this.#toValues(things[thing].changes, name, { ...given, ...each }));
    if (!change || !values || !slots.every((each) => each !== undefined)) {
      throw new Failure('unsupported', 'the institution’s system has no code for a value');
    }
    return { change, values, slots };
  }

  #toValues(all: Readonly<Record<string, Names>>, name: string, given: object): Values | undefined {
    return this.#mapper.toValues(all[name] ?? {}, { ...given });
  }
}

/**
 * The search for each form of the document: a number of unknown type may be a DNI, whose separators and leading zeros
 * do not count.
 */
export function listForms(given: PatientSearch): readonly PatientSearch[] {
  const { identifier, identifierType } = given;
  if (identifier === undefined || identifierType !== undefined) return [given];
  const forms = (['DNI', 'Other'] as const).map((type) => normalizeDocument(type, identifier));
  return [...new Set(forms)].map((form) => ({ ...given, identifier: form }));
}

/** The values of the first form, with the document in the spellings of all forms. */
const mergeValues = ([first, ...others]: readonly Values[]): Values | undefined =>
  first && others.length > 0
    ? { ...first, identifier: [first, ...others].flatMap(({ identifier = [] }) => identifier) }
    : first;

/** The same values, with the document also in lower case, and a DNI with separators, for `IN` of a database. */
function spellDocument(values: Values, { identifier, identifierType = 'DNI' }: PatientSearch): Values {
  const ways = values.identifier ?? [];
  // A numeric column has only one form.
  if (identifier === undefined || !ways.every((way) => typeof way === 'string')) return values;
  const isNumber = (way: string) => identifierType === 'DNI' && /^\d{4,}$/.test(way);
  const dotted = ways.filter(isNumber).map((way) => way.replace(/\B(?=(\d{3})+$)/g, '.'));
  return { ...values, identifier: [...new Set([...ways, ...ways.map((way) => way.toLowerCase()), ...dotted])] };
}

/** True if a record has this value without being written: a constant of the file, or the default of a new record. */
function isSoAnyway(file: MappingFile, change: EntryName, name: string, value: unknown): boolean {
  const [thing, action] = change.split('.') as [ThingName, string];
  const { changes, record }: Thing = things[thing];
  const meant = changes[action]?.[name];
  if (meant && findWritten(file, meant)?.value === value) return true;
  const field: unknown = record.shape[name];
  const assumed: unknown = field instanceof z.ZodType ? field.safeParse(undefined).data : undefined;
  return !/^(update|edit)$/.test(action) && (value === '' || value === assumed);
}

function listMeanings(change: SqlChange | HttpChange, { http }: MappingFile): readonly Meaning[] {
  if ('request' in change) return Object.values({ ...http?.errors.meaning, ...change.errors });
  const { steps = [], forEachSlot = [] } = change;
  return [...steps, ...forEachSlot].flatMap((step) => step.else ?? []);
}
