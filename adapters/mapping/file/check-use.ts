import type { HttpChange, HttpQuestion } from '../sources/http/schema.ts';
import { findHttpNames, findSingleHttpNames } from '../sources/http/template.ts';
import { dropNested, findSingleSqlNames, findSqlNames, isInsert, readVerb } from '../sources/sql/driver.ts';
import type { SqlChange, SqlStep } from '../sources/sql/schema.ts';
import { findMapping, type MappingFile } from './schema.ts';
import { type ThingName, things } from './things.ts';

/** A problem at a key of the file, and its fix. */
export interface FileProblem {
  readonly path: readonly PropertyKey[];
  readonly what: string;
}

/** A question or a change. */
export type Definition = string | SqlChange | HttpQuestion | HttpChange;

/** Reports questions and changes that could affect too many records, because they do not use a criterion. */
export function checkUse(entry: string, definition: Definition, file: MappingFile): FileProblem[] {
  if (typeof definition === 'string') return checkStatement(entry, definition, file);
  if ('request' in definition) return checkRequest(entry, definition, file);
  return checkSteps(entry, definition, file);
}

function checkRequest(entry: string, definition: HttpQuestion | HttpChange, file: MappingFile): FileProblem[] {
  const { headers: _, ...sent } = definition;
  const canLook = entry === 'appointments.book' && file.schedules && file.taken && file.appointments?.cancel;
  if ('lookAgain' in definition && !canLook)
    return [
      { path: ['lookAgain'], what: 'applies only to bookings with `schedules`, `taken` and `cancel`: remove it' },
    ];
  const names = findHttpNames(definition);
  return [
    ...listUnused(entry, file, findHttpNames(sent)).map((needed) => ({
      path: [],
      what: `does not use ${format(needed)}${whose}: put it into the path, query or body`,
    })),
    ...[...explainSingle(findSingleHttpNames(definition), inRequest), ...explainSchedule(names, file)].map((what) => ({
      path: [],
      what,
    })),
  ];
}

/** The first value instead of these names of several values. */
const firstOf: Readonly<Record<string, string>> = { slotIds: 'firstSlotId', practitionerIds: 'practitionerId' };
const inRequest = (name: string) => `a parameter, an element or a list of JSON that is only :${name}`;
const inSql = (name: string) => `IN (:${name})${name === 'slotIds' ? ', or `forEachSlot` with :slotId' : ''}`;

/** A place for one value would get only the first slot or practitioner of an appointment. */
const explainSingle = (single: ReadonlySet<string>, suggest: (name: string) => string): string[] =>
  Object.entries(firstOf).flatMap(([name, first]) =>
    single.has(name)
      ? [`takes only the first of :${name}, so the others would not be booked: write ${suggest(name)}, or :${first}`]
      : [],
  );

/** Without an agenda, the adapter has nothing but the id of the slot. */
const explainSchedule = (names: ReadonlySet<string>, { schedules, slots }: MappingFile): string[] =>
  names.has('scheduleId') && slots && !schedules && !slots.fields.scheduleId
    ? ['uses :scheduleId, which slots do not have: add the field scheduleId to `slots`, or remove the name']
    : [];

/**
 * A complete statement must use its criteria, and its records must name their patient, so that others can be dropped.
 */
function checkStatement(entry: string, sql: string, file: MappingFile): FileProblem[] {
  const [thing = 'patients', question] = entry.split('.') as [ThingName, string];
  const saysNotWhose =
    question === 'ofPatient' &&
    'patientId' in things[thing].record.shape &&
    !findMapping(file[thing]?.fields ?? {}, ['patientId']);
  const faults = [
    ...listUnused(entry, file, findSqlNames(sql)).map(
      (needed) => `does not use ${format(needed)}${whose}: write \`select\` and \`keys\`, or use it`,
    ),
    ...(saysNotWhose
      ? ['needs the field patientId, which excludes records of other patients: add it to `fields`']
      : []),
  ];
  return faults.map((what) => ({ path: [], what }));
}

function checkSteps(entry: string, { steps = [], forEachSlot = [] }: SqlChange, file: MappingFile): FileProblem[] {
  const all = [
    ...steps.map((step, i) => ({ step, path: ['steps', i] })),
    ...forEachSlot.map((step, i) => ({ step, path: ['forEachSlot', i] })),
  ];
  const used = new Set(all.flatMap(({ step }) => [...findSqlNames(step.sql)]));
  const made = all.flatMap(({ step }) => step.as ?? []);
  const needed = listNeeded(entry, file, used);
  // A creating statement may count or lock other rows. A changing statement must use the criteria in each statement.
  const keys = needed.some(({ isKept }) => isKept) ? [] : needed;
  return [
    ...listUnused(entry, file, used).map((each) => ({ path: [], what: explain(each) })),
    ...all.flatMap(({ step, path }) =>
      checkStep(step, file, keys, made).map((what) => ({ path: [...path, 'sql'], what })),
    ),
  ];
}

