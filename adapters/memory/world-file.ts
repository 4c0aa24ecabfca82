import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import {
  type Appointment,
  type FamilyMember,
  normalizeDocument,
  type Patient,
  type Practitioner,
  weekdays,
} from '../../src/ports/index.ts';
import { SettingsProblem } from '../../src/toolkit/problems.ts';
import { getFields } from '../../src/toolkit/records.ts';
import { readRegularFile } from '../../src/toolkit/settings-file.ts';
import { parseMinutes } from '../../src/toolkit/zone.ts';
import { isOnGrid, overlaps, worksOn } from '../common/schedules.ts';
import { ticketType as baseTicketType, entryId } from '../common/tickets.ts';

const id = entryId;
const day = z.iso.date();
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time hh:mm');
const weekday = z.enum(weekdays);
const phones = z.array(z.strictObject({ type: z.enum(['phone', 'cell-phone']), value: z.string() })).default([]);

/** A moment `daysAgo` days before the world is loaded, at a local time `hh:mm`. The demo thereby stays current. */
const relativeTime = z.strictObject({ daysAgo: z.int().nonnegative(), time: time.default('10:00') });

const address = z
  .strictObject({
    street: z.string(),
    number: z.string(),
    floor: z.string(),
    apartment: z.string(),
    city: z.string(),
    state: z.string(),
    country: z.string(),
    zipCode: z.string(),
  })
  .exactPartial();

const carrier = z.strictObject({
  id,
  name: z.string().min(1),
  active: z.boolean().default(true),
  /** Ids of the institutions that have a contract with it: the `ownerId` of Group B. */
  owners: z.array(id).default([]),
  plans: z.array(z.strictObject({ id, name: z.string().min(1), active: z.boolean().default(true) })).default([]),
});

const location = z.strictObject({ id, name: z.string().min(1), address });

const practitioner = z.strictObject({
  id,
  name: z.string().min(1),
  specialty: z.string(),
  email: z.string().default(''),
  phone: z.string().default(''),
  workingHours: z.string().default(''),
  /** Names of locations, as display text. */
  location: z.string().default(''),
  available: z.boolean().default(true),
} satisfies Record<keyof Practitioner, z.ZodType>);

const service = z.strictObject({
  id,
  name: z.string().min(1),
  description: z.string().default(''),
  type: z.enum(['CONSULTA', 'PRACTICA']),
  active: z.boolean().default(true),
  /** Names of locations, as display text. */
  offeredIn: z.string().default(''),
  /** Empty if several practitioners offer it, or none. */
  practitionerId: z.union([id, z.literal('')]).default(''),
  extraDetails: z.string().default(''),
  patientInstruction: z.string().default(''),
  integrationId: z.string().default(''),
  appointmentRequired: z.boolean().default(true),
  requiresAuthorization: z.boolean().default(false),
  availabilityExceptions: z.string().nullable().default(null),
  minAge: z.int().nonnegative().nullable().default(null),
  maxAge: z.int().nonnegative().nullable().default(null),
  sex: z.enum(['Male', 'Female']).nullable().default(null),
  /** Ids of the plans that pay for it. Null if every plan pays. */
  plans: z.array(id).nullable().default(null),
  created: relativeTime.default({ daysAgo: 400, time: '10:00' }),
  updated: relativeTime.default({ daysAgo: 30, time: '10:00' }),
});

/** Weekly slots: every `minutes` from `from` on each of `days`. The last one ends by `to`. */
const schedule = z.strictObject({
  id,
  serviceId: id,
  practitionerId: id,
  locationId: id,
  modality: z.enum(['in-person', 'virtual']).default('in-person'),
  days: z.array(weekday).min(1),
  from: time,
  to: time,
  minutes: z.int().min(5).max(480),
});

