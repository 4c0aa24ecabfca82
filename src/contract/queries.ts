import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { Capability } from '../ports/index.ts';
import { getBody, getList } from './expect.ts';
import type { ConfirmedRecord, RecordKind } from './fixtures.ts';
import type {
  AppointmentA,
  AppointmentB,
  CoverageBody,
  FamilyMemberBody,
  Paged,
  PatientBody,
  ServiceB,
  SlotA,
  SlotB,
} from './resources.ts';
import type { Query, Request, Subject } from './subject.ts';
import { Skipped, tooShort } from './thrown.ts';

/** A request with that patient's id in its path. */
export const ofPatient = (route: Request['route'], id: string, body?: object): Request => ({
  route,
  params: { id },
  ...(body && { body }),
});

/** The rows of a list for which the API promises no order. */
export const sortById = <T extends { readonly id: string }>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** Reads that patient. */
export const getPatient = (subject: Subject, id: string): Promise<PatientBody> =>
  getBody(subject, { route: 'GET /patients/{id}', params: { id } });

/** Searches for the patients who meet every criterion. */
export const findPatients = async (subject: Subject, query: Query): Promise<PatientBody[]> =>
  sortById(await getList<PatientBody>(subject, 'patients', { route: 'GET /patients/search', query }));

/** Lists the family group of that patient. */
export const listFamilyGroup = async (subject: Subject, id: string): Promise<FamilyMemberBody[]> =>
  sortById(await getList(subject, 'family_group', { route: 'GET /patients/{id}/family_group', params: { id } }));

/** Lists the health insurances of that patient. */
export const listCoverages = async (subject: Subject, id: string): Promise<CoverageBody[]> =>
  sortById(
    await getList(subject, 'health_insurances', { route: 'GET /patients/{id}/health_insurances', params: { id } }),
  );

/** Lists the free slots of the bookable service in Group A. More parameters narrow the list. */
export const listSlotsA = (subject: Subject, query: Query = {}): Promise<SlotA[]> =>
  getList(subject, 'appointments', {
    route: 'GET /available-appointments/search',
    query: { health_care_service_id: subject.fixtures.services.bookable, ...query },
  });

/** True if the slot is free in Group A. */
export const isOfferedInA = async (subject: Subject, slot: SlotA): Promise<boolean> =>
  (await listSlotsA(subject, { health_care_service_id: slot.health_care_service_id })).some(
    (other) =>
      other.date === slot.date &&
      other.practitioner_id === slot.practitioner_id &&
      other.location_id === slot.location_id,
  );

/** The body of a slot search in Group B over a month. The service defaults to the bookable one. */
export const buildSlotSearch = (subject: Subject, hcsId: string = subject.fixtures.services.bookable) => ({
  hcsId,
  practitionerId: null,
  modalityVirtual: null,
  dateConfig: { dateFrom: computeDayAhead(subject, 6), dateTo: computeDayAhead(subject, 34) },
  locationId: null,
});

/** Reads all pages of a list of Group B. */
export async function listPages<T>(subject: Subject, request: Request): Promise<T[]> {
  const all: T[] = [];
  for (let page = 0; ; page++) {
    const query = { ...request.query, limit: '100', page: String(page) };
    const { data, pagination } = await getBody<Paged<T>>(subject, { ...request, query });
    all.push(...data);
    if (page + 1 >= pagination.totalPages) return all;
  }
}

/** Lists the free slots in Group B. More criteria narrow the list. */
export const listSlotsB = (subject: Subject, body: Readonly<Record<string, unknown>> = {}): Promise<SlotB[]> =>
  listPages(subject, { route: 'POST /v1/available-slots', body: { ...buildSlotSearch(subject), ...body } });

/** The slot in words. */
const describeSlot = (slot: SlotA | SlotB): string =>
  'appointmentId' in slot
    ? `${toStart(slot)} of ${slot.practitionerId} at ${slot.locationId}`
    : `${slot.date} of ${slot.practitioner_id} at ${slot.location_id}`;

/** Finds the slot among the offered ones. `how` reports that only its id or only its time is offered. */
async function findOffer(subject: Subject, slot: SlotA | SlotB): Promise<{ isOffered: boolean; how: string }> {
  if (!('appointmentId' in slot)) return { isOffered: await isOfferedInA(subject, slot), how: '' };
  const dateConfig = { dateFrom: slot.appointmentDate, dateTo: slot.appointmentDate };
  const offered = await listSlotsB(subject, { hcsId: slot.hcsId, dateConfig });
  const byId = offered.find(({ appointmentId }) => appointmentId === slot.appointmentId);
  const byTime = offered.find((each) => describeSlot(each) === describeSlot(slot));
  const moved = 'an appointmentId must stay that of its slot';
  if (byId && !byTime)
    return { isOffered: true, how: `: its appointmentId now names ${describeSlot(byId)}, and ${moved}` };
  if (byTime && !byId) return { isOffered: false, how: `: its time has another appointmentId now, and ${moved}` };
  return { isOffered: byId !== undefined, how: '' };
}

