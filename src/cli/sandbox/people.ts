import { hash } from 'node:crypto';
import { formatTime, type Interval, overlaps } from '../../../adapters/common/schedules.ts';
import type { Schedule, WorldFile } from '../../../adapters/memory/world-file.ts';
import type { Day, Weekday } from '../../ports/index.ts';
import { computeAge, parseMinutes } from '../../toolkit/zone.ts';

type Patient = WorldFile['patients'][number];
type Appointment = WorldFile['appointments'][number];

const word = /^\p{L}+$/u;

/** Draws from the invented people of the sandbox, the same for the same seed. */
export class Inventor {
  readonly #seed: number;
  readonly #people: readonly Patient[];
  #drawn = 0;

  constructor(seed: number, people: readonly Patient[]) {
    this.#seed = seed;
    this.#people = people.filter((each) => each.address.street && word.test(each.name) && word.test(each.lastName));
  }

  /** A whole number, at least 0 and less than `end`. */
  draw(end: number): number {
    const digest = hash('sha256', `${this.#seed} ${this.#drawn++}`, 'buffer');
    return Math.floor((digest.readUInt32BE() / 2 ** 32) * end);
  }

  pick = <T>(list: readonly T[]): T | undefined => list[this.draw(list.length)];

  #pick = (): Patient => this.pick(this.#people)!;

