import type { Capability } from '../../ports/index.ts';
import {
  addMember,
  bookA,
  buildBookingA,
  createCoverage,
  createDni,
  createMember,
  createPerson,
  findFreeSlot,
  takePatient,
  takeTicketPatient,
} from '../arrange.ts';
import type { Rule } from '../fixtures.ts';
import {
  array,
  bool,
  day,
  each,
  enumeration,
  type Fields,
  type Form,
  id,
  integer,
  localDateTime,
  type Shape,
  slashDay,
  text,
} from '../forms.ts';
import * as shown from '../resources.ts';
import type { Request, Route, Subject } from '../subject.ts';

/** An address with all of its parts. */
const buildAddress = (...parts: readonly string[]) =>
  Object.fromEntries(shown.addressParts.map((part, at) => [part, parts[at]]));

/** A registration with every field that an operation takes. */
export const buildRegistration = () => ({
  ...createPerson(),
  name: 'Olga',
  last_name: 'Prueba',
  medical_record_id: `HC-${createDni()}`,
  address: buildAddress('Av. Santa Fe', '1234', '2', 'B', 'Buenos Aires', 'CABA', 'Argentina', 'C1059'),
});

/** An update of every field that an operation takes, with other values than a registration has. */
export const buildPatientUpdate = () => ({
  name: 'Irma',
  last_name: 'Cambiada',
  gender: 'Other',
  birth_date: '1971-02-28',
  identifier_type: 'Other',
  identifier: createDni(),
  medical_record_id: `HC-${createDni()}`,
  phone: '+54 9 11 5555-0177',
  email: 'irma@example.org',
  address: buildAddress('Belgrano', '77', '9', 'C', 'Rosario', 'Santa Fe', 'Uruguay', 'S2000'),
});

const toCompleteParams = ({ fixtures }: Subject) => ({ params: { id: fixtures.patients.complete } });
/** `patients.complete`, and the insurance where anybody is insured. */
const getPatient = ({ fixtures, supports }: Subject) => ({
  patient_id: fixtures.patients.complete,
  ...(supports('insurance.coverages') && { health_insurance_id: fixtures.coverages.active }),
});
const takeParams = async (subject: Subject) => ({ params: { id: await takePatient(subject) } });

/**
 * Group A of the API document, section 4.A, in its order: request, success status and full reply of each operation. As in
 * resources.ts this is double entry on purpose.
 */
