import { describe, expect, test } from '@jest/globals';
import { checkBooking, type FoundForBooking } from '../../../adapters/common/booking.ts';
import type { Booking } from '../../../src/ports/index.ts';
import { Zone } from '../../../src/toolkit/zone.ts';

const zone = new Zone('America/Santiago');
const now = '2026-09-01T12:00:00.000Z';
const booking = {
  serviceId: 's',
  practitionerIds: ['p'],
  locationId: 'l',
  coverageId: 'c',
  start: '2026-09-07T09:00:00',
};
const service = { minAge: 18, maxAge: null, sex: null, plans: new Set(['210']), name: 'Consulta' };
const coverage = { patientId: 'ana', active: true, planId: '210' };
const patient = { gender: 'Female' as const, birthDate: '1990-01-01', active: true };
const there: FoundForBooking<typeof service> = {
  patient,
  service,
  hasPractitioners: true,
  hasLocation: true,
  coverage,
};

interface Fault {
  readonly found?: Partial<typeof there>;
  readonly coverage?: Partial<typeof coverage>;
  readonly booking?: Partial<Booking>;
}

/** What may be at fault, the first that is told first. */
const faults: readonly (readonly [title: string, fault: Fault, failure: object])[] = [
  ['patient', { found: { patient: undefined } }, { kind: 'not_found' }],
  [
    'open record',
    { found: { patient: { ...patient, active: false } } },
    { message: 'the record of this patient is closed', at: 'patientId' },
  ],
  ['service', { found: { service: undefined } }, { kind: 'invalid', at: 'serviceId' }],
  ['practitioner', { found: { hasPractitioners: false } }, { kind: 'invalid', at: 'practitionerIds' }],
  ['location', { found: { hasLocation: false } }, { kind: 'invalid', at: 'locationId' }],
  ['coverage', { found: { coverage: undefined } }, { kind: 'invalid', at: 'coverageId' }],
  [
    'coverage of the patient’s',
    { coverage: { patientId: 'bruno' } },
    { message: 'this is not a coverage of the patient', at: 'coverageId' },
  ],
  ['active coverage', { coverage: { active: false } }, { message: 'the coverage is inactive', at: 'coverageId' }],
  [
    'accepted plan',
    { coverage: { planId: '410' } },
    { message: 'the service does not accept the plan of this coverage', at: 'coverageId' },
  ],
  [
    'fitting age',
    { found: { patient: { ...patient, birthDate: '2020-01-01' } } },
    { message: 'the service is not for patients of this age or sex', at: 'serviceId' },
  ],
  ['time to spend', { booking: { minutes: 0 } }, { kind: 'invalid', at: 'minutes' }],
  ['existing time', { booking: { start: '2026-09-06T00:20:00' } }, { code: 'nonexistent_local_time', at: 'start' }],
  ['future', { booking: { start: '2026-09-01T08:00:00' } }, { message: 'the time is in the past', at: 'start' }],
];

const bookWith = (...all: readonly Fault[]) =>
  checkBooking(
    'ana',
    Object.assign({ ...booking }, ...all.map((fault) => fault.booking)),
    {
      ...there,
      coverage: Object.assign({ ...coverage }, ...all.map((fault) => fault.coverage)),
      ...Object.assign({}, ...all.map((fault) => fault.found)),
    },
    zone,
    { now },
  );

describe('the checks of a booking', () => {
  test('give the service, with all that the adapter found of it, and the moment of the start', () => {
    expect(checkBooking('ana', booking, there, zone, { now })).toEqual({ service, start: '2026-09-07T12:00:00.000Z' });
  });

  test.each(faults)('refuse without a %s', (_title, fault, failure) => {
    expect(() => bookWith(fault)).toThrow(expect.objectContaining(failure));
  });

  test.each(
    faults.flatMap((fault, index) =>
      faults.slice(index + 1).map((later) => [fault[0], later[0], fault, later] as const),
    ),
  )('tell a missing %s before a missing %s', (_first, _second, [, fault, failure], [, later]) => {
    expect(() => bookWith(later, fault)).toThrow(expect.objectContaining(failure));
  });

  test('ask neither for a location nor for a coverage that the booking does not name', () => {
    const { locationId: _, coverageId: __, ...wanted } = booking;
    const found = { ...there, hasLocation: false, coverage: undefined };
    expect(() => checkBooking('ana', wanted, found, zone, { now })).not.toThrow();
  });

  test('refuse no practitioner at all', () => {
    const check = () => checkBooking('ana', { ...booking, practitionerIds: [] }, there, zone, { now });
    expect(check).toThrow(expect.objectContaining({ kind: 'invalid', at: 'practitionerIds' }));
  });

  test.each([
    ['2026-09-01T08:00:01', true],
    ['2026-09-01T08:00:00', false],
    ['9999-12-31T23:50:00', true],
  ])('take %s for the future: %s', (start, isFuture) => {
    const check = () => checkBooking('ana', { ...booking, start }, there, zone, { now });
    if (isFuture) expect(check).not.toThrow();
    else expect(check).toThrow('the time is in the past');
  });

  test('judge the age on the day of the institution, not that of UTC', () => {
    const young = { ...there, patient: { ...patient, birthDate: '2008-09-02' } };
    const book = (moment: string) => checkBooking('ana', booking, young, zone, { now: moment });
    expect(() => book('2026-09-02T03:59:00.000Z')).toThrow('the service is not for patients of this age or sex');
    expect(() => book('2026-09-02T04:00:00.000Z')).not.toThrow();
  });
});
