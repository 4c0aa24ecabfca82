import { describe, expect, test } from '@jest/globals';
import { SettingsProblem } from '../../../src/toolkit/problems.ts';
import { makeSmallWorld, openHospital, type WorldData } from './small-world.ts';

type World = ReturnType<typeof makeSmallWorld>;

function findProblems(data: WorldData): readonly string[] {
  try {
    openHospital(data);
  } catch (error) {
    if (error instanceof SettingsProblem) return error.problems;
    throw error;
  }
  return [];
}

const turno = { id: 'otro', patientId: 'bruno', scheduleId: 'paz-central', week: 1, day: 'MONDAY' } as const;

/** Where a world names something, and among what it has to be. */
const references: Readonly<Record<string, string>> = {
  'services/0/practitionerId': 'practitioners',
  'services/0/plans/0': 'plans',
  'schedules/1/serviceId': 'services',
  'schedules/1/practitionerId': 'practitioners',
  'schedules/1/locationId': 'locations',
  'patients/2/mainPractitionerId': 'practitioners',
  'coverages/3/patientId': 'patients',
  'coverages/3/planId': 'plans',
  'familyMembers/0/relatedPatientId': 'patients',
  'tickets/0/ticketTypeId': 'ticketTypes',
  'appointments/0/scheduleId': 'schedules',
  'appointments/0/coverageId': 'coverages',
  'changeRequests/0/reasonId': 'changeReasons',
  'changeRequests/0/practitionerId': 'practitioners',
};

const faults: readonly [problem: string, spoil: (world: World) => unknown][] = [
  ['schedules/1: has no room for a single slot', (w) => (w.schedules[1]!.to = '11:50')],
  [
    'familyMembers/0/relatedPatientId: a patient cannot be their own relative',
    (w) => (w.familyMembers[0]!.relatedPatientId = 'ana'),
  ],
  [
    'familyMembers/1/relatedPatientId: an earlier entry already names this relative',
    (w) => w.familyMembers.push({ ...w.familyMembers[0]!, id: 'otra' }),
  ],
  [
    'tickets/0/fields/0/id: the ticket type has no such field',
    (w) => (w.tickets[0]!.fields = [{ id: 'x', value: '' }]),
  ],
  [
    'ticketTypes/0/fields: two fields have the same id',
    (w) => w.ticketTypes[0]!.fields.push(w.ticketTypes[0]!.fields[0]!),
  ],
  ['appointments/0/day: the schedule has no slots on this day', (w) => (w.appointments[0]!.day = 'SUNDAY')],
  ...['10:10', '08:40', '12:00'].map((time): [string, (world: World) => unknown] => [
    'appointments/0/time: the schedule has no slot that starts then',
    (w) => (w.appointments[0]!.time = time),
  ]),
  [
    'appointments/0/coverageId: this is the coverage of another patient',
    (w) => (w.appointments[0]!.coverageId = 'bruno-osde'),
  ],
  [
    'appointments/1: the practitioner has another active appointment at this time',
    (w) => w.appointments.push({ ...turno, time: '10:00' }),
  ],
  [
    'appointments/1: the practitioner has another active appointment at this time',
    (w) => {
      w.appointments[0]!.time = '11:40';
      w.appointments.push({ ...turno, scheduleId: 'paz-norte', time: '11:30' });
    },
  ],
  [
    'appointments/1/day: the schedule has no slots on this day',
    (w) => {
      w.appointments.unshift({ ...turno, week: -1, weeks: 3, time: '10:00' });
      w.appointments[1]!.day = 'SUNDAY';
    },
  ],
  [
    'appointments/0/day: the schedule has no slots on this day',
    (w) => (w.appointments[0] = { ...turno, weeks: 3, time: '10:00', day: 'SUNDAY' }),
  ],
  [
    'appointments/1: the practitioner has another active appointment at this time',
    (w) => w.appointments.push({ ...turno, week: 3, weeks: 4, time: '10:00' }),
  ],
  [
    'appointments/1/id: an earlier entry has this id',
    (w) => {
      w.appointments[0]!.id = 'otro-1';
      w.appointments.push({ ...turno, week: -1, weeks: 2, time: '10:00' });
    },
  ],
  [
    'changeReasons/1/id: an earlier entry has this id',
    (w) => (w.changeReasons = [...w.changeReasons, w.changeReasons[0]!]),
  ],
  [
    'carriers/1/plans/1/id: an earlier plan has this id',
    (w) => w.carriers[1]!.plans!.push({ id: 'osde-210', name: '210' }),
  ],
  [
    'patients/2/identifier: an earlier patient holds this identifier',
    (w) => (w.patients[2]!.identifier.value = '29876543'),
  ],
  [
    'patients/2/identifier/value: a DNI has 1 to 10 digits, without dots and leading zeros',
    (w) => (w.patients[2]!.identifier.value = '56.112.233'),
  ],
  [
    'patients/2/identifier/value: must be upper case and without spaces',
    (w) => (w.patients[2]!.identifier = { type: 'Passport', value: 'aab 123' }),
  ],
];

describe('a world is refused', () => {
  test.each(Object.entries(references))('that names at %s what is not among its %s', (path, among) => {
    const world = makeSmallWorld();
    const keys = path.split('/');
    const owner = keys.slice(0, -1).reduce<unknown>((at, key) => Reflect.get(Object(at), key), world);
    Reflect.set(Object(owner), keys.at(-1) ?? '', 'x');
    expect(findProblems(world)).toEqual([`${path}: there is nothing with this id in ${among}`]);
  });

  test.each(faults)('with %s', (problem, spoil) => {
    const world = makeSmallWorld();
    expect(findProblems(world)).toEqual([]);
    spoil(world);
    expect(findProblems(world)).toEqual([problem]);
  });
});

describe('a world may have', () => {
  test('an active appointment in the slot of a canceled one', () => {
    const world = makeSmallWorld();
    world.appointments[0]!.status = 'canceled';
    world.appointments.push({ ...turno, time: '10:00' });
    expect(findProblems(world)).toEqual([]);
  });

  test('the same number on documents of different types', () => {
    const world = makeSmallWorld();
    world.patients[2]!.identifier = { type: 'Passport', value: '29876543' };
    expect(findProblems(world)).toEqual([]);
  });
});
