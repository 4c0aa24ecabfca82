import { computeDayAhead } from './days.ts';
import { getBody, getList } from './expect.ts';
import type { Query, Subject } from './subject.ts';

/** The fields of a patient that the cases read. */
export interface Patient {
  readonly id: string;
  readonly birth_date: string;
  readonly gender: string;
  readonly identifier_type: string;
  readonly identifier: number | string;
  readonly name: string;
  readonly last_name: string;
  readonly phone: string;
  readonly email: string;
  readonly address: Readonly<Record<string, string>>;
}

/** That patient. */
export const getPatient = (subject: Subject, id: string): Promise<Patient> =>
  getBody(subject, { route: 'GET /patients/{id}', params: { id } });

/** The patients who meet every criterion. */
export const findPatients = (subject: Subject, query: Query): Promise<Patient[]> =>
  getList(subject, 'patients', { route: 'GET /patients/search', query });

/** A member of a family group. */
export interface FamilyMember {
  readonly id: string;
  readonly related_patient_id: string;
  readonly relationship_code: number;
  readonly relationship_description: string;
  readonly active: boolean;
}

/** The family group of that patient. */
export const listFamilyGroup = (subject: Subject, id: string): Promise<FamilyMember[]> =>
  getList(subject, 'family_group', { route: 'GET /patients/{id}/family_group', params: { id } });

/** A health insurance of a patient. */
export interface Coverage {
  readonly id: string;
  readonly carrier: string;
  readonly plan: string;
  readonly credential_number: string;
  readonly active: string;
}

/** The health insurances of that patient. */
export const listCoverages = (subject: Subject, id: string): Promise<Coverage[]> =>
  getList(subject, 'health_insurances', { route: 'GET /patients/{id}/health_insurances', params: { id } });

/** A free slot as Group A shows it. */
export interface SlotA {
  readonly date: string;
  readonly health_care_service_id: string;
  readonly practitioner_id: string;
  readonly location_id: string;
  readonly mode: string;
}

/** The free slots of the bookable service, as Group A shows them, narrowed by more parameters. */
export const listSlotsA = (subject: Subject, query: Query = {}): Promise<SlotA[]> =>
  getList(subject, 'appointments', {
    route: 'GET /available-appointments/search',
    query: { health_care_service_id: subject.fixtures.services.bookable, ...query },
  });

/** Whether the slot is free, as Group A says. */
export const isOfferedInA = async (subject: Subject, slot: SlotA): Promise<boolean> =>
  (await listSlotsA(subject, { health_care_service_id: slot.health_care_service_id })).some(
    (other) =>
      other.date === slot.date &&
      other.practitioner_id === slot.practitioner_id &&
      other.location_id === slot.location_id,
  );

/** A free slot as Group B shows it. */
export interface SlotB {
  readonly appointmentId: string;
  readonly hcsId: string;
  readonly practitionerId: string;
  readonly locationId: string;
  readonly appointmentDate: string;
  readonly appointmentStart: string;
  readonly minutesDuration: string;
  readonly modality: string;
}

/** The body of a search of Group B for the bookable service, narrowed to a month of days. */
export const buildSlotSearch = (subject: Subject) => ({
  hcsId: subject.fixtures.services.bookable,
  practitionerId: null,
  modalityVirtual: null,
  dateConfig: { dateFrom: computeDayAhead(subject, 6), dateTo: computeDayAhead(subject, 34) },
  locationId: null,
});

/** Up to 100 free slots as Group B shows them, narrowed by more criteria. */
export const listSlotsB = (subject: Subject, body: Readonly<Record<string, unknown>> = {}): Promise<SlotB[]> =>
  getList(subject, 'data', {
    route: 'POST /v1/available-slots',
    query: { limit: '100' },
    body: { ...buildSlotSearch(subject), ...body },
  });

/** Whether the slot is free, as Group B says. */
export async function isOfferedInB(subject: Subject, slot: SlotB): Promise<boolean> {
  const dateConfig = { dateFrom: slot.appointmentDate, dateTo: slot.appointmentDate };
  const offered = await listSlotsB(subject, { hcsId: slot.hcsId, dateConfig });
  return offered.some(({ appointmentId }) => appointmentId === slot.appointmentId);
}

/** The fields of an appointment in Group A that the cases read. */
export interface AppointmentA {
  readonly id: string;
  readonly date: string;
  readonly status: string;
  readonly modality: string;
  readonly cancelable: boolean;
  readonly practitioner: { readonly id: string };
  readonly location: { readonly id: string };
  readonly healht_care_service: readonly { readonly id: string }[];
  readonly payments: { readonly link?: string; readonly status?: string };
  readonly health_insurances: object;
}

/** All appointments of that patient, as Group A shows them. */
export const listAppointmentsA = (subject: Subject, id: string): Promise<AppointmentA[]> =>
  getList(subject, 'appointments', { route: 'GET /patients/{id}/appointments', params: { id } });

/** The fields of an appointment in Group B that the cases read. */
export interface AppointmentB {
  readonly id: string;
  readonly patientId: string;
  readonly practitionersIds: readonly string[];
  readonly appointmentDate: string;
  readonly appointmentStart: string;
  readonly minutesDuration: string;
  readonly appointmentStatus: string;
}

/** Up to 100 appointments of that patient as Group B shows them, narrowed by more parameters. */
export const listAppointmentsB = (subject: Subject, patientId: string, query: Query = {}): Promise<AppointmentB[]> =>
  getList(subject, 'data', {
    route: 'GET /v1/appointments',
    query: { limit: '100', patientId, ...query },
  });

/** When a slot or an appointment of Group B starts, `YYYY-MM-DDThh:mm:ss` as Group A has it. */
export const toStart = ({ appointmentDate, appointmentStart }: SlotB | AppointmentB): string =>
  `${appointmentDate}T${appointmentStart}:00`;

/** A service as Group B shows it. */
export interface ServiceB {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly appointmentRequired: boolean;
  readonly requiresAuthorization: boolean;
  readonly practitionerId: string;
}

/** The query parameters that every list of services in Group B requires. */
export const getInsured = ({ fixtures }: Subject): Query => ({
  patientId: fixtures.patients.complete,
  patientCoverageId: fixtures.coverages.active,
});

/** Up to 100 services as Group B shows them to the insured patient, narrowed by more parameters. */
export const listServicesB = (subject: Subject, query: Query = {}): Promise<ServiceB[]> =>
  getList(subject, 'data', {
    route: 'GET /v1/health-care-services',
    query: { ...getInsured(subject), limit: '100', ...query },
  });

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