  /** Somebody new, with the name of one, the family of another, and the age and the address of a third. */
  invent(): Pick<Patient, 'name' | 'lastName' | 'gender' | 'birthDate' | 'address'> {
    const [{ name, gender }, { lastName }, { birthDate, address }] = [this.#pick(), this.#pick(), this.#pick()];
    return { name, gender, lastName, birthDate, address };
  }
}

export interface Settling {
  /** Which share of an agenda is taken, by its id. */
  readonly taken: ReadonlyMap<string, number>;
  /** How many patients there are beside those of the sandbox. */
  readonly more: number;
  readonly today: Day;
  readonly inventor: Inventor;
}

/** The people of the sandbox, and more, as patients of a hospital that has none. */
export function settlePeople(sandbox: WorldFile, empty: WorldFile, settling: Settling): WorldFile {
  const { more, inventor } = settling;
  const chosen = new Map<string, string | undefined>();
  /** For one id always the same one of the list. */
  const choose = (id: string, list: readonly { readonly id: string }[]): string | undefined => {
    if (!chosen.has(id)) chosen.set(id, inventor.pick(list)?.id);
    return chosen.get(id);
  };
  const refer = <T extends object>(
    rows: readonly T[],
    key: string & keyof T,
    list: readonly { readonly id: string }[],
  ) =>
    rows.flatMap((row) => {
      const id = choose(`${key} ${row[key]}`, list);
      return id === undefined ? [] : [{ ...row, [key]: id }];
    });
  const patients = sandbox.patients.map(({ mainPractitionerId: main, ...each }): Patient => {
    const mainPractitionerId = main === undefined ? undefined : choose(main, empty.practitioners);
    return { ...each, ...(mainPractitionerId !== undefined && { mainPractitionerId }) };
  });
  const coverages = [...sandbox.coverages];
  for (let index = 1; index <= more; index++) {
    // Nobody has a DNI that begins with 99.
    const [id, value] = [`p-${index}`, String(99_000_000 + index * 37)];
    const more = { identifier: { type: 'DNI', value }, medicalRecordId: `P-${index}`, phone: '', email: '' } as const;
    patients.push({ ...inventor.invent(), ...more, id, active: true });
    const { planId } = inventor.pick(sandbox.coverages)!;
    const isInsured = inventor.draw(100) < 85;
    if (isInsured) coverages.push({ id, patientId: id, planId, credentialNumber: `99 ${value}`, active: true });
  }
  const sold = empty.carriers.flatMap(({ active, plans }) => plans.filter((plan) => plan.active && active));
  const requests = sandbox.changeRequests.map(({ practitionerId: _, ...each }) => each);
  const hospital: WorldFile = {
    ...empty,
    patients,
    coverages: refer(coverages, 'planId', sold),
    familyMembers: sandbox.familyMembers,
    tickets: refer(sandbox.tickets, 'ticketTypeId', empty.ticketTypes).map((each) => {
      const { fields } = empty.ticketTypes.find(({ id }) => id === each.ticketTypeId)!;
      const free = fields.filter(({ type, validationRegex }) => type === 'string' && validationRegex === '');
      return { ...each, fields: free.map(({ id }) => ({ id, value: 'Sin datos' })) };
    }),
    changeRequests: refer(requests, 'reasonId', empty.changeReasons),
  };
  return { ...hospital, appointments: bookAll(sandbox, hospital, settling) };
}

/** From so many weeks ago to so many weeks ahead slots are taken, by at most so many appointments for each patient. */
const [PAST, AHEAD, MOST] = [-8, 3, 8];

/** The appointments that the people of the sandbox have, in agendas of that hospital, and those of others in the slots that are taken. */
function bookAll(sandbox: WorldFile, hospital: WorldFile, { taken, today, inventor }: Settling): Appointment[] {
  const booked: Appointment[] = [];
  const busy = new Map<string, Interval[]>();
  const services = new Map(hospital.services.map((each) => [each.id, each]));
  const active = hospital.coverages.filter((each) => each.active);
  const coverageOf = new Map(active.map(({ id, patientId }) => [patientId, id]));
  const isFor = ({ serviceId }: Schedule, { gender, birthDate }: Patient): boolean => {
    const { minAge, maxAge, sex } = services.get(serviceId)!;
    const age = computeAge(today, birthDate);
    return age >= (minAge ?? 0) && age <= (maxAge ?? age) && (sex === null || sex === gender);
  };
  const count = ({ from, to, minutes }: Schedule) => Math.floor((parseMinutes(to) - parseMinutes(from)) / minutes);
  type Row = Pick<Appointment, 'id' | 'patientId' | 'week' | 'status'>;
  const book = ({ id, practitionerId, from, minutes }: Schedule, day: Weekday, slot: number, row: Row) => {
    const begins = parseMinutes(from) + slot * minutes;
    const interval = { begins, ends: begins + minutes };
    const key = `${practitionerId} ${row.week} ${day}`;
    const others = busy.get(key) ?? [];
    if (others.some((other) => overlaps(other, interval))) return false;
    busy.set(key, [...others, interval]);
    const coverageId = coverageOf.get(row.patientId);
    const { coverageId: _, ...rest } = row as Appointment;
    booked.push({ ...rest, scheduleId: id, day, time: formatTime(begins), ...(coverageId && { coverageId }) });
    return true;
  };
  const serviceOf = new Map(sandbox.schedules.map(({ id, serviceId }) => [id, serviceId]));
  for (const patient of sandbox.patients) {
    const schedules = hospital.schedules.filter((each) => isFor(each, patient));
    const fitting = [...Map.groupBy(schedules, ({ serviceId }) => serviceId).values()];
    const own = sandbox.appointments.filter(({ patientId }) => patientId === patient.id);
    const order = [...new Set(own.map(({ scheduleId }) => serviceOf.get(scheduleId)))];
    const first = inventor.draw(fitting.length);
    for (const row of own) {
      const agendas = fitting[(first + order.indexOf(serviceOf.get(row.scheduleId))) % fitting.length] ?? [];
      for (let tries = 0; tries < 20; tries++) {
        const agenda = inventor.pick(agendas);
        if (!agenda || book(agenda, inventor.pick(agenda.days)!, inventor.draw(count(agenda)), row)) break;
      }
    }
  }
  const others = hospital.patients.slice(sandbox.patients.length);
  const wanted = hospital.schedules.map(
    (each) => (AHEAD - PAST + 1) * each.days.length * count(each) * taken.get(each.id)!,
  );
  const share = Math.min(1, (MOST * others.length) / wanted.reduce((sum, each) => sum + each, 1));
  for (const schedule of hospital.schedules) {
    const people = others.filter((each) => isFor(schedule, each));
    for (let week = people.length > 0 ? PAST : AHEAD + 1; week <= AHEAD; week++) {
      for (const day of schedule.days) {
        for (let slot = 0; slot < count(schedule); slot++) {
          if (inventor.draw(1000) >= 1000 * share * taken.get(schedule.id)!) continue;
          const status = inventor.draw(100) < 8 ? 'canceled' : 'active';
          book(schedule, day, slot, { id: `a-${booked.length}`, patientId: inventor.pick(people)!.id, week, status });
        }
      }
    }
  }
  return booked;
}
