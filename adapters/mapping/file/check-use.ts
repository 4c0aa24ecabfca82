import type { HttpChange, HttpQuestion } from '../sources/http/schema.ts';
import { findHttpNames } from '../sources/http/template.ts';
import { hasClause, uses, type ValueUse } from '../sources/sql/conditions.ts';
import { findSqlNames, readVerb } from '../sources/sql/driver.ts';
import type { SqlChange, SqlQuestion, SqlStep } from '../sources/sql/schema.ts';
import type { MappingFile } from './schema.ts';

/** What is wrong at a key of the file, and what mends it. */
export interface FileProblem {
  readonly path: readonly PropertyKey[];
  readonly what: string;
}

/** A question or a change. */
export type Definition = SqlQuestion | SqlChange | HttpQuestion | HttpChange;

/** What lets a question or a change answer or change more than it is asked for, since it does not use what tells it apart. */
export function checkUse(entry: string, definition: Definition, file: MappingFile, select = ''): FileProblem[] {
  if (typeof definition === 'object' && 'request' in definition) {
    const { headers: _, ...sent } = definition;
    const canLook = entry === 'appointments.book' && file.schedules && file.taken && file.appointments?.cancel;
    if ('lookAgain' in definition && !canLook)
      return [{ path: ['lookAgain'], what: 'is for bookings, with `schedules`, `taken` and `cancel`; leave it out' }];
    const names = findHttpNames(sent);
    return listNeeded(entry, file, names)
      .filter(({ oneOf }) => !oneOf.some((name) => names.has(name)))
      .map((needed) => ({ path: [], what: `uses no ${format(needed)}${whose}; put it into the path, query or body` }));
  }
  if (typeof definition === 'string' || 'sql' in definition) {
    const sql = `${select}\n${typeof definition === 'string' ? definition : definition.sql}`;
    return listNeeded(entry, file, findSqlNames(sql))
      .filter((needed) => !isUsed(sql, needed))
      .map((needed) => ({ path: [], what: explain(needed) }));
  }
  return checkSteps(entry, definition, file);
}

function checkSteps(entry: string, { steps = [], forEachSlot = [] }: SqlChange, file: MappingFile): FileProblem[] {
  const all = [
    ...steps.map((step, i) => ({ step, path: ['steps', i] })),
    ...forEachSlot.map((step, i) => ({ step, path: ['forEachSlot', i] })),
  ];
  const statements = all.map(({ step }) => step.sql);
  const needed = listNeeded(entry, file, new Set(statements.flatMap((sql) => [...findSqlNames(sql)])));
  const lacking = needed.filter((each) => !statements.some((sql) => isUsed(sql, each)));
  const made = all.flatMap(({ step }) => step.as ?? []);
  // What makes something may count or lock in other rows; what changes something must find it in each statement.
  const keys = needed.some(({ use }) => use === 'kept') ? [] : needed;
  return [
    ...lacking.map((each) => ({ path: [], what: explain(each) })),
    ...all.flatMap(({ step, path }) => checkStep(step, keys, made).map((what) => ({ path: [...path, 'sql'], what }))),
  ];
}

function checkStep({ sql, mustChange }: SqlStep, keys: readonly Needed[], made: readonly string[]): string[] {
  const verb = readVerb(sql);
  if (mustChange !== undefined && /^(CALL|EXEC|EXECUTE|DO|BEGIN)$/.test(verb)) {
    return [
      `\`mustChange\` counts no rows of a ${verb}; leave it out, or write what the procedure changes as an UPDATE or INSERT`,
    ];
  }
  const isLimited = /^(UPDATE|DELETE)$/.test(verb);
  if (!isLimited && !(verb === 'INSERT' && hasClause(sql, 'FROM'))) return [];
  if (isLimited && !hasClause(sql, 'WHERE')) return ['changes all rows; add a WHERE'];
  return keys
    .filter(({ oneOf, use }) => !isUsed(sql, { oneOf: [...oneOf, ...made], use }))
    .map((needed) => explain(needed));
}

const isUsed = (sql: string, { oneOf, use }: Needed): boolean => oneOf.some((name) => uses(sql, name, use));

const whose = ', so that it means what is not asked for, too';
const format = ({ oneOf }: Needed): string => oneOf.map((name) => `:${name}`).join(' or ');

function explain(needed: Needed): string {
  const names = format(needed);
  if (needed.use === 'kept') return `writes no ${names}, so that it is lost; add it to what an INSERT or UPDATE writes`;
  if (needed.use === 'window') return `is not limited by ${names}; compare a column with it in the WHERE`;
  return `is not limited by ${names}${whose}; compare a column with it by = or IN in the WHERE, with no OR beside it`;
}

/** Names of which an entry has to use one, or it would answer or change what is somebody else’s. */
export interface Needed {
  readonly oneOf: readonly string[];
  readonly use: ValueUse;
}

const key = (...oneOf: readonly string[]): Needed => ({ oneOf, use: 'key' });
const kept = (...oneOf: readonly string[]): Needed => ({ oneOf, use: 'kept' });
const window: readonly Needed[] = [
  { oneOf: ['from', 'fromDay'], use: 'window' },
  { oneOf: ['to', 'toDay'], use: 'window' },
];

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
/** Of slots that Puente cuts of weekly schedules the system does not know the ids. */
const byTime = [
  kept('patientId'),
  key('start', 'startDay', 'slotStart'),
  key('start', 'startTime', 'slotStart'),
  key('scheduleId', 'practitionerId', 'practitionerIds', 'slotPractitionerId'),
];

/** What an entry of the file, e.g. `patients.byId`, has to use. */
function listNeeded(entry: string, { schedules }: MappingFile, used: ReadonlySet<string>): readonly Needed[] {
  if (entry !== 'appointments.book') return mustUse[entry] ?? [];
  return !schedules && slots.some((name) => used.has(name)) ? bySlot : byTime;
}
