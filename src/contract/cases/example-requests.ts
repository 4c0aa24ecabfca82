import type { Capability } from '../../ports/index.ts';
import {
  addMember,
  bookA,
  buildBookingA,
  buildBookingB,
  createCoverage,
  createDni,
  createPerson,
  findFreeSlot,
  pickAny,
  prepareMember,
  takePatient,
  takePatientForChange,
  takeRelative,
  takeTicketPatient,
} from '../arrange.ts';
import type { Fixtures, Rule } from '../fixtures.ts';
import { buildSlotSearch, getInsured, listSlotsB } from '../queries.ts';
import type { Request, Route, Subject } from '../subject.ts';
import { noPlaces } from '../thrown.ts';

/** A registration with every field of the operation. */
export const buildRegistration = () => ({
  ...createPerson(),
  name: 'Olga',
  last_name: 'Prueba',
  medical_record_id: String(createDni()),
  address: {
    street: 'Av. Santa Fe',
    number: '1234',
    floor: '2',
    apartment: 'B',
    city: 'Buenos Aires',
    state: 'CABA',
    country: 'Argentina',
    zip_code: 'C1059',
  },
});

/** An update of every field of the operation. All values differ from those of a registration. */
export const buildPatientUpdate = () => ({
  name: 'Irma',
  last_name: 'Cambiada',
  gender: 'Other',
  birth_date: '1971-02-28',
  identifier_type: 'Other',
  identifier: createDni(),
  medical_record_id: String(createDni()),
  phone: '+54 9 11 5555-0177',
  email: 'irma@example.org',
  address: {
    street: 'Belgrano',
    number: '77',
    floor: '9',
    apartment: 'C',
    city: 'Rosario',
    state: 'Santa Fe',
    country: 'Uruguay',
    zip_code: 'S2000',
  },
});

/** `patients.complete`, and the insurance if patients can be insured. */
const getPatient = ({ fixtures, supports }: Subject) => ({
  patient_id: fixtures.patients.complete,
  ...(supports('insurance.coverages') && { health_insurance_id: fixtures.coverages.active }),
});
const takeParams = async (subject: Subject) => ({ params: { id: await takePatient(subject) } });

const paging = { page: '0', limit: '10' };

/**
 * The requests that the cases send to each operation, in the order of the API document. `document.yaml` has the shapes.
 */