function checkStep(step: SqlStep, file: MappingFile, keys: readonly Needed[], made: readonly string[]): string[] {
  const { sql, mustChange, as } = step;
  const verb = readVerb(sql);
  const outer = dropNested(sql);
  if (/^\s*(COMMIT|ROLLBACK|SAVEPOINT|START|SET)\b/i.test(outer))
    return ['sets or ends the transaction, which Puente begins and ends: remove it'];
  if (mustChange !== undefined && /^(CALL|EXEC|EXECUTE|DO|BEGIN)$/.test(verb)) {
    return [
      `\`mustChange\` does not count the rows of a ${verb}: remove it, or write the procedure’s change as an UPDATE or INSERT`,
    ];
  }
  if (as !== undefined && lacksId(sql, file.database?.kind))
    return [`returns no id for \`as: ${as}\`: add RETURNING with the column of the id`];
  const several = [...explainSingle(findSingleSqlNames(sql), inSql), ...explainSchedule(findSqlNames(sql), file)];
  if (several.length > 0) return several;
  const isLimited = /^(UPDATE|DELETE)$/.test(verb);
  if (isLimited && mustChange !== undefined && ofAllSlots.test(dropNested(sql.replaceAll(allSlots, ' :slotIds'))))
    return [
      'counts the rows of all slots together, so a part of them is enough: write it in `forEachSlot` with :slotId',
    ];
  if (!isLimited && !(verb === 'INSERT' && /\bFROM\b/i.test(outer))) return [];
  if (isLimited && !/\bWHERE\b/i.test(outer)) return ['changes all rows: add a WHERE'];
  const names = findSqlNames(sql);
  return keys.filter(({ oneOf }) => ![...oneOf, ...made].some((name) => names.has(name))).map((each) => explain(each));
}

/** True for a change from which the database returns no id, or that of another row. */
const lacksId = (sql: string, kind: string | undefined): boolean =>
  /^(INSERT|REPLACE|UPDATE|DELETE|MERGE)$/.test(readVerb(sql)) &&
  !/\bRETURNING\b/i.test(dropNested(sql)) &&
  (kind === 'postgres' || (kind === 'sqlite' && !isInsert(sql)));

const allSlots = /\bIN\s*\(\s*:slotIds\s*\)/gi;
const ofAllSlots = /:slotIds\b/;

const listUnused = (entry: string, file: MappingFile, names: ReadonlySet<string>): readonly Needed[] =>
  listNeeded(entry, file, names).filter(({ oneOf }) => !oneOf.some((name) => names.has(name)));

const whose = ', so it could return other patients’ records';
const format = ({ oneOf }: Needed): string => oneOf.map((name) => `:${name}`).join(' or ');

const explain = (needed: Needed): string =>
  needed.isKept
    ? `does not write ${format(needed)}, so the value is lost: add it to an INSERT or UPDATE`
    : `is not limited by ${format(needed)}${whose}: compare a column with it in the WHERE`;

/**
 * Names of which an entry must use one. Without it, the entry would return or change records of others, or lose a
 * `kept` value.
 */
interface Needed {
  readonly oneOf: readonly string[];
  readonly isKept?: true;
}

const key = (...oneOf: readonly string[]): Needed => ({ oneOf });
const kept = (...oneOf: readonly string[]): Needed => ({ oneOf, isKept: true });
const window: readonly Needed[] = [key('from', 'fromDay'), key('to', 'toDay')];

const mustUse: Readonly<Record<string, readonly Needed[]>> = {
  'patients.byId': [key('id')],
  'patients.byDocument': [key('identifier')],
  'patients.byBirthDate': [key('birthDate')],
  'patients.create': [kept('identifier'), kept('birthDate'), kept('gender')],
  'patients.update': [key('id')],
  'practitioners.mainOf': [key('patientId')],
  'coverages.byId': [key('id')],
  'coverages.ofPatient': [key('patientId')],
  'coverages.create': [kept('patientId'), kept('planId'), kept('credentialNumber')],
  'coverages.edit': [key('id')],
  'taken.between': window,
  'slots.between': window,
  'appointments.ofPatient': [key('patientId')],
  'appointments.cancel': [key('appointmentId')],
  'relatives.ofPatient': [key('patientId')],
  'relatives.add': [kept('patientId'), kept('relatedPatientId'), kept('relationshipCode')],
  'relatives.remove': [key('id')],
};

const slots = ['slotIds', 'slotId', 'firstSlotId'];
const bySlot = [kept('patientId'), key(...slots)];
/** The system does not know the ids of slots that Puente divides from weekly schedules. */
const byTime = [
  kept('patientId'),
  key('start', 'startDay', 'slotStart'),
  key('start', 'startTime', 'slotStart'),
  key('scheduleId', 'practitionerId', 'practitionerIds', 'slotPractitionerId'),
];

/** The names that an entry of the file, e.g. `patients.byId`, must use. */
function listNeeded(entry: string, { schedules }: MappingFile, used: ReadonlySet<string>): readonly Needed[] {
  if (entry !== 'appointments.book') return mustUse[entry] ?? [];
  return !schedules && slots.some((name) => used.has(name)) ? bySlot : byTime;
}
