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

/** A request of that patient, whose id is in its path. */
export const ofPatient = (route: Request['route'], id: string, body?: object): Request => ({
  route,
  params: { id },
  ...(body && { body }),
});

/** That patient. */
export const getPatient = (subject: Subject, id: string): Promise<PatientBody> =>
  getBody(subject, { route: 'GET /patients/{id}', params: { id } });

/** The patients who meet every criterion. */
export const findPatients = (subject: Subject, query: Query): Promise<PatientBody[]> =>
  getList(subject, 'patients', { route: 'GET /patients/search', query });

/** The family group of that patient. */
export const listFamilyGroup = (subject: Subject, id: string): Promise<FamilyMemberBody[]> =>
  getList(subject, 'family_group', { route: 'GET /patients/{id}/family_group', params: { id } });

/** The health insurances of that patient. */
export const listCoverages = (subject: Subject, id: string): Promise<CoverageBody[]> =>
  getList(subject, 'health_insurances', { route: 'GET /patients/{id}/health_insurances', params: { id } });

/** The free slots of the bookable service, as Group A shows them, narrowed by more parameters. */
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

/** The body of a search of Group B for a service, by default the bookable one, narrowed to a month of days. */
export const buildSlotSearch = (subject: Subject, hcsId: string = subject.fixtures.services.bookable) => ({
  hcsId,
  practitionerId: null,
  modalityVirtual: null,
  dateConfig: { dateFrom: computeDayAhead(subject, 6), dateTo: computeDayAhead(subject, 34) },
  locationId: null,
});

/** All pages of a list of Group B. */
async function listPages<T>(subject: Subject, request: Request): Promise<T[]> {
  const all: T[] = [];
  for (let page = 0; ; page++) {
    const query = { ...request.query, limit: '100', page: String(page) };
    const { data, pagination } = await getBody<Paged<T>>(subject, { ...request, query });
    all.push(...data);
    if (page + 1 >= pagination.totalPages) return all;
  }
}

/** The free slots as Group B shows them, narrowed by more criteria. */
export const listSlotsB = (subject: Subject, body: Readonly<Record<string, unknown>> = {}): Promise<SlotB[]> =>
  listPages(subject, { route: 'POST /v1/available-slots', body: { ...buildSlotSearch(subject), ...body } });

/** True if the slot is free in Group B. */
export async function isOfferedInB(subject: Subject, slot: SlotB): Promise<boolean> {
  const dateConfig = { dateFrom: slot.appointmentDate, dateTo: slot.appointmentDate };
  const offered = await listSlotsB(subject, { hcsId: slot.hcsId, dateConfig });
  return offered.some(({ appointmentId }) => appointmentId === slot.appointmentId);
}

/** All appointments of that patient, as Group A shows them. */
export const listAppointmentsA = (subject: Subject, id: string): Promise<AppointmentA[]> =>
  getList(subject, 'appointments', { route: 'GET /patients/{id}/appointments', params: { id } });

/** The appointments of that patient as Group B shows them, narrowed by more parameters. */
export const listAppointmentsB = (subject: Subject, patientId: string, query: Query = {}): Promise<AppointmentB[]> =>
  listPages(subject, { route: 'GET /v1/appointments', query: { patientId, ...query } });

/** When a slot or an appointment of Group B starts, `YYYY-MM-DDThh:mm:ss` as Group A has it. */
export const toStart = ({ appointmentDate, appointmentStart }: SlotB | AppointmentB): string =>
  `${appointmentDate}T${appointmentStart}:00`;

/** The query parameters that every list of services in Group B requires. */
export const getInsured = ({ fixtures }: Subject): Query => ({
  patientId: fixtures.patients.complete,
  patientCoverageId: fixtures.coverages.active,
});

/** The services as Group B shows them to the insured patient, narrowed by more parameters. */
export const listServicesB = (subject: Subject, query: Query = {}): Promise<ServiceB[]> =>
  listPages(subject, { route: 'GET /v1/health-care-services', query: { ...getInsured(subject), ...query } });