const patient = z.strictObject({
  id,
  name: z.string(),
  lastName: z.string(),
  gender: z.enum(['Male', 'Female', 'Other']),
  birthDate: day,
  /** The value is empty if the patient has no document. */
  identifier: z.strictObject({ type: z.enum(['DNI', 'Passport', 'Other']), value: z.string() }),
  medicalRecordId: z.string().default(''),
  phone: z.string().default(''),
  email: z.string().default(''),
  active: z.boolean().default(true),
  address: address.default({}),
  mainPractitionerId: id.exactOptional(),
} satisfies Record<Exclude<keyof Patient, 'version'> | 'mainPractitionerId', z.ZodType>);

const coverage = z.strictObject({
  id,
  patientId: id,
  planId: id,
  credentialNumber: z.string().min(1),
  active: z.boolean().default(true),
});

const familyMember = z.strictObject({
  id,
  patientId: id,
  relatedPatientId: id,
  relationshipCode: z.int(),
  relationshipDescription: z.string(),
  active: z.boolean().default(true),
} satisfies Record<keyof FamilyMember | 'patientId', z.ZodType>);

const ticketType = baseTicketType.extend({
  created: relativeTime.default({ daysAgo: 400, time: '10:00' }),
  updated: relativeTime.default({ daysAgo: 30, time: '10:00' }),
});

const ticket = z.strictObject({
  id,
  patientId: id,
  ticketTypeId: id,
  status: z.enum(['pending', 'in_progress', 'completed', 'rejected', 'canceled']).default('pending'),
  observations: z.string().default(''),
  created: relativeTime,
  updated: relativeTime,
  fields: z.array(z.strictObject({ id, value: z.string() })).default([]),
});

/** The fields of an appointment that come neither from its schedule nor from its coverage. */
type KeptField = Exclude<
  keyof Appointment,
  'start' | 'minutes' | 'modality' | 'cancelable' | 'practitioners' | 'location' | 'services' | 'coverage'
>;

/**
 * An appointment in a slot of a schedule. The week counts from the current one (Monday to Sunday): -3 is three weeks
 * ago, and 2 is in two weeks. The schedule must have a slot on that day at that time.
 */
const appointment = z.strictObject({
  id,
  patientId: id,
  scheduleId: id,
  week: z.int(),
  day: weekday,
  time,
  status: z.enum(['active', 'canceled']).default('active'),
  coverageId: id.exactOptional(),
  payment: z.strictObject({ link: z.url(), status: z.string() }).exactOptional(),
  copay: z.number().nonnegative().exactOptional(),
  authorization: z.boolean().exactOptional(),
} satisfies Record<KeptField | 'coverageId' | 'scheduleId' | 'week' | 'day' | 'time', z.ZodType>);

/** The same appointment in several weeks: that week and the ones before it. */
const weeklyAppointment = appointment.extend({ weeks: z.int().min(1).max(1_000).default(1) });

type WeeklyAppointment = z.output<typeof weeklyAppointment>;

const listWeeks = ({ weeks, ...row }: WeeklyAppointment): WorldAppointment[] =>
  weeks === 1 ? [row] : Array.from({ length: weeks }, (_, i) => ({ ...row, id: `${row.id}-${i}`, week: row.week - i }));

const changeRequest = z.strictObject({
  id,
  patientId: id,
  reasonId: id,
  status: z.enum(['in_progress', 'completed', 'rejected', 'canceled']),
  practitionerId: id.exactOptional(),
  observations: z.string().default(''),
  created: relativeTime,
});

const provider = z.strictObject({
  id,
  name: z.string().min(1),
  description: z.string().default(''),
  type: z.enum(['pharmacy', 'practitioner', 'clinic']),
  email: z.string().default(''),
  phones,
  services: z.array(z.strictObject({ id, name: z.string().min(1), description: z.string().default('') })).default([]),
});

const directoryEntry = z.strictObject({
  location: z.strictObject({
    id,
    name: z.string().min(1),
    latitude: z.string().default(''),
    longitude: z.string().default(''),
    address: z.string(),
    zipCode: z.string().default(''),
    email: z.string().default(''),
    phones,
  }),
  providers: z.array(provider),
});

