import { describe, expect, test } from '@jest/globals';
import {
  checkBooking,
  computeMinutes,
  type FoundForBooking,
  isCancelable,
  pickSlots,
} from '../../../adapters/common/booking.ts';
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
    { zone, now },
  );

describe('the checks of a booking', () => {
  test('give the service, with all that the adapter found of it, and the moment of the start', () => {
    expect(checkBooking('ana', booking, there, { zone, now })).toEqual({ service, start: '2026-09-07T12:00:00.000Z' });
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
    expect(() => checkBooking('ana', wanted, found, { zone, now })).not.toThrow();
  });

  test('refuse no practitioner at all', () => {
    const check = () => checkBooking('ana', { ...booking, practitionerIds: [] }, there, { zone, now });
    expect(check).toThrow(expect.objectContaining({ kind: 'invalid', at: 'practitionerIds' }));
  });

  test.each([
    ['2026-09-01T08:00:01', true],
    ['2026-09-01T08:00:00', false],
    ['9999-12-31T23:50:00', true],
  ])('take %s for the future: %s', (start, isFuture) => {
    const check = () => checkBooking('ana', { ...booking, start }, there, { zone, now });
    if (isFuture) expect(check).not.toThrow();
    else expect(check).toThrow('the time is in the past');
  });

  test('judge the age on the day of the institution, not that of UTC', () => {
    const young = { ...there, patient: { ...patient, birthDate: '2008-09-02' } };
    const book = (moment: string) => checkBooking('ana', booking, young, { zone, now: moment });
    expect(() => book('2026-09-02T03:59:00.000Z')).toThrow('the service is not for patients of this age or sex');
    expect(() => book('2026-09-02T04:00:00.000Z')).not.toThrow();
  });
});

const isCancelableAt = (now: string, zone: string, start: string, hours = 24) =>
  isCancelable({ status: 'active', begins: new Zone(zone).toEpoch(start) ?? Number.NaN }, hours, { now });

describe('an appointment can be canceled', () => {
  test.each([
    ['America/Argentina/Buenos_Aires', '2026-10-20T00:30:00', '2026-10-19T03:30:00.000Z'],
    ['Asia/Kathmandu', '2026-10-20T00:30:00', '2026-10-18T18:45:00.000Z'],
    // The clocks go forward and back in the night before: 24 hours are 24 hours.
    ['America/Santiago', '2026-09-06T09:00:00', '2026-09-05T12:00:00.000Z'],
    ['America/Santiago', '2026-04-05T09:00:00', '2026-04-04T13:00:00.000Z'],
  ])('in %s, at %s, until %s and no later', (zone, start, last) => {
    const oneMillisecondLater = new Date(Date.parse(last) + 1).toISOString();
    expect(isCancelableAt(last, zone, start)).toBe(true);
    expect(isCancelableAt(oneMillisecondLater, zone, start)).toBe(false);
  });

  test('until just before it begins where the institution needs no notice', () => {
    const at = (now: string) => isCancelableAt(now, 'UTC', '2026-10-20T09:00:00', 0);
    expect(at('2026-10-20T08:59:59.999Z')).toBe(true);
    expect(at('2026-10-20T09:00:00.000Z')).toBe(false);
    expect(at('2026-10-20T10:00:00.000Z')).toBe(false);
  });

  test('once, and only when it has a time', () => {
    const now = '2026-10-01T00:00:00.000Z';
    const begins = Date.parse('2026-10-20T09:00:00.000Z');
    expect(isCancelable({ status: 'active', begins }, 24, { now })).toBe(true);
    expect(isCancelable({ status: 'canceled', begins }, 24, { now })).toBe(false);
    expect(isCancelable({ status: 'active', begins: Number.NaN }, 24, { now })).toBe(false);
  });
});

const at = (time: string) => Date.parse(`2026-10-19T${time.padEnd(8, ':00')}Z`);