export const exampleRequests: Readonly<Record<Route, ExampleRequest>> = {
  'GET /patients/search': {
    needs: 'patients.search',
    build: ({ fixtures: { identity } }) => {
      const { gender, birthDate, identifierType: identifier_type, identifier } = identity;
      const birth_date = birthDate.replaceAll('-', '/');
      return { query: { gender, birth_date, identifier_type, identifier: String(identifier) } };
    },
  },
  'GET /patients/{id}': { needs: 'patients.get' },
  'POST /patients/': {
    needs: 'patients.register',
    writes: 'records',
    rule: 'fewer-patient-fields',
    build: () => ({ body: buildRegistration() }),
  },
  'PUT /patients/{id}': {
    needs: 'patients.update',
    requires: ['patients.get'],
    writes: 'records',
    rule: 'fewer-patient-fields',
    build: async (subject) => ({ ...(await takeParams(subject)), body: buildPatientUpdate() }),
  },
  'GET /ticket_types': { needs: 'tickets.types' },
  'GET /patients/{id}/ticket/': {
    needs: 'tickets.list',
    filledBy: 'tickets.open',
    build: ({ fixtures }) => ({
      query: {
        start_date: '2000-01-01',
        end_date: '2100-01-01',
        ticket_type_id: fixtures.ticketType.id,
        status: 'completed',
      },
    }),
  },
  'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket': {
    needs: 'tickets.open',
    requires: ['tickets.type'],
    writes: 'records',
    build: async (subject) => {
      const { id, checked } = subject.fixtures.ticketType;
      return {
        params: { id: await takeTicketPatient(subject), ticket_type_id: id },
        body: { observations: 'Sin apuro', fields: [{ id: checked.id, value: checked.fits }] },
      };
    },
  },
  'GET /patients/{id}/appointments': {
    needs: 'appointments.list',
    build: ({ fixtures }) => ({ params: { id: fixtures.patients.payer ?? fixtures.patients.complete } }),
  },
  'POST /patients/{id}/appointments': {
    needs: 'appointments.book',
    requires: ['appointments.slots'],
    writes: 'slots',
    build: async (subject) => {
      const slot = await findFreeSlot(subject);
      const id = await takePatient(subject);
      const coverageId = subject.supports('insurance.create') ? await createCoverage(subject, id) : undefined;
      return { params: { id }, body: buildBookingA(slot, coverageId) };
    },
  },
  'PUT /patients/{id}/appointments/{appointment_id}': {
    needs: 'appointments.cancel',
    requires: ['appointments.book', 'appointments.slots'],
    writes: 'slots',
    build: async (subject) => {
      const patientId = await takePatient(subject);
      const appointmentId = await bookA(subject, patientId, await findFreeSlot(subject));
      return { params: { id: patientId, appointment_id: appointmentId }, body: { status: 'canceled' } };
    },
  },
  'GET /health_insurance_carriers/': {
    needs: 'insurance.carriers',
  },
  'GET /health_insurance_carriers/{id}/health_insurance_plans/': {
    needs: 'insurance.plans',
    id: ({ carriers }) => carriers.withPlans.id,
  },
  'GET /patients/{id}/health_insurances': {
    needs: 'insurance.coverages',
  },
  'GET /patients/{id}/practitioner': {
    needs: 'practitioners.mainOf',
  },
  'POST /patients/{id}/practitioner/change_request': {
    needs: 'practitioners.requestChange',
    writes: 'records',
    build: async (subject) => {
      const { changeReason: reason_id, practitioners } = subject.fixtures;
      const body = { reason_id, practitioner_id: practitioners.second, observations: 'Por la tarde' };
      return { params: { id: await takePatientForChange(subject) }, body };
    },
  },
  'GET /practitioner/change_request/reasons': {
    needs: 'practitioners.changeReasons',
  },
  'GET /patients/{id}/practitioner/change_request': {
    needs: 'practitioners.changeRequestOf',
    filledBy: 'practitioners.requestChange',
  },
  'GET /health-care-services/search': {
    needs: 'care-services.available',
    build: (subject) => ({ query: getPatient(subject) }),
  },
  'GET /patients/{id}/family_group': {
    needs: 'family-groups.list',
    filledBy: 'family-groups.add',
  },
  'POST /patients/{id}/family_group': {
    needs: 'family-groups.add',
    writes: 'records',
    build: async (subject) => {
      const id = await takePatient(subject);
      return { params: { id }, body: await prepareMember(subject, await takeRelative(subject, id)) };
    },
  },
  'DELETE /patients/{id}/family_group/{family_group_member_id}': {
    needs: 'family-groups.remove',
    requires: ['family-groups.add', 'family-groups.list'],
    writes: 'records',
    build: async (subject) => {
      const patientId = await takePatient(subject);
      return { params: { id: patientId, family_group_member_id: await addMember(subject, patientId) } };
    },
  },
  'GET /available-appointments/search': {
    needs: 'appointments.slots',
    build: (subject) => ({
      query: {
        ...getPatient(subject),
        health_care_service_id: subject.fixtures.services.bookable,
        practitioner_id: subject.fixtures.practitioners.bookable,
        location_id: subject.fixtures.locations.first,
      },
    }),
  },
  'GET /api/medical-directory': { needs: 'directory.entries', whenEmpty: noPlaces },
  'GET /practitioner/': { needs: 'practitioners.list' },
  'GET /location/': { needs: 'directory.locations' },

  'GET /v1/appointments': {
    needs: 'appointments.list',
    build: ({ fixtures }) => ({
      query: {
        patientId: fixtures.patients.complete,
        ...paging,
        dateFrom: '2000-01-01',
        appointmentStatus: 'active',
        sortDirection: 'DESC',
      },
    }),
  },
  'POST /v1/appointments': {
    needs: 'appointments.book',
    requires: ['appointments.slots'],
    writes: 'slots',
    build: async (subject) => {
      const free = pickAny(await listSlotsB(subject));
      const patientId = await takePatient(subject);
      return {
        body: {
          ...buildBookingB(patientId, free),
          ...(subject.supports('insurance.create') && { patientCoverageId: await createCoverage(subject, patientId) }),
          copay: 1500.5,
          authorization: true,
          appointmentId: free.appointmentId,
        },
      };
    },
  },
  'POST /v1/coverages': {
    needs: 'insurance.create',
    writes: 'records',
    build: async (subject) => ({
      body: {
        credentialNumber: String(createDni()),
        beneficiaryId: await takePatient(subject),
        insurancePlanId: subject.fixtures.plans.accepted,
      },
    }),
  },
  'PUT /v1/coverages/{coverageId}': {
    needs: 'insurance.edit',
    requires: ['insurance.create'],
    writes: 'records',
    build: async (subject) => ({
      params: { coverageId: await createCoverage(subject, await takePatient(subject)) },
      body: { credentialNumber: String(createDni()), insurancePlanId: subject.fixtures.plans.another },
    }),
  },
  'GET /v1/health-care-services': {
    needs: 'care-services.available',
    requires: ['insurance.coverages'],
    build: (subject) => ({
      query: {
        ...getInsured(subject),
        search: '',
        type: 'CONSULTA',
        ...paging,
        hcsId: subject.fixtures.services.bookable,
      },
    }),
  },
  'GET /v1/frequent-health-care-services': {
    needs: 'care-services.frequent',
    requires: ['insurance.coverages'],
    build: (subject) => ({ query: { ...getInsured(subject), search: '', ...paging } }),
  },
  'GET /v1/frequent-health-care-services/by-type': {
    needs: 'care-services.frequent',
    requires: ['insurance.coverages'],
    build: (subject) => ({ query: { ...getInsured(subject), search: '', type: 'CONSULTA', ...paging } }),
  },
  'GET /v1/insurance-carriers': {
    needs: 'insurance.carriers',
    build: () => ({ query: { search: '', ...paging, sortProperty: 'name', sortDirection: 'ASC' } }),
  },
  'GET /v1/insurance-carriers/by-owner': {
    needs: 'insurance.carriers',
    build: ({ fixtures }) => ({
      query: { search: '', ...paging, sortProperty: 'id', sortDirection: 'DESC', ownerId: fixtures.owner },
    }),
  },
  'POST /v1/available-slots': {
    needs: 'appointments.slots',
    build: (subject) => {
      const { fixtures } = subject;
      const { dateConfig } = buildSlotSearch(subject);
      const daysOfWeek = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
      return {
        query: paging,
        body: {
          hcsId: fixtures.services.bookable,
          practitionerId: fixtures.practitioners.bookable,
          modalityVirtual: false,
          dateConfig: { ...dateConfig, daysOfWeek, hourFrom: '00:00', hourTo: '23:59' },
          appointmentRequired: true,
          locationId: fixtures.locations.first,
          patientId: fixtures.patients.complete,
          ...(subject.supports('insurance.coverages') && { patientCoverageId: subject.fixtures.coverages.active }),
        },
      };
    },
  },
};

/** The request that the cases send to one operation. */
export interface ExampleRequest {
  /** The operation's capability. */
  readonly needs: Capability;
  /** The other capabilities that the request uses. */
  readonly requires?: readonly Capability[];
  readonly writes?: 'records' | 'slots';
  /** The rule by which a system may refuse the request. */
  readonly rule?: Rule;
  /** The capability that creates records of the response. If it is offered, the list may be empty. */
  readonly filledBy?: Capability;
  /** The reason why an empty list proves nothing. Default: the fixtures promise items. */
  readonly whenEmpty?: string;
  /** The `{id}` in the path of a read. Default: `patients.complete`. */
  readonly id?: (fixtures: Fixtures) => string;
  /**
   * A successful request with every parameter and field of the document, except those of capabilities that the subject
   * does not offer. A write adds the ids of its path.
   */
  readonly build?: (subject: Subject) => BuiltRequest | Promise<BuiltRequest>;
}

type BuiltRequest = Omit<Request, 'route'>;