/** Asserts that the slot is offered. `when` is the moment, such as `after the cancellation`. */
export async function expectFree(subject: Subject, slot: SlotA | SlotB, when: string): Promise<void> {
  const { isOffered, how } = await findOffer(subject, slot);
  assert.ok(isOffered, `the slot ${describeSlot(slot)} is not offered ${when}${how}`);
}

/** Asserts that the slot is not offered. `when` is the moment, such as `after the booking`. */
export async function expectTaken(subject: Subject, slot: SlotA | SlotB, when: string): Promise<void> {
  const { isOffered, how } = await findOffer(subject, slot);
  assert.ok(!isOffered, `the slot ${describeSlot(slot)} is offered ${when}${how}`);
}

/** Lists all appointments of that patient in Group A. */
export const listAppointmentsA = (subject: Subject, id: string): Promise<AppointmentA[]> =>
  getList(subject, 'appointments', { route: 'GET /patients/{id}/appointments', params: { id } });

/** Lists the appointments of that patient in Group B. More parameters narrow the list. */
export const listAppointmentsB = (subject: Subject, patientId: string, query: Query = {}): Promise<AppointmentB[]> =>
  listPages(subject, { route: 'GET /v1/appointments', query: { patientId, ...query } });

/** The start of a slot or an appointment of Group B in the format of Group A, `YYYY-MM-DDThh:mm:ss`. */
export const toStart = ({ appointmentDate, appointmentStart }: SlotB | AppointmentB): string =>
  `${appointmentDate}T${appointmentStart}:00`;

/** The query parameters that every list of services in Group B requires. */
export const getInsured = ({ fixtures }: Subject): Query => ({
  patientId: fixtures.patients.complete,
  patientCoverageId: fixtures.coverages.active,
});

/** Lists the services for the insured patient in Group B. More parameters narrow the list. */
export const listServicesB = (subject: Subject, query: Query = {}): Promise<ServiceB[]> =>
  listPages(subject, { route: 'GET /v1/health-care-services', query: { ...getInsured(subject), ...query } });

export const toIds = (things: readonly { readonly id: string }[]): string[] => things.map(({ id }) => id);

/** The distinct values of a field, in order of first occurrence. */
export const listDistinct = <T>(found: readonly T[], field: keyof T): unknown[] => [
  ...new Set(found.map((item) => item[field])),
];

/**
 * Changes the case of the last letter of an id, so that it is neither another id nor a name. Returns an id without
 * letters unchanged.
 */
export const changeLetterCase = (id: string): string =>
  id.replace(/[a-z](?=[^a-z]*$)/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

/** Returns the text in lower case and without accents. */
export const foldAccents = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '');

/** Compares names in the order of the institution's language. */
export const createCollator = ({ fixtures }: Subject): Intl.Collator =>
  new Intl.Collator(fixtures.locale, { numeric: true });

/** The day `days` after today in the institution's zone, `YYYY-MM-DD`. */
export const computeDayAhead = (subject: Subject, days: number): string =>
  toDay(subject, new Date(subject.now().getTime() + days * 86_400_000).toISOString());

/** One format for each zone. To make one takes longer than to format a hundred moments. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The local date-time in the institution's zone, `YYYY-MM-DDThh:mm:ss`. */
function toLocal({ fixtures: { timeZone } }: Subject, moment: number): string {
  let format = formats.get(timeZone);
  format ??= new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(timeZone, format);
  return format.format(moment).replace(' ', 'T');
}

/** The day of that instant in the institution's zone, `YYYY-MM-DD`. */
export const toDay = (subject: Subject, moment: string): string => toLocal(subject, Date.parse(moment)).slice(0, 10);

/** The instant (UTC) of a local date-time in the institution's zone. */
export function toInstant(subject: Subject, local: string): string {
  const asUtc = Date.parse(`${local}Z`);
  const offset = Date.parse(`${toLocal(subject, asUtc)}Z`) - asUtc;
  return new Date(asUtc - offset).toISOString();
}

/** The same day in the format of Group A, `YYYY/MM/DD`. */
export const toSlashDay = (day: string): string => day.replaceAll('-', '/');

