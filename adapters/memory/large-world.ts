import type { Day, Weekday } from '../../src/ports/index.ts';
import { formatTime, listSlotTimes } from '../common/schedules.ts';
import { createDraw } from './sandbox.ts';
import type { WorldFile } from './world-file.ts';
import type { Schedule } from './world-records.ts';

/** The final numbers of patients and practitioners, including those of the given world. */
const wanted = { patients: 10_000, practitioners: 60 };

/** The weeks that have appointments, relative to the current one: a year. */
const weeks = { first: -44, last: 7 };

/** The taken share of the slots in past and future weeks, and the canceled share of the appointments. */
const shares = { past: 0.5, ahead: 0.35, canceled: 0.08 };

const titles = { Female: 'Dra.', Male: 'Dr.', Other: 'Lic.' } as const;
const agendas: readonly (readonly Weekday[])[] = [
  ['MONDAY', 'WEDNESDAY', 'FRIDAY'],
  ['TUESDAY', 'THURSDAY'],
  ['MONDAY', 'TUESDAY', 'THURSDAY'],
];

/**
 * Adds invented people and agendas to the world until it has the size of a hospital. The same seed gives the same
 * world. The given entries come first.
 */
export function enlargeWorld(world: WorldFile, seed: number): WorldFile {
  const chance = new Chance(`world ${seed}`, world.patients);
  const { practitioners, schedules } = inventStaff(world, chance);
  const { patients, coverages } = inventPatients(world, chance, practitioners);
  const appointments = fillAgendas(schedules, chance, { patients, coverages });
  return {
    ...world,
    practitioners: [...world.practitioners, ...practitioners],
    schedules: [...world.schedules, ...schedules],
    patients: [...world.patients, ...patients],
    coverages: [...world.coverages, ...coverages],
    appointments: [...world.appointments, ...appointments],
  };
}

type WorldPatients = WorldFile['patients'];

/** Draws random values from a seed. */
class Chance {
  /** Returns a number from 0 up to, but not including, 1. */
  readonly draw: () => number;
  readonly #known: WorldPatients;

  /** @param people the source of names and addresses. */
  constructor(seed: string, people: WorldPatients) {
    this.draw = createDraw(seed);
    this.#known = people.filter(({ name, lastName, address }) => address.street && /^\p{L}+$/u.test(name + lastName));
  }

  /** Returns an element of a list that is not empty. */
  pick = <T>(list: readonly T[]): T => list[Math.floor(this.draw() * list.length)]!;

  /** The first name of one person, the last name of another, and the address of a third. */
  inventPerson() {
    const [{ name, gender }, { lastName }, { address }] = [this.#pick(), this.#pick(), this.#pick()];
    return { name, gender, lastName, address };
  }

  /** Returns a birth date of an adult. */
  inventBirthDate = (): Day =>
    `${1935 + Math.floor(this.draw() * 70)}-${this.#pad(1 + this.draw() * 12)}-${this.#pad(1 + this.draw() * 28)}`;

  #pick = () => this.pick(this.#known);

  #pad = (value: number): string => String(Math.floor(value)).padStart(2, '0');
}

/** Each practitioner has one agenda of a service for everybody. */
function inventStaff({ practitioners: known, services, locations }: WorldFile, chance: Chance) {
  const practitioners: WorldFile['practitioners'] = [];
  const schedules: Schedule[] = [];
  const open = services.filter(
    ({ active, appointmentRequired, type, maxAge, sex, plans }) =>
      active && appointmentRequired && type === 'CONSULTA' && maxAge === null && sex === null && plans === null,
  );
  for (let index = known.length + 1; index <= wanted.practitioners; index++) {
    const { name, lastName, gender } = chance.inventPerson();
    const [service, location] = [chance.pick(open), chance.pick(locations)];
    const from = chance.pick([8, 9, 14]);
    const id = `practitioner-${index}`;
    practitioners.push({
      ...{ id, name: `${titles[gender]} ${name} ${lastName}`, specialty: service.name, email: '', phone: '' },
      ...{ workingHours: '', location: location.name, available: true },
    });
    schedules.push({
      ...{ id: `schedule-${index}`, serviceId: service.id, practitionerId: id, locationId: location.id },
      ...{ modality: 'in-person', days: [...chance.pick(agendas)], minutes: 20 },
      ...{ from: formatTime(60 * from), to: formatTime(60 * (from + 4)) },
    });
  }
  return { practitioners, schedules };
}

function inventPatients(
  { patients: known, carriers }: WorldFile,
  chance: Chance,
  practitioners: WorldFile['practitioners'],
) {
  const patients: WorldPatients = [];
  const coverages: WorldFile['coverages'] = [];
  const plans = carriers.flatMap((carrier) => carrier.plans.filter(({ active }) => active && carrier.active));
  for (let index = known.length + 1; index <= wanted.patients; index++) {
    const id = `patient-${index}`;
    // Nobody has a DNI that begins with 98.
    const value = String(98_000_000 + index);
    patients.push({
      ...{ id, ...chance.inventPerson(), birthDate: chance.inventBirthDate(), active: true, phone: '', email: '' },
      ...{ identifier: { type: 'DNI', value }, medicalRecordId: `HC-${100_000 + index}` },
      ...(chance.draw() < 0.5 && { mainPractitionerId: chance.pick(practitioners).id }),
    });
    const planId = chance.pick(plans).id;
    if (chance.draw() < 0.85)
      coverages.push({ id: `coverage-${index}`, patientId: id, planId, credentialNumber: `98 ${value}`, active: true });
  }
  return { patients, coverages };
}

function fillAgendas(
  schedules: readonly Schedule[],
  chance: Chance,
  { patients, coverages }: Pick<WorldFile, 'patients' | 'coverages'>,
): WorldFile['appointments'] {
  const coverageOf = new Map(coverages.map(({ id, patientId }) => [patientId, id]));
  const appointments: WorldFile['appointments'] = [];
  const fillSlot = (scheduleId: string, slot: { week: number; day: Weekday; time: string }) => {
    if (chance.draw() >= (slot.week < 0 ? shares.past : shares.ahead)) return;
    const { id: patientId } = chance.pick(patients);
    const coverageId = coverageOf.get(patientId);
    const status = chance.draw() < shares.canceled ? 'canceled' : 'active';
    const id = `appointment-${appointments.length + 1}`;
    appointments.push({ id, patientId, scheduleId, ...slot, status, ...(coverageId && { coverageId }) });
  };
  for (const schedule of schedules) {
    const times = listSlotTimes(schedule).map(({ minutes }) => formatTime(minutes));
    for (let week = weeks.first; week <= weeks.last; week++)
      for (const day of schedule.days) for (const time of times) fillSlot(schedule.id, { week, day, time });
  }
  return appointments;
}
