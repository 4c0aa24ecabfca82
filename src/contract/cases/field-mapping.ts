import assert from 'node:assert/strict';
import type { Capability, CareService } from '../../ports/index.ts';
import { type Case, definePortCase } from '../case.ts';
import { getBody } from '../expect.ts';
import type { PortsSubject } from '../ports-subject.ts';
import { getInsured } from '../queries.ts';
import { type Request, type Route, requireOffer, type SubjectWith } from '../subject.ts';
import * as to from './field-names.ts';
import { getEligibility, type reads } from './port-calls.ts';

/** A subject that offers a capability, and whose ports can be called. */
type With<C extends Capability> = SubjectWith<C, never, PortsSubject>;

/** A request, and the body that it must answer, made of what the port returns. */
interface Mapping<C extends Capability = Capability> {
  readonly needs: C;
  readonly requires: readonly Capability[];
  readonly route: Route;
  readonly input: (subject: PortsSubject) => Omit<Request, 'route'>;
  readonly expected: (subject: PortsSubject) => Promise<unknown>;
}

const defineMapping = <C extends Capability, R extends Capability = never>(
  needs: C,
  row: {
    readonly requires?: readonly R[];
    readonly route: Route;
    readonly input?: (subject: With<C | R>) => Omit<Request, 'route'>;
    readonly expected: (subject: With<C | R>) => Promise<unknown>;
  },
): Mapping<C> => {
  const { route, requires = [], input = () => ({}), expected } = row;
  const capabilities: readonly (C | R)[] = [needs, ...requires];
  return {
    needs,
    requires,
    route,
    input: (subject) => input(requireOffer(subject, capabilities)),
    expected: (subject) => expected(requireOffer(subject, capabilities)),
  };
};

/** Of these, requests make all that is shown, and other cases read it back; no operation shows `tickets.type`. */
type ProvedElsewhere =
  | 'patients.search'
  | 'tickets.type'
  | 'insurance.coverages'
  | 'practitioners.changeRequestOf'
  | 'family-groups.list';

/** Whose appointments show most: somebody who paid for one, if anybody does. */
const getPayer = ({ fixtures }: With<'appointments.list'>): string =>
  fixtures.patients.payer ?? fixtures.patients.complete;

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
  'care-services.available': defineMapping('care-services.available', {
    requires: ['insurance.coverages'],
    route: 'GET /v1/health-care-services',
    input: (s) => ({ query: { ...getInsured(s), limit: '100' } }),
    expected: async (s) => toPage(await s.getPort('care-services').available(getEligibility(s), s.createCall())),
  }),
  'care-services.frequent': defineMapping('care-services.frequent', {
    requires: ['insurance.coverages'],
    route: 'GET /v1/frequent-health-care-services',
    input: (s) => ({ query: { ...getInsured(s), limit: '100' } }),
    expected: async (s) => toPage(await s.getPort('care-services').frequent(getEligibility(s), s.createCall())),
  }),
} satisfies Readonly<Record<string, Mapping>>;