/** The file for an in-memory hospital. `readWorld` checks its references. */
export const worldFile = z.strictObject({
  institution: z.strictObject({
    id,
    name: z.string().min(1),
    /** The institution's codes for the sex of a service. */
    sexIds: z.strictObject({ Female: z.int(), Male: z.int() }).default({ Female: 1, Male: 2 }),
    /** The last moment for a cancellation, in hours before the start. */
    cancelUntilHours: z.number().nonnegative().default(24),
  }),
  carriers: z.array(carrier).default([]),
  locations: z.array(location).default([]),
  practitioners: z.array(practitioner).default([]),
  services: z.array(service).default([]),
  schedules: z.array(schedule).default([]),
  patients: z.array(patient).default([]),
  coverages: z.array(coverage).default([]),
  familyMembers: z.array(familyMember).default([]),
  ticketTypes: z.array(ticketType).default([]),
  tickets: z.array(ticket).default([]),
  appointments: z.array(weeklyAppointment).default([]),
  changeReasons: z.array(z.strictObject({ id, label: z.string().min(1) })).default([]),
  changeRequests: z.array(changeRequest).default([]),
  directory: z.array(directoryEntry).default([]),
});

type WrittenWorld = z.output<typeof worldFile>;

/** A checked world, with every default filled in and an appointment for each of its weeks. */
export type WorldFile = z.output<typeof consistentWorld>;

export type RelativeTime = z.output<typeof relativeTime>;
export type Schedule = z.output<typeof schedule>;
export type WorldAppointment = z.output<typeof appointment>;

/** Reports a problem of the value at the path. */
type AddProblem = (path: readonly PropertyKey[], message: string) => void;

const onceValid = { when: ({ issues }: { readonly issues: readonly unknown[] }) => issues.length === 0 };

/** A world whose entries refer to existing ones and do not contradict each other. */
const consistentWorld = worldFile
  .superRefine((world, context) => {
    const add: AddProblem = (path, message) => context.addIssue({ code: 'custom', path: [...path], message });
    checkReferences(world, collectIds(world, add), add);
    checkIdentifiers(world, add);
    checkFamilies(world, add);
    checkTickets(world, add);
    checkSchedules(world, add);
    checkAppointments(world, add);
  }, onceValid)
  .transform((world) => ({ ...world, appointments: world.appointments.flatMap(listWeeks) }));

type Part = {
  [K in keyof WrittenWorld]: WrittenWorld[K] extends readonly { id: string }[] ? K : never;
}[keyof WrittenWorld];
type ReferenceTarget = Part | 'plans';

/** The target of a reference, by the name of its field in any entry. */
const targets: Readonly<Record<string, ReferenceTarget>> = {
  coverageId: 'coverages',
  locationId: 'locations',
  mainPractitionerId: 'practitioners',
  patientId: 'patients',
  planId: 'plans',
  practitionerId: 'practitioners',
  reasonId: 'changeReasons',
  relatedPatientId: 'patients',
  scheduleId: 'schedules',
  serviceId: 'services',
  ticketTypeId: 'ticketTypes',
};

function listParts({ directory: _, institution: _own, ...parts }: WrittenWorld) {
  return Object.entries(parts) as [Part, readonly { readonly id: string }[]][];
}

/** Reports references without a target. An empty reference has no target and is valid. */
function checkReferences(
  world: WrittenWorld,
  ids: Readonly<Record<ReferenceTarget, ReadonlySet<string>>>,
  add: AddProblem,
): void {
  const check = (path: readonly PropertyKey[], target: ReferenceTarget, id: unknown) => {
    if (id && !ids[target].has(String(id))) add(path, `there is nothing with this id in ${target}`);
  };
  for (const [part, entries] of listParts(world)) {
    for (const [index, entry] of entries.entries()) {
      for (const [field, id] of Object.entries(entry)) {
        const target = targets[field];
        if (target) check([part, index, field], target, id);
      }
    }
  }
  for (const [index, { plans }] of world.services.entries()) {
    for (const [place, plan] of (plans ?? []).entries()) check(['services', index, 'plans', place], 'plans', plan);
  }
}

