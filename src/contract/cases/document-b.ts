import { buildBookingB, createCoverage, createDni, pickAny, takePatient } from '../arrange.ts';
import { array, bool, clock, day, digits, each, enumeration, id, nullable, number, text } from '../forms.ts';
import { buildSlotSearch, getInsured, listSlotsB } from '../queries.ts';
import { appointmentB, carrierB, page, serviceB, serviceType, slotB, status, time } from '../resources.ts';
import type { Documented } from './document-a.ts';

const direction = enumeration('ASC', 'DESC');
const saved = { status: text, model: { id } };

const pageQuery = { page: digits, limit: digits };
const serviceQuery = { patientCoverageId: id, patientId: id, search: text, ...pageQuery };
const carrierQuery = { search: text, ...pageQuery, sortProperty: enumeration('name', 'id'), sortDirection: direction };
const paging = { page: '0', limit: '10' };

/**
 * Group B of the API document, section 4.B. It shows neither methods nor paths: they are those of
 * docs/explanation/decisions/requests.md#paths-of-group-a-and-group-b. The replies that it does not show are those of
 * docs/explanation/decisions/resources.md and of docs/explanation/decisions/requests.md#lists-of-group-b-come-in-pages.
 */
export const groupB: readonly Documented[] = [
  {
    operationId: 'getAppointment',
    route: 'GET /v1/appointments',
    needs: 'appointments.list',
    query: { patientId: id, ...pageQuery, dateFrom: day, appointmentStatus: status, sortDirection: direction },
    required: ['patientId'],
    reply: page(appointmentB),
    play: ({ fixtures }) => ({
      query: {
        patientId: fixtures.patients.complete,
        ...paging,
        dateFrom: '2000-01-01',
        appointmentStatus: 'active',
        sortDirection: 'DESC',
      },
    }),
  },
  {
    operationId: 'createAppointment',
    route: 'POST /v1/appointments',
    needs: 'appointments.book',
    requires: ['appointments.slots'],
    writes: 'slots',
    body: {
      ...each(id, 'patientId', 'hcsId', 'patientCoverageId', 'appointmentId', 'locationId'),
      practitionersIds: array(id),
      ...time,
      copay: number,
      authorization: bool,
    },
    required: ['patientId', 'practitionersIds', 'hcsId', 'appointmentDate', 'appointmentStart'],
    status: 201,
    reply: saved,
    play: async (subject) => {
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
  {
    operationId: 'createCoverage',
    route: 'POST /v1/coverages',
    needs: 'insurance.create',
    writes: 'records',
    body: { credentialNumber: text, beneficiaryId: id, insurancePlanId: id },
    required: ['credentialNumber', 'beneficiaryId', 'insurancePlanId'],
    status: 201,
    reply: saved,
    play: async (subject) => ({
      body: {
        credentialNumber: String(createDni()),
        beneficiaryId: await takePatient(subject),
        insurancePlanId: subject.fixtures.plans.accepted,
      },
    }),
  },
  {
    operationId: 'editCoverage',
    route: 'PUT /v1/coverages/{coverageId}',
    needs: 'insurance.edit',
    requires: ['insurance.create'],
    writes: 'records',
    body: { credentialNumber: text, insurancePlanId: id },
    reply: saved,
    play: async (subject) => ({
      params: { coverageId: await createCoverage(subject, await takePatient(subject)) },
      body: { credentialNumber: String(createDni()), insurancePlanId: subject.fixtures.plans.another },
    }),
  },
  {
    operationId: 'getHealthCareService',
    route: 'GET /v1/health-care-services',
    needs: 'care-services.available',
    requires: ['insurance.coverages'],
    query: { ...serviceQuery, type: serviceType, hcsId: id },
    required: ['patientCoverageId', 'patientId'],
    reply: page(serviceB),
    play: (subject) => ({
      query: {
        ...getInsured(subject),
        search: '',
        type: 'CONSULTA',
        ...paging,
        hcsId: subject.fixtures.services.bookable,
      },
    }),
  },
  {
    operationId: 'getFrequentHcs',
    route: 'GET /v1/frequent-health-care-services',
    needs: 'care-services.frequent',
    requires: ['insurance.coverages'],
    query: serviceQuery,
    required: ['patientCoverageId', 'patientId'],
    reply: page(serviceB),
    play: (subject) => ({ query: { ...getInsured(subject), search: '', ...paging } }),
  },
  {
    operationId: 'getFrequentHcsByType',
    route: 'GET /v1/frequent-health-care-services/by-type',
    needs: 'care-services.frequent',
    requires: ['insurance.coverages'],
    query: { ...serviceQuery, type: serviceType },
    required: ['patientCoverageId', 'patientId'],
    reply: page(serviceB),
    play: (subject) => ({ query: { ...getInsured(subject), search: '', type: 'CONSULTA', ...paging } }),
  },
  {
    operationId: 'getInsuranceCarriers',
    route: 'GET /v1/insurance-carriers',
    needs: 'insurance.carriers',
    query: carrierQuery,
    reply: page(carrierB),
    play: () => ({ query: { search: '', ...paging, sortProperty: 'name', sortDirection: 'ASC' } }),
  },
  {
    operationId: 'getInsuranceCarriersByOwner',
    route: 'GET /v1/insurance-carriers/by-owner',
    needs: 'insurance.carriers',
    query: { ...carrierQuery, ownerId: id },
    reply: page(carrierB),
    play: ({ fixtures }) => ({
      query: { search: '', ...paging, sortProperty: 'id', sortDirection: 'DESC', ownerId: fixtures.owner },
    }),
  },
  {
    operationId: 'getAvailableSlots',
    route: 'POST /v1/available-slots',
    needs: 'appointments.slots',
    query: pageQuery,
    body: {
      hcsId: id,
      practitionerId: nullable(id),
      modalityVirtual: nullable(bool),
      dateConfig: { dateFrom: day, dateTo: day, daysOfWeek: array(text), hourFrom: clock, hourTo: clock },
      appointmentRequired: bool,
      locationId: nullable(id),
      patientCoverageId: id,
      patientId: id,
    },
    required: ['hcsId'],
    reply: page(slotB),
    play: (subject) => {
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
];
