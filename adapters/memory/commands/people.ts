import { hash } from 'node:crypto';
import type { Day } from '../../../src/ports/index.ts';
import { meetsAgeAndSex } from '../../common/care-services.ts';
import { formatTime, type Interval, listSlotTimes, overlaps } from '../../common/schedules.ts';
import type { WorldFile } from '../world-file.ts';
import type { Schedule } from '../world-records.ts';

type WorldPatient = WorldFile['patients'][number];
type PlannedAppointment = WorldFile['appointments'][number];

const word = /^\p{L}+$/u;

/** Combines the invented people of the sandbox. The same seed gives the same people. */
export class Inventor {
  readonly #seed: string;
  readonly #people: readonly WorldPatient[];
  readonly #chosen = new Map<string, unknown>();
  #drawn = 0;

  constructor(seed: string, people: readonly WorldPatient[]) {
    this.#seed = seed;
    this.#people = people.filter((each) => each.address.street && word.test(each.name) && word.test(each.lastName));
  }

  /** Returns a whole number from 0 up to, but not including, `end`. */
  draw(end: number): number {
    const digest = hash('sha256', `${this.#seed} ${this.#drawn++}`, 'buffer');
    return Math.floor((digest.readUInt32BE() / 2 ** 32) * end);
  }

  pick = <T>(list: readonly T[]): T | undefined => list[this.draw(list.length)];

  /** Returns the same element of the list for the same key. */
  choose<T>(key: string, list: readonly T[]): T | undefined {
    if (!this.#chosen.has(key)) this.#chosen.set(key, this.pick(list));
    return this.#chosen.get(key) as T | undefined;
  }

  #pick = (): WorldPatient => this.pick(this.#people)!;

  /** Invents a person with the first name of one, the last name of another, and the age and the address of a third. */
  invent(): Pick<WorldPatient, 'name' | 'lastName' | 'gender' | 'birthDate' | 'address'> {
    const [{ name, gender }, { lastName }, { birthDate, address }] = [this.#pick(), this.#pick(), this.#pick()];
    return { name, gender, lastName, birthDate, address };
  }
}

export interface Settling {
  /** The taken share of each agenda, by id. */
  readonly taken: ReadonlyMap<string, number>;
  readonly today: Day;
  readonly inventor: Inventor;
}

/** The number of patients in addition to those of the sandbox. */
const MORE = 200;

/** Adds the people of the sandbox and more to a hospital without patients. */
export function settlePeople(sandbox: WorldFile, empty: WorldFile, settling: Settling): WorldFile {
  const { inventor } = settling;
  const refer = <T extends object>(rows: readonly T[], key: string & keyof T, list: readonly { id: string }[]) =>
    rows.flatMap((row) => {
      const found = inventor.choose(`${key} ${row[key]}`, list);
      return found ? [{ ...row, [key]: found.id }] : [];
    });
  const patients = sandbox.patients.map(({ mainPractitionerId: main, ...each }): WorldPatient => {
    const practitioner = main === undefined ? undefined : inventor.choose(main, empty.practitioners);
    return practitioner ? { ...each, mainPractitionerId: practitioner.id } : each;
  });
  const coverages = [...sandbox.coverages];
  for (let index = 1; index <= MORE; index++) {
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

/** The weeks with taken slots, relative to the current one, and the maximum number of appointments for each patient. */
const [PAST, AHEAD, MOST] = [-8, 3, 8];

type BookedRow = Omit<PlannedAppointment, 'scheduleId' | 'time'>;

/** The appointments of the sandbox's people in agendas of that hospital, and further ones in the taken slots. */
function bookAll(sandbox: WorldFile, hospital: WorldFile, { taken, today, inventor }: Settling): PlannedAppointment[] {
  const booked: PlannedAppointment[] = [];
  const busy = new Map<string, Interval[]>();
  const services = new Map(hospital.services.map((each) => [each.id, each]));
  const active = hospital.coverages.filter((each) => each.active);
  const coverageOf = new Map(active.map(({ id, patientId }) => [patientId, id]));
  const agendas = hospital.schedules.map((schedule) => {
    const service = { ...services.get(schedule.serviceId)!, plans: null };
    const fits = (patient: WorldPatient) => meetsAgeAndSex(service, patient, today);
    const starts = listSlotTimes(schedule).map(({ minutes }) => minutes);
    const share = taken.get(schedule.id)!;
    const others = hospital.patients.slice(sandbox.patients.length).filter(fits);
    return { ...schedule, starts, share, others, own: new Set(sandbox.patients.filter(fits).map(({ id }) => id)) };
  });
  const book = ({ id, practitionerId, minutes }: Schedule, begins: number, row: BookedRow) => {
    const interval = { begins, ends: begins + minutes };
    const key = `${practitionerId} ${row.week} ${row.day}`;
    const earlier = busy.get(key) ?? [];
    if (earlier.some((other) => overlaps(other, interval))) return false;
    busy.set(key, [...earlier, interval]);
    const coverageId = coverageOf.get(row.patientId);
    booked.push({ ...row, scheduleId: id, time: formatTime(begins), ...(coverageId && { coverageId }) });
    return true;
  };
  const serviceOf = new Map(sandbox.schedules.map(({ id, serviceId }) => [id, serviceId]));
  for (const [patientId, rows] of Map.groupBy(sandbox.appointments, (row) => row.patientId)) {
    const fitting = Map.groupBy(
      agendas.filter(({ own }) => own.has(patientId)),
      ({ serviceId }) => serviceId,
    );
    const first = inventor.draw(fitting.size);
    const visits = Map.groupBy(rows, ({ scheduleId }) => serviceOf.get(scheduleId));
    for (const [index, ofService] of [...visits.values()].entries()) {
      const places = [...fitting.values()][(first + index) % fitting.size] ?? [];
      for (const { coverageId: _, ...row } of ofService) {
        for (let tries = 0; tries < 20; tries++) {
          const agenda = inventor.pick(places);
          if (!agenda) break;
          if (book(agenda, inventor.pick(agenda.starts)!, { ...row, day: inventor.pick(agenda.days)! })) break;
        }
      }
    }
  }
  const weeks = Array.from({ length: AHEAD - PAST + 1 }, (_, index) => PAST + index);
  const slots = agendas
    .filter(({ others }) => others.length > 0)
    .flatMap((agenda) =>
      weeks.flatMap((week) =>
        agenda.days.flatMap((day) => agenda.starts.map((begins) => ({ agenda, week, day, begins }))),
      ),
    );
  const wanted = slots.reduce((sum, { agenda }) => sum + agenda.share, 1);
  const share = Math.min(1, (MOST * MORE) / wanted);
  for (const { agenda, week, day, begins } of slots) {
    if (inventor.draw(1000) >= 1000 * share * agenda.share) continue;
    const status = inventor.draw(100) < 8 ? 'canceled' : 'active';
    book(agenda, begins, { id: `a-${booked.length}`, patientId: inventor.pick(agenda.others)!.id, week, day, status });
  }
  return booked;
}