const mappingsA: {
  readonly [C in Exclude<keyof typeof reads, ProvedElsewhere | 'care-services.frequent'>]: Mapping<C>;
} = {
  'patients.get': defineMapping('patients.get', {
    route: 'GET /patients/{id}',
    input: ({ fixtures }) => ({ params: { id: fixtures.patients.complete } }),
    expected: async (s) => to.toPatient(await s.getPort('patients').get(s.fixtures.patients.complete, s.createCall())),
  }),
  'tickets.types': defineMapping('tickets.types', {
    route: 'GET /ticket_types',
    expected: async (s) => (await s.getPort('tickets').types(s.createCall())).map(to.toTicketType),
  }),
  'tickets.list': defineMapping('tickets.list', {
    route: 'GET /patients/{id}/ticket/',
    input: ({ fixtures }) => ({ params: { id: fixtures.patients.complete } }),
    expected: async (s) =>
      (await s.getPort('tickets').list(s.fixtures.patients.complete, {}, s.createCall())).map(to.toTicket),
  }),
  'appointments.list': defineMapping('appointments.list', {
    route: 'GET /patients/{id}/appointments',
    input: (s) => ({ params: { id: getPayer(s) } }),
    expected: async (s) => {
      const { items } = await s.getPort('appointments').list(getPayer(s), { order: 'ascending' }, s.createCall());
      return { appointments: items.map(to.toAppointment) };
    },
  }),
  'appointments.slots': defineMapping('appointments.slots', {
    route: 'GET /available-appointments/search',
    input: ({ fixtures }) => ({ query: { health_care_service_id: fixtures.services.bookable } }),
    expected: async (s) => {
      const { items } = await s
        .getPort('appointments')
        .slots({ serviceId: s.fixtures.services.bookable }, s.createCall());
      return { appointments: items.map(to.toSlot) };
    },
  }),
  'insurance.carriers': defineMapping('insurance.carriers', {
    route: 'GET /health_insurance_carriers/',
    expected: async (s) => {
      const carriers = await s.getPort('insurance').carriers({}, s.createCall());
      return { health_insurance_carriers: carriers.map(to.toCarrier) };
    },
  }),
  'insurance.plans': defineMapping('insurance.plans', {
    route: 'GET /health_insurance_carriers/{id}/health_insurance_plans/',
    input: ({ fixtures }) => ({ params: { id: fixtures.carriers.withPlans.id } }),
    expected: async (s) => {
      const plans = await s.getPort('insurance').plans(s.fixtures.carriers.withPlans.id, s.createCall());
      return { health_insurance_plans: plans.map(to.toPlan) };
    },
  }),
  'practitioners.list': defineMapping('practitioners.list', {
    route: 'GET /practitioner/',
    expected: async (s) => ({
      practitioner: (await s.getPort('practitioners').list(s.createCall())).map(to.toPractitioner),
    }),
  }),
  'practitioners.mainOf': defineMapping('practitioners.mainOf', {
    route: 'GET /patients/{id}/practitioner',
    input: ({ fixtures }) => ({ params: { id: fixtures.patients.complete } }),
    expected: async (s) =>
      to.toPractitioner(await s.getPort('practitioners').mainOf(s.fixtures.patients.complete, s.createCall())),
  }),
  'practitioners.changeReasons': defineMapping('practitioners.changeReasons', {
    route: 'GET /practitioner/change_request/reasons',
    expected: async (s) => (await s.getPort('practitioners').changeReasons(s.createCall())).map(to.toChangeReason),
  }),
  'care-services.available': defineMapping('care-services.available', {
    route: 'GET /health-care-services/search',
    expected: async (s) => ({
      health_care_services: (await s.getPort('care-services').available({}, s.createCall())).map(to.toService),
    }),
  }),
  'directory.entries': defineMapping('directory.entries', {
    route: 'GET /api/medical-directory',
    expected: async (s) => (await s.getPort('directory').entries(s.createCall())).map(to.toDirectoryEntry),
  }),
  'directory.locations': defineMapping('directory.locations', {
    route: 'GET /location/',
    expected: async (s) => ({ locations: (await s.getPort('directory').locations(s.createCall())).map(to.toLocation) }),
  }),
};

/** Proves that a request answers what the port returns, each value in the documented field. */
const buildCase = (
  { needs, requires, route, input, expected }: Mapping,
  { id, shows, section }: Pick<Case, 'id' | 'section'> & { readonly shows: string },
): Case =>
  definePortCase({ level: 'safe', needs, requires, section }, `ports.${needs}.${id}`, {
    title: `${shows} shows what ${needs} returned, each value in its field`,
    run: async (subject) => {
      const body = await getBody(subject, { route, ...input(subject) });
      assert.deepEqual(body, JSON.parse(JSON.stringify(await expected(subject))));
    },
  });

/** Shapes cannot see two texts that changed places, and requests alone cannot make these records. */
export const fieldMappingCases: readonly Case[] = [
  ...Object.values<Mapping>(mappingsA).map((mapping) =>
    buildCase(mapping, { id: 'shown', shows: mapping.route, section: '2' }),
  ),
  ...Object.values<Mapping>(mappingsB).map((mapping) =>
    buildCase(mapping, { id: 'shown-in-b', shows: 'Group B', section: '4.B' }),
  ),
];
