import { describe, expect, test } from '@jest/globals';
import { SettingsProblem } from '../../../src/toolkit/settings-problem.ts';
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

const faults: readonly [title: string, spoil: (world: World) => unknown, problem: string][] = [
  [
    'a service of an unknown practitioner',
    (w) => (w.services[0]!.practitionerId = 'x'),
    'services/0/practitionerId: there is nothing with this id in practitioners',
  ],
  [
    'a service for an unknown plan',
    (w) => (w.services[0]!.plans = ['osde-210', 'x']),
    'services/0/plans/1: there is nothing with this id in plans',
  ],
  [
    'a schedule of an unknown service',
    (w) => (w.schedules[1]!.serviceId = 'x'),
    'schedules/1/serviceId: there is nothing with this id in services',
  ],
  [
    'a schedule of an unknown practitioner',
    (w) => (w.schedules[1]!.practitionerId = 'x'),
    'schedules/1/practitionerId: there is nothing with this id in practitioners',
  ],
  [
    'a schedule at an unknown location',
    (w) => (w.schedules[1]!.locationId = 'x'),
    'schedules/1/locationId: there is nothing with this id in locations',
  ],
  [
    'a schedule without room for a slot',
    (w) => (w.schedules[1]!.to = '11:50'),
    'schedules/1: has no room for a single slot',
  ],
  [
    'a patient with an unknown main practitioner',
    (w) => (w.patients[2]!.mainPractitionerId = 'x'),
    'patients/2/mainPractitionerId: there is nothing with this id in practitioners',
  ],
  [
    'a coverage of an unknown patient',
    (w) => (w.coverages[3]!.patientId = 'x'),
    'coverages/3/patientId: there is nothing with this id in patients',
  ],
  [
    'a coverage under an unknown plan',
    (w) => (w.coverages[3]!.planId = 'x'),
    'coverages/3/planId: there is nothing with this id in plans',
  ],
  [
    'an unknown relative',
    (w) => (w.familyMembers[0]!.relatedPatientId = 'x'),
    'familyMembers/0/relatedPatientId: there is nothing with this id in patients',
  ],
  [
    'a relative of oneself',
    (w) => (w.familyMembers[0]!.relatedPatientId = 'ana'),
    'familyMembers/0/relatedPatientId: a patient cannot be their own relative',
  ],
  [
    'the same relative twice',
    (w) => w.familyMembers.push({ ...w.familyMembers[0]!, id: 'otra' }),
    'familyMembers/1/relatedPatientId: an earlier entry already names this relative',
  ],
  [
    'a ticket of an unknown type',
    (w) => (w.tickets[0]!.ticketTypeId = 'x'),
    'tickets/0/ticketTypeId: there is nothing with this id in ticketTypes',
  ],
  [
    'a ticket with a field that its type lacks',
    (w) => (w.tickets[0]!.fields = [{ id: 'x', value: '' }]),
    'tickets/0/fields/0/id: the ticket type has no such field',
  ],
  [
    'a ticket type with a field twice',
    (w) => w.ticketTypes[0]!.fields.push(w.ticketTypes[0]!.fields[0]!),
    'ticketTypes/0/fields: two fields have the same id',
  ],
  [
    'an appointment in an unknown schedule',
    (w) => (w.appointments[0]!.scheduleId = 'x'),
    'appointments/0/scheduleId: there is nothing with this id in schedules',
  ],
  [
    'an appointment on a day without slots',
    (w) => (w.appointments[0]!.day = 'SUNDAY'),
    'appointments/0/day: the schedule has no slots on this day',
  ],
  [
    'an appointment between two slots',
    (w) => (w.appointments[0]!.time = '10:10'),
    'appointments/0/time: the schedule has no slot that starts then',
  ],
  [
    'an appointment before the first slot',
    (w) => (w.appointments[0]!.time = '08:40'),
    'appointments/0/time: the schedule has no slot that starts then',
  ],
  [
    'an appointment after the last slot',
    (w) => (w.appointments[0]!.time = '12:00'),
    'appointments/0/time: the schedule has no slot that starts then',
  ],
  [
    'an appointment that an unknown coverage pays',
    (w) => (w.appointments[0]!.coverageId = 'x'),
    'appointments/0/coverageId: there is nothing with this id in coverages',
  ],
  [
    'an appointment that the coverage of another patient pays',
    (w) => (w.appointments[0]!.coverageId = 'bruno-osde'),
    'appointments/0/coverageId: this is the coverage of another patient',
  ],
  [
    'two active appointments in one slot',
    (w) => w.appointments.push({ ...turno, time: '10:00' }),
    'appointments/1: the practitioner has another active appointment at this time',
  ],
  [
    'a practitioner at two places at once',
    (w) => {
      w.appointments[0]!.time = '11:40';
      w.appointments.push({ ...turno, scheduleId: 'paz-norte', time: '11:30' });
    },
    'appointments/1: the practitioner has another active appointment at this time',
  ],
  [
    'a change request with an unknown reason',
    (w) => (w.changeRequests[0]!.reasonId = 'x'),
    'changeRequests/0/reasonId: there is nothing with this id in changeReasons',
  ],
  [
    'a change request for an unknown practitioner',
    (w) => (w.changeRequests[0]!.practitionerId = 'x'),
    'changeRequests/0/practitionerId: there is nothing with this id in practitioners',
  ],
  [
    'an id twice',
    (w) => (w.changeReasons = [...w.changeReasons, w.changeReasons[0]!]),
    'changeReasons/1/id: an earlier entry has this id',
  ],
  [
    'a plan of two carriers',
    (w) => w.carriers[1]!.plans!.push({ id: 'osde-210', name: '210' }),
    'carriers/1/plans/1/id: an earlier plan has this id',
  ],
  [
    'an identifier of two patients',
    (w) => (w.patients[2]!.identifier.value = '29876543'),
    'patients/2/identifier: an earlier patient holds this identifier',
  ],
  [
    'a DNI with dots',
    (w) => (w.patients[2]!.identifier.value = '56.112.233'),
    'patients/2/identifier/value: a DNI has 1 to 10 digits, without dots and leading zeros',
  ],
  [
    'a passport in small letters',
    (w) => (w.patients[2]!.identifier = { type: 'Passport', value: 'aab 123' }),
    'patients/2/identifier/value: must be upper case and without spaces',
  ],
];

describe('a world is refused that has', () => {
  test.each(faults)('%s', (_title, spoil, problem) => {
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
