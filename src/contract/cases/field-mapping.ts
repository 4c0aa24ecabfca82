import assert from 'node:assert/strict';
import type { Capability, CareService } from '../../ports/index.ts';
import type { PortCase } from '../case.ts';
import { getBody } from '../expect.ts';
import type { PortsSubject } from '../ports-subject.ts';
import { getInsured } from '../queries.ts';
import type { Request, Route } from '../subject.ts';
import * as to from './field-names.ts';
import { getEligibility, listRows, type reads } from './port-calls.ts';

/** A request, and the body that it must answer, made of what the port returns. */
interface Mapping {
  readonly route: Route;
  readonly input?: (subject: PortsSubject) => Omit<Request, 'route'>;
  readonly expected: (subject: PortsSubject) => Promise<unknown>;
}

/** Of these, requests make all that is shown, and other cases read it back; no operation shows `tickets.type`. */
type ProvedElsewhere =
  | 'patients.search'
  | 'tickets.type'
  | 'insurance.coverages'
  | 'practitioners.changeRequestOf'
  | 'family-groups.list';

const toPage = (services: readonly CareService[]) => ({
  data: services.map(to.toServiceRow),
  pagination: {
    totalPages: 1,
    totalElements: services.length,
    page: 0,
    limit: 100,
    numberOfElements: services.length,
  },
});

const mappingsB = {
  'care-services.available': {
    route: 'GET /v1/health-care-services',
    input: (s) => ({ query: { ...getInsured(s), limit: '100' } }),
    expected: async (s) => toPage(await s.getPort('care-services').available(getEligibility(s), s.createCall())),
  },
  'care-services.frequent': {
    route: 'GET /v1/frequent-health-care-services',
    input: (s) => ({ query: { ...getInsured(s), limit: '100' } }),
    expected: async (s) => toPage(await s.getPort('care-services').frequent(getEligibility(s), s.createCall())),
  },
} as const satisfies Readonly<Record<string, Mapping>>;

const mappingsA: Readonly<Record<Exclude<keyof typeof reads, ProvedElsewhere | 'care-services.frequent'>, Mapping>> = {
  'patients.get': {
    route: 'GET /patients/{id}',
    input: ({ fixtures }) => ({ params: { id: fixtures.patients.complete } }),
    expected: async (s) => to.toPatient(await s.getPort('patients').get(s.fixtures.patients.complete, s.createCall())),
  },
  'tickets.types': {
    route: 'GET /ticket_types',
    expected: async (s) => (await s.getPort('tickets').types(s.createCall())).map(to.toTicketType),
  },
  'tickets.list': {
    route: 'GET /patients/{id}/ticket/',
    input: ({ fixtures }) => ({ params: { id: fixtures.patients.complete } }),
    expected: async (s) =>
      (await s.getPort('tickets').list(s.fixtures.patients.complete, {}, s.createCall())).map(to.toTicket),
  },
  'appointments.list': {
    route: 'GET /patients/{id}/appointments',
    input: ({ fixtures }) => ({ params: { id: fixtures.patients.payer } }),
    expected: async (s) => {
      const { items } = await s
        .getPort('appointments')
        .list(s.fixtures.patients.payer, { order: 'ascending' }, s.createCall());
      return { appointments: items.map(to.toAppointment) };
    },
  },
  'appointments.slots': {
    route: 'GET /available-appointments/search',
    input: ({ fixtures }) => ({ query: { health_care_service_id: fixtures.services.bookable } }),
    expected: async (s) => {
      const slots = await s.getPort('appointments').slots({ serviceId: s.fixtures.services.bookable }, s.createCall());
      return { appointments: slots.map(to.toSlot) };
    },
  },
  'insurance.carriers': {
    route: 'GET /health_insurance_carriers/',
    expected: async (s) => {
      const carriers = await s.getPort('insurance').carriers({}, s.createCall());
      return { health_insurance_carriers: carriers.map(to.toCarrier) };
    },
  },
  'insurance.plans': {
    route: 'GET /health_insurance_carriers/{id}/health_insurance_plans/',
    input: ({ fixtures }) => ({ params: { id: fixtures.carriers.withPlans.id } }),
    expected: async (s) => {
      const plans = await s.getPort('insurance').plans(s.fixtures.carriers.withPlans.id, s.createCall());
      return { health_insurance_plans: plans.map(to.toPlan) };
    },
  },
  'practitioners.list': {
    route: 'GET /practitioner/',
    expected: async (s) => ({
      practitioner: (await s.getPort('practitioners').list(s.createCall())).map(to.toPractitioner),
    }),
  },
  'practitioners.mainOf': {
    route: 'GET /patients/{id}/practitioner',
    input: ({ fixtures }) => ({ params: { id: fixtures.patients.complete } }),
    expected: async (s) =>
      to.toPractitioner(await s.getPort('practitioners').mainOf(s.fixtures.patients.complete, s.createCall())),
  },
  'practitioners.changeReasons': {
    route: 'GET /practitioner/change_request/reasons',
    expected: async (s) => (await s.getPort('practitioners').changeReasons(s.createCall())).map(to.toChangeReason),
  },
  'care-services.available': {
    route: 'GET /health-care-services/search',
    expected: async (s) => ({
      health_care_services: (await s.getPort('care-services').available({}, s.createCall())).map(to.toService),
    }),
  },
  'directory.entries': {
    route: 'GET /api/medical-directory',
    expected: async (s) => (await s.getPort('directory').entries(s.createCall())).map(to.toDirectoryEntry),
  },
  'directory.locations': {
    route: 'GET /location/',
    expected: async (s) => ({ locations: (await s.getPort('directory').locations(s.createCall())).map(to.toLocation) }),
  },
};

/** Proves that a request answers what the port returns, each value in the documented field. */
const buildCase = (id: string, shows: string, needs: Capability, mapping: Mapping): PortCase => ({
  id: `ports.${needs}.${id}`,
  title: `${shows} shows what ${needs} returned, each value in its field`,
  level: 'safe',
  needs,
  section: '2',
  run: async (subject) => {
    const body = await getBody(subject, { route: mapping.route, ...mapping.input?.(subject) });
    assert.deepEqual(body, JSON.parse(JSON.stringify(await mapping.expected(subject))));
  },
});

/** Shapes cannot see two texts that changed places, and requests alone cannot make these records. */
export const fieldMappingCases: readonly PortCase[] = [
  ...listRows<Mapping>(mappingsA).map(([needs, mapping]) => buildCase('shown', mapping.route, needs, mapping)),
  ...listRows<Mapping>(mappingsB).map(([needs, mapping]) => ({
    ...buildCase('shown-in-b', 'Group B', needs, mapping),
    section: '4.B' as const,
  })),
];
