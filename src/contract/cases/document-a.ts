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
} from '../arrange.ts';
import {
  added,
  array,
  bool,
  day,
  each,
  enumeration,
  type Fields,
  type Form,
  flag,
  id,
  instant,
  integer,
  localDateTime,
  nullable,
  optional,
  orEmpty,
  type Shape,
  slashDay,
  text,
  union,
  url,
} from '../expect.ts';
import type { Rule } from '../fixtures.ts';
import type { Request, Route, Subject } from '../subject.ts';

const gender = enumeration('Male', 'Female', 'Other');
const identifierType = enumeration('DNI', 'Passport', 'Other');
const addressParts = ['street', 'number', 'floor', 'apartment', 'city', 'state', 'country', 'zip_code'] as const;
const address = each(optional(text), ...addressParts);
const person = {
  ...each(text, 'name', 'last_name', 'medical_record_id', 'phone', 'email'),
  gender,
  birth_date: day,
  identifier_type: identifierType,
  identifier: union(integer, added(text)),
  address,
};
const patient = { id, ...person };
const practitioner = {
  id,
  ...each(text, 'name', 'specialty', 'email', 'phone', 'working_hours', 'location'),
  is_available: bool,
};
const coverage = { ...each(text, 'carrier', 'plan', 'credential_number'), active: flag };
const phones = array({ type: text, value: text });

/** An address with all of its parts. */
const buildAddress = (...parts: readonly string[]) =>
  Object.fromEntries(addressParts.map((part, at) => [part, parts[at]]));

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
const takePatientParams = async (subject: Subject) => ({ params: { id: await takePatient(subject) } });

