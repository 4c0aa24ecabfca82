import { buildBookingB, createCoverage, createDni, pickAny, takePatient } from '../arrange.ts';
import {
  array,
  bool,
  clock,
  day,
  digits,
  enumeration,
  type Fields,
  id,
  integer,
  nonEmptyArray,
  nullable,
  number,
  object,
  type Shape,
  text,
} from '../expect.ts';
import { buildSlotSearch, getInsured, listSlotsB } from '../queries.ts';
import type { Documented } from './document-a.ts';

const pagination = object({
  totalPages: integer,
  totalElements: integer,
  page: integer,
  limit: integer,
  numberOfElements: integer,
});
const page = (row: Fields): Shape => object({ data: nonEmptyArray(object(row)), pagination });
const direction = enumeration('ASC', 'DESC');
const serviceType = enumeration('CONSULTA', 'PRACTICA');
const serviceRow = {
  id,
  name: text,
  description: text,
  type: serviceType,
  appointmentRequired: bool,
  requiresAuthorization: bool,
  practitionerId: nullable(text),
};
const saved = object({ status: text, model: object({ id }) });

const serviceQuery = { patientCoverageId: id, patientId: id, search: text, page: digits, limit: digits };
const carrierQuery = {
  search: text,
  page: digits,
  limit: digits,
  sortProperty: enumeration('name', 'id'),
  sortDirection: direction,
};
const paging = { page: '0', limit: '10' };

/**
 * Group B of the API document, section 4.B. It shows neither methods nor paths: they are those of
 * docs/decisions/requests.md#paths-of-group-a-and-group-b. The replies that it does not show are those of
 * docs/decisions/resources.md and of docs/decisions/requests.md#lists-of-group-b-come-in-pages.
 */
export const groupB: readonly Documented[] = [
  {
    operationId: 'getAppointment',
    route: 'GET /v1/appointments',
    needs: 'appointments.list',
    query: {
      patientId: id,
      page: digits,
      limit: digits,
      dateFrom: day,
      appointmentStatus: enumeration('active', 'canceled'),
      sortDirection: direction,
    },
    required: ['patientId'],
    reply: page({
      id,
      patientId: id,
      practitionersIds: nonEmptyArray(id),
      hcsId: id,
      appointmentDate: day,
      appointmentStart: clock,
      minutesDuration: digits,
      appointmentStatus: enumeration('active', 'canceled'),
      modality: enumeration('in-person', 'virtual'),
      patientCoverageId: nullable(id),
      copay: nullable(number),
      authorization: nullable(bool),
      locationId: id,
    }),
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
      patientId: id,
      practitionersIds: array(id),
      hcsId: id,
      appointmentDate: day,
      appointmentStart: clock,
      minutesDuration: digits,
      patientCoverageId: id,
      copay: number,
      authorization: bool,
      appointmentId: id,
      locationId: id,
    },
    required: ['patientId', 'practitionersIds', 'hcsId', 'appointmentDate', 'appointmentStart'],
    status: 201,
    reply: saved,
    play: async (subject) => {
      const slot = pickAny(await listSlotsB(subject));
      const patientId = await takePatient(subject);
      return {
        body: {
          ...buildBookingB(patientId, slot),
          ...(subject.supports('insurance.create') && { patientCoverageId: await createCoverage(subject, patientId) }),
          copay: 1500.5,
          authorization: true,
          appointmentId: slot.appointmentId,
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
    reply: page(serviceRow),
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
    reply: page(serviceRow),
    play: (subject) => ({ query: { ...getInsured(subject), search: '', ...paging } }),
  },
  {
    operationId: 'getFrequentHcsByType',
    route: 'GET /v1/frequent-health-care-services/by-type',
    needs: 'care-services.frequent',
    requires: ['insurance.coverages'],
    query: { ...serviceQuery, type: serviceType },
    required: ['patientCoverageId', 'patientId'],
    reply: page(serviceRow),
    play: (subject) => ({ query: { ...getInsured(subject), search: '', type: 'CONSULTA', ...paging } }),
  },
  {
    operationId: 'getInsuranceCarriers',
    route: 'GET /v1/insurance-carriers',
    needs: 'insurance.carriers',
    query: carrierQuery,
    reply: page({ id, name: text }),
    play: () => ({ query: { search: '', ...paging, sortProperty: 'name', sortDirection: 'ASC' } }),
  },
  {
    operationId: 'getInsuranceCarriersByOwner',
    route: 'GET /v1/insurance-carriers/by-owner',
    needs: 'insurance.carriers',
    query: { ...carrierQuery, ownerId: id },
    reply: page({ id, name: text }),
    play: ({ fixtures }) => ({
      query: { search: '', ...paging, sortProperty: 'id', sortDirection: 'DESC', ownerId: fixtures.owner },
    }),
  },
  {
    operationId: 'getAvailableSlots',
    route: 'POST /v1/available-slots',
    needs: 'appointments.slots',
    query: { page: digits, limit: digits },
    body: {
      hcsId: id,
      practitionerId: nullable(id),
      modalityVirtual: nullable(bool),
      dateConfig: object({ dateFrom: day, dateTo: day, daysOfWeek: array(text), hourFrom: clock, hourTo: clock }),
      appointmentRequired: bool,
      locationId: nullable(id),
      patientCoverageId: id,
      patientId: id,
    },
    required: ['hcsId'],
    reply: page({
      appointmentId: id,
      hcsId: id,
      practitionerId: id,
      locationId: id,
      appointmentDate: day,
      appointmentStart: clock,
      minutesDuration: digits,
      modality: enumeration('in-person', 'virtual'),
    }),
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
