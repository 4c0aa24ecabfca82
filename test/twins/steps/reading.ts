import fc from 'fast-check';
import { addDays } from '../../../src/toolkit/zone.ts';
import type { KeyedRequest } from '../side.ts';
import {
  anyChoice,
  anyInsurance,
  anyPatient,
  choose,
  chooseInsurance,
  choosePatient,
  optional,
  seldom,
} from './choices.ts';
import { read, type Steps } from './step.ts';

const whole: readonly KeyedRequest[] = [
  { route: 'GET /ticket_types' },
  { route: 'GET /practitioner/change_request/reasons' },
  { route: 'GET /practitioner/' },
  { route: 'GET /location/' },
  { route: 'GET /api/medical-directory' },
];

const page = fc.record({ page: fc.nat(2).map(String), limit: fc.constantFrom('1', '3', '100') });
const someone = { who: fc.option(anyPatient, { freq: 5 }), insurance: anyInsurance };

export const readingSteps: readonly Steps[] = [
  read('what belongs to the institution', 1, fc.nat(whole.length - 1), (which) => ({
    request: whole[which] as KeyedRequest,
  })),
  read('services', 2, fc.record(someone), ({ who, insurance }, known) => {
    const id = who === null ? undefined : choosePatient(known, who);
    const coverage = chooseInsurance(known, id ?? choosePatient(known, 0), insurance);
    const query = { ...optional('patient_id', id), ...optional('health_insurance_id', coverage) };
    return { request: { route: 'GET /health-care-services/search', query } };
  }),
  read(
    'services (B)',
    3,
    fc.record({
      who: anyPatient,
      insurance: anyInsurance,
      page,
      search: fc.option(fc.constantFrom('clinica', 'É', 'zzz'), { freq: 2 }),
      type: fc.option(fc.constantFrom('CONSULTA', 'PRACTICA'), { freq: 2 }),
      route: fc.constantFrom(
        'GET /v1/health-care-services' as const,
        'GET /v1/frequent-health-care-services' as const,
        'GET /v1/frequent-health-care-services/by-type' as const,
      ),
    }),
    ({ who, insurance, page, search, type, route }, known) => {
      const patientId = choosePatient(known, who);
      const patientCoverageId = chooseInsurance(known, patientId, insurance);
      if (patientCoverageId === undefined) return undefined;
      const narrowing = { ...optional('search', search ?? undefined), ...optional('type', type ?? undefined) };
      return { request: { route, query: { patientId, patientCoverageId, ...page, ...narrowing } } };
    },
  ),
  read(
    'appointments (B)',
    2,
    fc.record({
      who: anyPatient,
      page,
      status: fc.option(fc.constantFrom('active', 'canceled'), { freq: 2 }),
      from: fc.option(fc.integer({ min: -400, max: 12 }), { freq: 2 }),
      direction: fc.constantFrom('ASC', 'DESC'),
    }),
    ({ who, page, status, from, direction }, known, twin) => ({
      request: {
        route: 'GET /v1/appointments',
        query: {
          patientId: choosePatient(known, who),
          sortDirection: direction,
          ...page,
          ...optional('appointmentStatus', status ?? undefined),
          ...optional('dateFrom', from === null ? undefined : addDays(twin.today, from)),
        },
      },
    }),
  ),
  read(
    'free slots',
    3,
    fc.record({
      ...someone,
      service: anyChoice,
      practitioner: seldom(anyChoice),
      location: seldom(anyChoice),
    }),
    ({ who, insurance, service, practitioner, location }, known) => {
      const { services, practitioners, locations } = known.directory;
      const id = who === null ? undefined : choosePatient(known, who);
      const query = {
        health_care_service_id: choose(services, service),
        ...optional('practitioner_id', practitioner === null ? undefined : choose(practitioners, practitioner)),
        ...optional('location_id', location === null ? undefined : choose(locations, location)),
        ...optional('patient_id', id),
        ...optional('health_insurance_id', chooseInsurance(known, id ?? choosePatient(known, 0), insurance)),
      };
      return { request: { route: 'GET /available-appointments/search', query } };
    },
  ),
  read(
    'free slots (B)',
    3,
    fc.record({
      ...someone,
      service: anyChoice,
      practitioner: seldom(anyChoice),
      virtual: fc.constantFrom(undefined, null, true, false),
      from: fc.option(fc.integer({ min: -3, max: 9 }), { freq: 2 }),
      to: fc.option(fc.integer({ min: 0, max: 12 }), { freq: 2 }),
      days: fc.subarray(['MONDAY', 'TUESDAY', 'FRIDAY', 'SUNDAY']),
      hours: fc.constantFrom({}, { hourFrom: '09:20' }, { hourTo: '10:00' }, { hourFrom: '00:20', hourTo: '00:40' }),
    }),
    (choice, known, twin) => {
      const { services, practitioners } = known.directory;
      const patientId = choice.who === null ? undefined : choosePatient(known, choice.who);
      const coverage = chooseInsurance(known, patientId ?? choosePatient(known, 0), choice.insurance);
      const practitioner = choice.practitioner === null ? undefined : choose(practitioners, choice.practitioner);
      const dateConfig = {
        daysOfWeek: choice.days,
        ...choice.hours,
        ...optional('dateFrom', choice.from === null ? undefined : addDays(twin.today, choice.from)),
        ...optional('dateTo', choice.to === null ? undefined : addDays(twin.today, choice.to)),
      };
      const body = {
        hcsId: choose(services, choice.service),
        dateConfig,
        ...(choice.virtual !== undefined && { modalityVirtual: choice.virtual }),
        ...optional('practitionerId', practitioner),
        ...optional('patientId', patientId),
        ...optional('patientCoverageId', coverage),
      };
      return { request: { route: 'POST /v1/available-slots', query: { limit: '100' }, body } };
    },
  ),
];