/** Group A of the API document, section 4.A, in its order. */
export const groupA: readonly Documented[] = [
  {
    route: 'GET /patients/search',
    needs: 'patients.search',
    query: { gender, birth_date: slashDay, identifier_type: identifierType, identifier: text },
    reply: { patients: [{ ...patient, status: enumeration('Active', 'Inactive') }] },
    play: ({ fixtures: { identity } }) => ({
      query: {
        gender: identity.gender,
        birth_date: identity.birthDate.replaceAll('-', '/'),
        identifier_type: identity.identifierType,
        identifier: String(identity.identifier),
      },
    }),
  },
  { route: 'GET /patients/{id}', needs: 'patients.get', reply: patient, play: toCompleteParams },
  {
    route: 'POST /patients/',
    needs: 'patients.register',
    writes: 'records',
    rule: 'fewer-patient-fields',
    body: {
      birth_date: slashDay,
      identifier_type: identifierType,
      identifier: integer,
      gender,
      ...each(text, 'email', 'phone'),
      ...each(added(text), 'name', 'last_name', 'medical_record_id'),
      address: added(address),
    },
    required: ['birth_date', 'identifier_type', 'identifier', 'gender'],
    reply: patient,
    play: () => ({ body: buildRegistration() }),
  },
  {
    route: 'PUT /patients/{id}',
    needs: 'patients.update',
    writes: 'records',
    rule: 'fewer-patient-fields',
    body: { ...person, identifier: integer },
    reply: {},
    play: async (subject) => ({ ...(await takePatientParams(subject)), body: buildPatientUpdate() }),
  },
  {
    route: 'GET /ticket_types',
    needs: 'tickets.types',
    reply: [
      {
        id,
        ...each(instant, 'created_at', 'updated_at'),
        ...each(text, 'status', 'title', 'description'),
        fields: [{ id, ...each(text, 'type', 'tooltip', 'validationRegex') }],
      },
    ],
  },
  {
    route: 'GET /patients/{id}/ticket/',
    needs: 'tickets.list',
    filledBy: 'tickets.open',
    query: { start_date: day, end_date: day, ticket_type_id: id, status: text },
    reply: [
      {
        ...each(id, 'uid', 'ticket_type_id'),
        ...each(instant, 'createdAt', 'updatedAt'),
        ...each(text, 'status', 'observations'),
        fields: [{ id, dataType: enumeration('string', 'file'), value: text, tooltip: text }],
      },
    ],
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
        params: { id: await takePatient(subject), ticket_type_id: id },
        body: { observations: 'Sin apuro', fields: [{ id: checked.id, value: checked.fits }] },
      };
    },
  },
  {
    route: 'GET /patients/{id}/appointments',
    needs: 'appointments.list',
    reply: {
      appointments: [
        {
          id,
          date: localDateTime,
          status: enumeration('active', 'canceled'),
          modality: enumeration('in-person', 'virtual'),
          payments: orEmpty({ link: optional(url), status: text }),
          health_insurances: orEmpty(coverage),
          practitioner: { id, name: text },
          cancelable: bool,
          location: { id, description: text },
          healht_care_service: [{ id, description: text }],
        },
      ],
    },
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
    reply: { health_insurance_carriers: [{ id: added(id), carrier: text, active: flag }] },
  },
  {
    route: 'GET /health_insurance_carriers/{id}/health_insurance_plans/',
    needs: 'insurance.plans',
    reply: { health_insurance_plans: [{ id: added(id), plan: text, active: flag }] },
    play: ({ fixtures }) => ({ params: { id: fixtures.carriers.withPlans.id } }),
  },
  {
    route: 'GET /patients/{id}/health_insurances',
    needs: 'insurance.coverages',
    reply: {
      health_insurances: [{ id, ...coverage }],
    },
    play: toCompleteParams,
  },
  {
    route: 'GET /patients/{id}/practitioner',
    needs: 'practitioners.mainOf',
    reply: practitioner,
    play: toCompleteParams,
  },
  {
    route: 'POST /patients/{id}/practitioner/change_request',
    needs: 'practitioners.requestChange',
    writes: 'records',
    body: { reason_id: added(id), practitioner_id: added(id), observations: added(text) },
    required: ['reason_id'],
    reply: { id, reason_id: id },
    play: async (subject) => ({
      ...(await takePatientParams(subject)),
      body: {
        reason_id: subject.fixtures.changeReason,
        practitioner_id: subject.fixtures.practitioners.second,
        observations: 'Por la tarde',
      },
    }),
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
    reply: {
      health_care_services: [
        {
          id,
          ...each(text, 'offered_in', 'practitioner_id', 'name', 'comment', 'extra_details'),
          ...each(text, 'patient_instruction', 'integration_id'),
          ...each(bool, 'active', 'appointment_required'),
          availability_exceptions: nullable(text),
          ...each(instant, 'created_at', 'updated_at'),
          deleted_at: nullable(instant),
          ...each(nullable(integer), 'min_age', 'max_age', 'sex_id'),
        },
      ],
    },
    play: (subject) => ({ query: getPatient(subject) }),
  },
  {
    route: 'GET /patients/{id}/family_group',
    needs: 'family-groups.list',
    filledBy: 'family-groups.add',
    reply: {
      family_group: [
        {
          ...each(id, 'id', 'related_patient_id'),
          relationship_code: integer,
          relationship_description: text,
          active: bool,
        },
      ],
    },
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
    play: async (subject) => ({
      ...(await takePatientParams(subject)),
      body: createMember(await takePatient(subject)),
    }),
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
    reply: {
      appointments: [
        {
          date: localDateTime,
          ...each(id, 'health_care_service_id', 'practitioner_id', 'location_id'),
          mode: enumeration('in-person', 'virtual'),
        },
      ],
    },
    play: (subject) => ({
      query: {
        ...getPatient(subject),
        health_care_service_id: subject.fixtures.services.bookable,
        practitioner_id: subject.fixtures.practitioners.bookable,
        location_id: subject.fixtures.locations.first,
      },
    }),
  },
  {
    route: 'GET /api/medical-directory',
    needs: 'directory.entries',
    reply: [
      {
        location: {
          id,
          ...each(text, 'name', 'latitude', 'longitude', 'address', 'zip_code', 'email'),
          phone: phones,
        },
        provider: array({
          id,
          ...each(text, 'name', 'description', 'email'),
          type: enumeration('pharmacy', 'practitioner', 'clinic'),
          phone: phones,
          service: array({ id, ...each(text, 'name', 'description') }),
        }),
      },
    ],
  },
  {
    route: 'GET /practitioner/',
    needs: 'practitioners.list',
    reply: { practitioner: [practitioner] },
  },
  {
    route: 'GET /location/',
    needs: 'directory.locations',
    reply: { locations: [{ id, name: text, address }] },
  },
];

/**
 * The API document, typed in by hand a second time: request, success status and full reply of each of its operations.
 * This is double entry on purpose. Nothing here may be derived from `src/api`, or a name that is wrong there, in schema
 * and mapper alike, would agree with itself. Where the document says "not shown", the decision records speak.
 */

/** One operation as the document has it. */
export interface Documented {
  /** Of Group B, as docs/decisions/requests.md#paths-of-group-a-and-group-b gives it. */
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