function collectIds(world: WrittenWorld, add: AddProblem) {
  const ids = listParts(world).map(([part, entries]) => {
    const seen = new Set<string>();
    for (const [index, entry] of entries.entries()) {
      const own = 'weeks' in entry ? listWeeks(entry as WeeklyAppointment) : [entry];
      if (own.some(({ id }) => seen.has(id))) add([part, index, 'id'], 'an earlier entry has this id');
      for (const { id } of own) seen.add(id);
    }
    return [part, seen] as const;
  });
  const plans = new Set<string>();
  for (const [index, carrier] of world.carriers.entries()) {
    for (const [place, { id }] of carrier.plans.entries()) {
      if (plans.has(id)) add(['carriers', index, 'plans', place, 'id'], 'an earlier plan has this id');
      plans.add(id);
    }
  }
  return Object.fromEntries<ReadonlySet<string>>([...ids, ['plans', plans]]) as Record<
    ReferenceTarget,
    ReadonlySet<string>
  >;
}

/** Reports identifiers that are not unique, or not normalized and therefore never found. */
function checkIdentifiers(world: WrittenWorld, add: AddProblem): void {
  const seen = { DNI: new Set<string>(), Passport: new Set<string>(), Other: new Set<string>() };
  for (const [index, { identifier }] of world.patients.entries()) {
    const { type, value } = identifier;
    if (value === '') continue;
    const path = ['patients', index, 'identifier'];
    const document = normalizeDocument(type, value);
    if (seen[type].has(document)) add(path, 'an earlier patient holds this identifier');
    seen[type].add(document);
    if (type === 'DNI' && !/^(0|[1-9]\d{0,9})$/.test(value)) {
      add([...path, 'value'], 'a DNI has 1 to 10 digits, without dots and leading zeros');
    } else if (value !== document) {
      add([...path, 'value'], 'must be upper case and without spaces');
    }
  }
}

function checkFamilies(world: WrittenWorld, add: AddProblem): void {
  const seen = new Set<string>();
  for (const [index, { patientId, relatedPatientId }] of world.familyMembers.entries()) {
    const path = ['familyMembers', index, 'relatedPatientId'];
    const relation = `${patientId} ${relatedPatientId}`;
    if (patientId === relatedPatientId) add(path, 'a patient cannot be their own relative');
    if (seen.has(relation)) add(path, 'an earlier entry already names this relative');
    seen.add(relation);
  }
}

function checkTickets(world: WrittenWorld, add: AddProblem): void {
  const types = new Map(world.ticketTypes.map((type) => [type.id, new Set(type.fields.map(({ id }) => id))]));
  for (const [index, type] of world.ticketTypes.entries()) {
    if (types.get(type.id)?.size !== type.fields.length) {
      add(['ticketTypes', index, 'fields'], 'two fields have the same id');
    }
  }
  for (const [index, ticket] of world.tickets.entries()) {
    const known = types.get(ticket.ticketTypeId);
    for (const [place, { id }] of ticket.fields.entries()) {
      if (known && !known.has(id)) {
        add(['tickets', index, 'fields', place, 'id'], 'the ticket type has no such field');
      }
    }
  }
}

function checkSchedules(world: WrittenWorld, add: AddProblem): void {
  for (const [index, { from, to, minutes }] of world.schedules.entries()) {
    if (parseMinutes(from) + minutes > parseMinutes(to)) add(['schedules', index], 'has no room for a single slot');
  }
}