/** Slots of 20 minutes, of which those in brackets are taken: `a 09:00 [09:20]`. */
function makeSlots(text: string) {
  const [scheduleId = '', ...times] = text.split(' ');
  return times.map((each) => {
    const time = each.replace(/[[\]]/g, '');
    const begins = at(time);
    return { id: `${scheduleId}-${time}`, scheduleId, begins, ends: begins + 20 * 60_000, isFree: time === each };
  });
}

const pick = (slots: string | ReturnType<typeof makeSlots>, minutes?: number, slotId?: string) =>
  pickSlots(typeof slots === 'string' ? makeSlots(slots) : slots, { begins: at('09:00'), minutes, slotId }).map(
    ({ id }) => id,
  );

const both = (one: string, other: string) => [...makeSlots(one), ...makeSlots(other)];

const unknown = expect.objectContaining({ kind: 'invalid', code: 'slot_unknown', at: 'start' });
const tooLong = expect.objectContaining({ kind: 'invalid', code: 'slot_unknown', at: 'minutes' });

const taken = expect.objectContaining({ kind: 'conflict', code: 'slot_taken' });

describe('contiguous slots', () => {
  test('are one where no length is asked for', () => {
    expect(pick('a 09:00 09:20')).toEqual(['a-09:00']);
  });

  test.each([
    [20, 1],
    [21, 2],
    [40, 2],
    [60, 3],
  ])('for %i minutes are %i', (minutes, count) => {
    expect(pick('a 08:40 09:00 09:20 09:40 10:00', minutes)).toHaveLength(count);
  });

  test('are unknown where none begins then', () => {
    expect(() => pick('a 08:50 09:10')).toThrow(unknown);
  });

  test('are too few for the minutes where one is missing in the middle or at the end', () => {
    expect(() => pick('a 09:00 09:40', 40)).toThrow(tooLong);
    expect(() => pick('a 09:00 09:20', 60)).toThrow(tooLong);
  });

  test('are taken when one of them is', () => {
    expect(() => pick('a [09:00]')).toThrow(taken);
    expect(() => pick('a 09:00 [09:20] 09:40', 60)).toThrow(taken);
    expect(pick('a 09:00 [09:20]', 20)).toEqual(['a-09:00']);
  });

  test('are of one schedule', () => {
    expect(() => pick(both('a 09:00', 'b 09:20'), 40)).toThrow(tooLong);
  });

  test('are of the first schedule that is free', () => {
    expect(pick(both('a 09:00 [09:20]', 'b 09:00 09:20'), 40)).toEqual(['b-09:00', 'b-09:20']);
    expect(pick(both('b 09:00', 'a 09:00'))).toEqual(['b-09:00']);
  });

  test('are the offer that was chosen, or none', () => {
    const slots = both('a 09:00', 'b 09:00');
    expect(pick(slots, 20, 'b-09:00')).toEqual(['b-09:00']);
    expect(() => pick(both('a [09:00]', 'b 09:00'), 20, 'a-09:00')).toThrow(taken);
    expect(() => pick(slots, 20, 'c-09:00')).toThrow(unknown);
  });

  test('go on with a free one where two follow', () => {
    const twice = [...makeSlots('a 09:00 [09:20]'), ...makeSlots('a 09:20').map((slot) => ({ ...slot, id: 'other' }))];
    expect(pick(twice, 40)).toEqual(['a-09:00', 'other']);
  });

  test('follow each other where one ends a second early', () => {
    const odd = makeSlots('a 09:00 09:20').map((slot) => ({ ...slot, ends: slot.ends - 1000 }));
    expect(pick(odd, 40)).toEqual(['a-09:00', 'a-09:20']);
    expect(computeMinutes([odd[0]!, odd[1]!])).toBe(40);
  });

  test('come to an end where a slot lasts no time', () => {
    const empty = makeSlots('a 09:00').map((slot) => ({ ...slot, ends: slot.begins }));
    expect(() => pick(empty, 20)).toThrow(tooLong);
  });
});