export const toIds = (things: readonly { readonly id: string }[]): string[] => things.map(({ id }) => id);

/** The different values of a field, in the order in which they first occur. */
export const listDistinct = <T>(found: readonly T[], field: keyof T): unknown[] => [
  ...new Set(found.map((item) => item[field])),
];

/** An id with the case of its last letter changed, so that it is no other id and no name; one without letters as it is. */
export const changeLetterCase = (id: string): string =>
  id.replace(/[a-z](?=[^a-z]*$)/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

/** In lower case and without accents. */
export const foldAccents = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '');

/** Compares names as the institution’s language orders them. */
export const createCollator = ({ fixtures }: Subject): Intl.Collator =>
  new Intl.Collator(fixtures.locale, { numeric: true });

/** The day `days` after today in the institution's zone, `YYYY-MM-DD`. */
export const computeDayAhead = (subject: Subject, days: number): string =>
  toDay(subject, new Date(subject.now().getTime() + days * 86_400_000).toISOString());

/** The day in the institution's zone at that instant, `YYYY-MM-DD`. */
export const toDay = ({ fixtures: { timeZone } }: Subject, moment: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(moment));

/** The instant (UTC) of that local date-time of the institution's zone. */
export function toInstant({ fixtures: { timeZone } }: Subject, local: string): string {
  const asUtc = Date.parse(`${local}Z`);
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const offset = Date.parse(`${format.format(asUtc).replace(' ', 'T')}Z`) - asUtc;
  return new Date(asUtc - offset).toISOString();
}

/** The same day as Group A reads it, `YYYY/MM/DD`. */
export const toSlashDay = (day: string): string => day.replaceAll('-', '/');

/** The moment so many minutes later, or earlier when negative. */
export const addMinutes = (moment: string, minutes: number): string =>
  new Date(Date.parse(moment) + minutes * 60_000).toISOString();

/** The last minute before this day of the institution begins, and its first. */
export function findMidnight(subject: Subject, day: string): readonly [string, string] {
  const midnight = toInstant(subject, `${day}T00:00:00`);
  return [addMinutes(midnight, -1), addMinutes(midnight, 1)];
}

/**
 * Asserts that a list of Group B has the right pages: together they are the whole list, each says its number, the first
 * is page 0, the default limit is 10, and a page beyond the last is empty with true totals. The list must have 2 rows.
 */
export async function checkPages(subject: Subject, request: Request): Promise<void> {
  const page = (query: Query) =>
    getBody<Paged<unknown>>(subject, { ...request, query: { ...request.query, ...query } });
  const whole = await listPages(subject, request);
  const total = whole.length;
  assert.ok(total >= 2, 'the list is too short to show pages: see the fixtures');
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

/** The answer of a list of Group B when nothing matches. */
export const emptyPage = {
  data: [],
  pagination: { totalPages: 0, totalElements: 0, page: 0, limit: 10, numberOfElements: 0 },
};

let seed = randomInt(1, 1_000_000);
let state = seed;

/** What is picked at random depends on: the same picks the same among the same. */
export const getSeed = (): number => seed;

/** Picks by this seed from now on. */
export const setSeed = (given: number): void => {
  seed = given;
};

/** Begins the picks of that case anew, so that it picks the same alone and among others. */
export function beginPicks(id: string): void {
  state = seed;
  for (const char of id) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 0x01000193);
}

/** A whole number below this one. */
export function pickBelow(bound: number): number {
  state = (state + 0x9e3779b9) | 0;
  let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return ((mixed ^ (mixed >>> 15)) >>> 0) % bound;
}

/** How records of a kind are read, each with what does not change of it. */
interface ReadKind {
  readonly needs: Capability;
  /** The records among which it is; `patient_id` is whose they are. */
  readonly list: (subject: Subject, record: Pick<ConfirmedRecord, 'id' | 'patient_id'>) => Promise<readonly object[]>;
  readonly fields: string;
}

/** The kinds of records of which a map may say what they hold. */
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