/** Reports appointments outside the slots of their schedule, with a coverage of another patient, or at the same time. */
function checkAppointments(world: WrittenWorld, add: AddProblem): void {
  const schedules = new Map(world.schedules.map((schedule) => [schedule.id, schedule]));
  const owners = new Map(world.coverages.map(({ id, patientId }) => [id, patientId]));
  const busy = new Map<string, { begins: number; ends: number }[]>();
  for (const [index, row] of world.appointments.entries()) {
    const { scheduleId, coverageId, patientId, day, time, status } = row;
    const path = ['appointments', index];
    const owner = coverageId === undefined ? patientId : owners.get(coverageId);
    if (owner !== undefined && owner !== patientId) {
      add([...path, 'coverageId'], 'this is the coverage of another patient');
    }
    const schedule = schedules.get(scheduleId);
    if (!schedule) continue;
    if (!worksOn(schedule, weekdays.indexOf(day))) {
      add([...path, 'day'], 'the schedule has no slots on this day');
    }
    const begins = parseMinutes(time);
    if (!isOnGrid(schedule, begins)) add([...path, 'time'], 'the schedule has no slot that starts then');
    if (status !== 'active') continue;
    const interval = { begins, ends: begins + schedule.minutes };
    const keys = listWeeks(row).map(({ week }) => `${schedule.practitionerId} ${week} ${day}`);
    if (keys.some((key) => busy.get(key)?.some((other) => overlaps(other, interval)))) {
      add(path, 'the practitioner has another active appointment at this time');
    }
    for (const key of keys) busy.set(key, [...(busy.get(key) ?? []), interval]);
  }
}

/** The number of problems that are shown. Further ones are counted. */
const MAX_SHOWN = 20;

/**
 * Reads and checks a world file, with the references between its entries.
 * @param more further entries of its lists.
 * @throws SettingsProblem with file, path and reason of at most 20 problems, and the number of the others.
 */
export const readWorld = (path: string, more?: unknown): WorldFile =>
  parseWorld(more === undefined ? parseJson(path) : joinLists(getFields(parseJson(path)), getFields(more)), path);

const joinLists = (one: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>>) => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(more).flatMap(([name, list]) => (Array.isArray(list) ? [[name, [one[name], list].flat()]] : [])),
  ),
});

/**
 * Checks the content of a world file.
 * @param source the file, as the beginning of each problem.
 * @throws SettingsProblem as `readWorld` does.
 */
export function parseWorld(data: unknown, source?: string): WorldFile {
  const { data: world, error } = consistentWorld.safeParse(data, { error: explainIssue });
  if (world) return world;
  const problems = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => formatProblem([...issue.path, key], 'unknown field'))
      : formatProblem(issue.path, issue.message),
  );
  const shown = problems
    .slice(0, MAX_SHOWN)
    .map((problem) => (source === undefined ? problem : `${source} ${problem}`));
  const more = problems.length - shown.length;
  throw new SettingsProblem('world', more > 0 ? [...shown, `and ${more} more`] : shown);
}

/** Formats `patients/12/birthDate: must be a date`. Never with the value: a world may have real people. */
const formatProblem = (path: readonly PropertyKey[], message: string): string =>
  path.length > 0 ? `${path.map(String).join('/')}: ${message}` : message;

/** The path of the sandbox hospital or another file of its folder, from the sources and from `dist`. */
export function findBundledWorld(name = 'sandbox-hospital.json'): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, 'config', name);
}

export function parseJson(path: string): unknown {
  let text: string;
  try {
    text = readRegularFile(path, Number.POSITIVE_INFINITY).toString();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? 'does not exist; give the path of a JSON file' : `cannot be read (${code})`;
    throw new SettingsProblem('world', [`${path} ${what}`]);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SettingsProblem('world', [`${path} is not JSON${formatPlace(String(error))}`]);
  }
}

/** Returns only the place of the engine's message, because the message quotes the text around it. */
const formatPlace = (message: string): string => {
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
  return line === undefined ? '' : `: look at line ${line}, column ${column}`;
};

/** Explains zod's issue if the schema has no message of its own. Never with the value. */
function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'is missing' : `must be of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_format' && issue.format === 'date') return 'must be a date YYYY-MM-DD that exists';
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}${issue.origin === 'number' ? '' : ' long'}`;
  return undefined;
}