/** Adds minutes to a moment. A negative number gives an earlier moment. */
export const addMinutes = (moment: string, minutes: number): string =>
  new Date(Date.parse(moment) + minutes * 60_000).toISOString();

/** The last minute before this day of the institution, and its first minute. */
export function findMidnight(subject: Subject, day: string): readonly [string, string] {
  const midnight = toInstant(subject, `${day}T00:00:00`);
  return [addMinutes(midnight, -1), addMinutes(midnight, 1)];
}

/**
 * Asserts that the pages of a list of Group B are right. Together they contain the whole list, and each has its number.
 * The first page is 0, and the default limit is 10. A page beyond the last is empty, with the true totals. A list of
 * fewer than 2 rows proves nothing.
 */
export async function checkPages(subject: Subject, request: Request): Promise<void> {
  const page = (query: Query) =>
    getBody<Paged<unknown>>(subject, { ...request, query: { ...request.query, ...query } });
  const whole = await listPages(subject, request);
  const total = whole.length;
  if (total < 2) throw new Skipped(tooShort);
  const expected = (limit: number, at: number) => {
    const data = whole.slice(at * limit, (at + 1) * limit);
    const totals = { totalPages: Math.ceil(total / limit), totalElements: total };
    return { data, pagination: { ...totals, page: at, limit, numberOfElements: data.length } };
  };
  assert.deepEqual(await page({ page: '0', limit: '100' }), expected(100, 0));
  assert.deepEqual(await page({}), expected(10, 0));
  for (const limit of [1, 3]) {
    const last = Math.ceil(total / limit);
    for (let at = 0; at < Math.min(last, 12); at++) {
      assert.deepEqual(await page({ page: String(at), limit: String(limit) }), expected(limit, at));
    }
    assert.deepEqual(await page({ page: String(last), limit: String(limit) }), expected(limit, last));
    assert.deepEqual(await page({ page: '9999', limit: String(limit) }), expected(limit, 9999));
  }
}

/** The response of a list of Group B without matches. */
export const emptyPage = {
  data: [],
  pagination: { totalPages: 0, totalElements: 0, page: 0, limit: 10, numberOfElements: 0 },
};

let seed = randomInt(1, 1_000_000);
let state = seed;

/** The seed of random choices. The same seed chooses the same items from the same list. */
export const getSeed = (): number => seed;

/** Sets the seed of later random choices. */
export const setSeed = (given: number): void => {
  seed = given;
};

/** Restarts the random choices for a case, so that it chooses the same items alone and after other cases. */
export function beginPicks(id: string): void {
  state = seed;
  for (const char of id) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 0x01000193);
}

/** Returns a random whole number below this bound. */
export function pickBelow(bound: number): number {
  state = (state + 0x9e3779b9) | 0;
  let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return ((mixed ^ (mixed >>> 15)) >>> 0) % bound;
}

/** How to read records of a kind, and the fields that do not change. */
interface ReadKind {
  readonly needs: Capability;
  /** Lists records with the one among them. `patient_id` is its patient. */
  readonly list: (subject: Subject, record: Pick<ConfirmedRecord, 'id' | 'patient_id'>) => Promise<readonly object[]>;
  readonly fields: string;
}

/** The kinds of records whose values a map may confirm. */
export const recordKinds = {
  patients: {
    needs: 'patients.get',
    list: async (subject, { id }) => [await getPatient(subject, id)],
    fields: 'name last_name gender birth_date identifier_type identifier medical_record_id phone email',
  },
  practitioners: {
    needs: 'practitioners.list',
    list: (subject) => getList(subject, 'practitioner', { route: 'GET /practitioner/' }),
    fields: 'name specialty email phone',
  },
  services: {
    needs: 'care-services.available',
    list: (subject) => getList(subject, 'health_care_services', { route: 'GET /health-care-services/search' }),
    fields: 'name practitioner_id appointment_required min_age max_age sex_id',
  },
  appointments: {
    needs: 'appointments.list',
    list: (subject, { patient_id }) => listAppointmentsA(subject, String(patient_id)),
    fields: 'date status modality payments health_insurances practitioner location',
  },
  coverages: {
    needs: 'insurance.coverages',
    list: (subject, { patient_id }) => listCoverages(subject, String(patient_id)),
    fields: 'carrier plan credential_number active',
  },
  places: {
    needs: 'directory.entries',
    list: async (subject) => {
      const request: Request = { route: 'GET /api/medical-directory' };
      return (await getBody<{ readonly location: { readonly id: string } }[]>(subject, request)).map(
        ({ location }) => location,
      );
    },
    fields: 'name latitude longitude address',
  },
} as const satisfies Readonly<Record<RecordKind, ReadKind>>;