export const groupA: readonly Documented[] = [
  {
    route: 'GET /patients/search',
    needs: 'patients.search',
    query: { gender: shown.gender, birth_date: slashDay, identifier_type: shown.identifierType, identifier: text },
    reply: { patients: [{ ...shown.patient, status: enumeration('Active', 'Inactive') }] },
    play: ({ fixtures: { identity } }) => {
      const { gender, birthDate, identifierType: identifier_type, identifier } = identity;
      const birth_date = birthDate.replaceAll('-', '/');
      return { query: { gender, birth_date, identifier_type, identifier: String(identifier) } };
    },
  },
  { route: 'GET /patients/{id}', needs: 'patients.get', reply: shown.patient, play: toCompleteParams },
  {
    route: 'POST /patients/',
    needs: 'patients.register',
    writes: 'records',
    rule: 'fewer-patient-fields',
    body: {
      birth_date: slashDay,
      identifier_type: shown.identifierType,
      identifier: integer,
      gender: shown.gender,
      ...each(text, 'email', 'phone'),
      // These are not in the document, but in the decision records.
      ...each(text, 'name', 'last_name', 'medical_record_id'),
      address: shown.addressInput,
    },
    required: ['birth_date', 'identifier_type', 'identifier', 'gender'],
    reply: shown.patient,
    play: () => ({ body: buildRegistration() }),
  },
  {
    route: 'PUT /patients/{id}',
    needs: 'patients.update',
    requires: ['patients.get'],
    writes: 'records',
    rule: 'fewer-patient-fields',
    body: { ...shown.person, address: shown.addressInput, identifier: integer },
    reply: {},
    play: async (subject) => ({ ...(await takeParams(subject)), body: buildPatientUpdate() }),
  },
  { route: 'GET /ticket_types', needs: 'tickets.types', reply: [shown.ticketType] },
  {
    route: 'GET /patients/{id}/ticket/',
    needs: 'tickets.list',
    filledBy: 'tickets.open',
    query: { start_date: day, end_date: day, ticket_type_id: id, status: text },
    reply: [shown.ticket],
    play: (subject) => ({
      ...toCompleteParams(subject),
      query: {
        start_date: '2000-01-01',
        end_date: '2100-01-01',
        ticket_type_id: subject.fixtures.ticketType.id,
        status: 'completed',
      },
    }),
  },
  {
    route: 'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket',
    needs: 'tickets.open',
    requires: ['tickets.type'],
    writes: 'records',
    body: { observations: text, fields: array({ id, value: text }) },
    status: 201,
    reply: {},
    play: async (subject) => {
      const { id, checked } = subject.fixtures.ticketType;
      return {
        params: { id: await takeTicketPatient(subject), ticket_type_id: id },
        body: { observations: 'Sin apuro', fields: [{ id: checked.id, value: checked.fits }] },
      };
    },
  },
  {
    route: 'GET /patients/{id}/appointments',
    needs: 'appointments.list',
    reply: { appointments: [shown.appointmentA] },
    play: ({ fixtures }) => ({ params: { id: fixtures.patients.payer ?? fixtures.patients.complete } }),
  },
  {
    route: 'POST /patients/{id}/appointments',
    needs: 'appointments.book',
    requires: ['appointments.slots'],
    writes: 'slots',
    body: { health_care_service_id: id, practitioner_id: id, health_insurance_id: id, date: localDateTime },
    required: ['health_care_service_id', 'practitioner_id', 'date'],
    status: 201,
    reply: {},
    play: async (subject) => {
      const slot = await findFreeSlot(subject);
      const id = await takePatient(subject);
      const coverageId = subject.supports('insurance.create') ? await createCoverage(subject, id) : undefined;
      return { params: { id }, body: buildBookingA(slot, coverageId) };
    },
  },
  {
    route: 'PUT /patients/{id}/appointments/{appointment_id}',
    needs: 'appointments.cancel',
    requires: ['appointments.book', 'appointments.slots'],
    writes: 'slots',
    body: { status: enumeration('canceled') },
    required: ['status'],
    reply: {},
    play: async (subject) => {
      const patientId = await takePatient(subject);
      const appointmentId = await bookA(subject, patientId, await findFreeSlot(subject));
      return { params: { id: patientId, appointment_id: appointmentId }, body: { status: 'canceled' } };
    },
  },
  {
    route: 'GET /health_insurance_carriers/',
    needs: 'insurance.carriers',
    reply: { health_insurance_carriers: [shown.carrierA] },
  },
  {
    route: 'GET /health_insurance_carriers/{id}/health_insurance_plans/',
    needs: 'insurance.plans',
    reply: { health_insurance_plans: [shown.plan] },
    play: ({ fixtures }) => ({ params: { id: fixtures.carriers.withPlans.id } }),
  },
  {
    route: 'GET /patients/{id}/health_insurances',
    needs: 'insurance.coverages',
    reply: { health_insurances: [shown.coverage] },
    play: toCompleteParams,
  },
  {
    route: 'GET /patients/{id}/practitioner',
    needs: 'practitioners.mainOf',
    reply: shown.practitioner,
    play: toCompleteParams,
  },
  {
    route: 'POST /patients/{id}/practitioner/change_request',
    needs: 'practitioners.requestChange',
    writes: 'records',
    // The document shows no body; the decision records do.
    body: { reason_id: id, practitioner_id: id, observations: text },
    required: ['reason_id'],
    reply: { id, reason_id: id },
    play: async (subject) => {
      const { changeReason: reason_id, practitioners } = subject.fixtures;
      const body = { reason_id, practitioner_id: practitioners.second, observations: 'Por la tarde' };
      return { ...(await takeParams(subject)), body };
    },
  },
  {
    route: 'GET /practitioner/change_request/reasons',
    needs: 'practitioners.changeReasons',
    reply: [{ id, status: text }],
  },
  {
    route: 'GET /patients/{id}/practitioner/change_request',
    needs: 'practitioners.changeRequestOf',
    filledBy: 'practitioners.requestChange',
    reply: { id, status: text },
    play: toCompleteParams,
  },
  {
    route: 'GET /health-care-services/search',
    needs: 'care-services.available',
    query: { patient_id: id, health_insurance_id: id },
    reply: { health_care_services: [shown.serviceA] },
    play: (subject) => ({ query: getPatient(subject) }),
  },
  {
    route: 'GET /patients/{id}/family_group',
    needs: 'family-groups.list',
    filledBy: 'family-groups.add',
    reply: { family_group: [shown.familyMember] },
    play: toCompleteParams,
  },
  {
    route: 'POST /patients/{id}/family_group',
    needs: 'family-groups.add',
    writes: 'records',
    body: { related_patient_id: id, relationship_code: integer, relationship_description: text, active: bool },
    required: ['related_patient_id', 'relationship_code'],
    status: 201,
    reply: {},
    play: async (subject) => ({ ...(await takeParams(subject)), body: createMember(await takePatient(subject)) }),
  },
  {
    route: 'DELETE /patients/{id}/family_group/{family_group_member_id}',
    needs: 'family-groups.remove',
    requires: ['family-groups.add', 'family-groups.list'],
    writes: 'records',
    reply: {},
    play: async (subject) => {
      const patientId = await takePatient(subject);
      return { params: { id: patientId, family_group_member_id: await addMember(subject, patientId) } };
    },
  },
  {
    route: 'GET /available-appointments/search',
    needs: 'appointments.slots',
    query: each(id, 'patient_id', 'health_insurance_id', 'health_care_service_id', 'practitioner_id', 'location_id'),
    required: ['health_care_service_id'],
    reply: { appointments: [shown.slotA] },
    play: (subject) => ({
      query: {
        ...getPatient(subject),
        health_care_service_id: subject.fixtures.services.bookable,
        practitioner_id: subject.fixtures.practitioners.bookable,
        location_id: subject.fixtures.locations.first,
      },
    }),
  },
  { route: 'GET /api/medical-directory', needs: 'directory.entries', reply: [shown.directoryEntry] },
  { route: 'GET /practitioner/', needs: 'practitioners.list', reply: { practitioner: [shown.practitioner] } },
  { route: 'GET /location/', needs: 'directory.locations', reply: { locations: [shown.location] } },
];

/** One operation as the document has it. */
export interface Documented {
  /** Of Group B, as docs/explanation/decisions/requests.md#paths-of-group-a-and-group-b gives it. */
  readonly operationId?: string;
  readonly route: Route;
  /** The capability that it serves. */
  readonly needs: Capability;
  /** The other capabilities that `play` uses. */
  readonly requires?: readonly Capability[];
  readonly writes?: 'records' | 'slots';
  readonly query?: Readonly<Record<string, Shape>>;
  readonly body?: Fields;
  /** By which a system may refuse what `play` gives. */
  readonly rule?: Rule;
  /** Parameters and fields without which it answers 422. */
  readonly required?: readonly string[];
  /** Default: 200. */
  readonly status?: 201;
  readonly reply: Form;
  /** What fills it: where that is offered, nobody may have anything yet. */
  readonly filledBy?: Capability;
  /**
   * A request that succeeds, with every parameter and field that the document names, but for those that name what the
   * subject does not offer. Default: it has none.
   */
  readonly play?: (subject: Subject) => Played | Promise<Played>;
}

type Played = Omit<Request, 'route'>;
