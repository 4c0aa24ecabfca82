import { randomUUID } from 'node:crypto';
import {
  type Call,
  type CareService,
  type Carrier,
  type Day,
  type DirectoryEntry,
  Failure,
  type Location,
  type Offer,
  type Phone,
  type Plan,
  type PortName,
  type Practitioner,
  type Slot,
  type TicketType,
  weekdays,
} from '../../../src/ports/index.ts';
import { findCauseCode } from '../../../src/toolkit/failures.ts';
import { commandLine } from '../../../src/toolkit/package.ts';
import { SettingsProblem } from '../../../src/toolkit/problems.ts';
import { addDays, getWeekday, parseMinutes } from '../../../src/toolkit/zone.ts';
import { formatTime } from '../../common/schedules.ts';
import type { Schedule } from '../world-records.ts';
import type { Inventor } from './people.ts';
import { StandIns } from './stand-ins.ts';

export interface Reading {
  readonly inventor: Inventor;
  /** The institution's texts that are kept unchanged. */
  readonly kept: ReadonlySet<string>;
  /** Free slots are read from the day after this one to the last. */
  readonly today: Day;
  readonly lastDay: Day;
}

/** The ports of the institution. */
type ReadPorts = Pick<Offer, PortName>;

/** Counts skipped or dropped records under a line for the operator. */
type Note = (what: string, count?: number) => void;

/** The time limit of one list in milliseconds. An operator can wait. */
const TIMEOUT = 60_000;

/**
 * Reads every list that needs no patient.
 * @throws SettingsProblem when the institution's system fails.
 */
async function readLists(ports: ReadPorts, { today, lastDay }: Reading, note: Note) {
  async function list<T>(what: string, read: (call: Call) => Promise<readonly T[]> | undefined): Promise<readonly T[]> {
    const [requestId, client, now] = [randomUUID(), 'puente sandbox make', new Date().toISOString()];
    const omit: Call['omit'] = ({ resourceType, element }) => note(`cannot be shown: ${resourceType}/${element}`);
    try {
      const records = read({ requestId, client, now, signal: AbortSignal.timeout(TIMEOUT), omit });
      if (!records) note(`not offered: ${what}`);
      return (await records) ?? [];
    } catch (cause) {
      if (!(cause instanceof Failure)) throw cause;
      // Without a text of the institution's system, because it might name a person.
      const why = findCauseCode(cause) ?? cause.kind;
      throw new SettingsProblem('adapter', [`the list of ${what} (${why}) is not answered; see ${commandLine} doctor`]);
    }
  }

  const practitioners = await list('practitioners', (call) => ports.practitioners?.list?.(call));
  const locations = await list('places', (call) => ports.directory?.locations?.(call));
  const services = await list('services', (call) => ports['care-services']?.available?.({}, call));
  const carriers = await list('carriers', (call) => ports.insurance?.carriers?.({}, call));
  const plans = new Map<string, readonly Plan[]>();
  for (const { id } of carriers) plans.set(id, await list('plans', (call) => ports.insurance?.plans?.(id, call)));
  const ticketTypes = await list('kinds of tickets', (call) => ports.tickets?.types?.(call));
  const reasons = await list('reasons for another practitioner', (call) => ports.practitioners?.changeReasons?.(call));
  const directory = await list('medical directory', (call) => ports.directory?.entries?.(call));
  const slots: Slot[] = [];
  for (const { id: serviceId } of services) {
    // One week at a time: some systems limit an answer to a week.
    for (let from = addDays(today, 1); from <= lastDay; from = addDays(from, 7)) {
      const to = [addDays(from, 6), lastDay].toSorted()[0]!;
      const free = await list('free slots', (call) =>
        ports.appointments?.slots?.({ serviceId, from, to }, call).then(({ items, total }) => {
          note('free slots that were on no page', total - items.length);
          return items;
        }),
      );
      slots.push(...free);
    }
  }
  return { practitioners, locations, services, carriers, plans, ticketTypes, reasons, directory, slots };
}

/** Replaces the numbers by one that reaches nobody. */
const phones = (list: readonly Phone[]) => list.map(() => ({ type: 'phone', value: '+54 11 5555-0000' }));
const email = (text: string): string => text && 'nobody@example.org';

/** Replaces every pattern of the institution. */
const pattern = '^[A-Za-z0-9][A-Za-z0-9 ,.-]{2,79}$';

/** The default codes of institutions. */
const sexes: Readonly<Record<number, 'Female' | 'Male'>> = { 1: 'Female', 2: 'Male' };

/**
 * Writes each record anew. Numbers, choices and times are the institution's; texts are numbered or invented. Fields
 * without a method here are dropped.
 */
class Records {
  readonly standIns: StandIns;
  readonly #inventor: Inventor;
  readonly #staff = new Map<string, string>();

  constructor({ kept, inventor }: Reading) {
    this.standIns = new StandIns(kept);
    this.#inventor = inventor;
  }

  /** Returns the same person for the same id. */
  #person(id: string) {
    if (!this.#staff.has(id)) {
      const { gender, name, lastName } = this.#inventor.invent();
      this.#staff.set(id, `${gender === 'Female' ? 'Dra.' : 'Dr.'} ${name} ${lastName}`);
    }
    return { id: this.standIns.id('practitioner', id), name: this.#staff.get(id)! };
  }

  practitioner = ({ id, specialty, available, email: mail, phone }: Practitioner) => ({
    ...this.#person(id),
    specialty: this.standIns.note('Especialidad', specialty),
    available,
    email: email(mail),
    phone: phone && '+54 11 5555-0000',
  });

  location = ({ id, name }: Location) => ({
    id: this.standIns.id('location', id),
    name: this.standIns.name('Lugar', name),
    address: this.#inventor.invent().address,
  });

  service = ({ id, name, practitionerId, sexId, ...rest }: CareService) => {
    const { type, active, appointmentRequired, requiresAuthorization, minAge, maxAge } = rest;
    return {
      id: this.standIns.id('service', id),
      name: this.standIns.name('Servicio', name),
      practitionerId: this.#staff.has(practitionerId) ? this.standIns.id('practitioner', practitionerId) : '',
      sex: sexes[sexId ?? 0] ?? null,
      ...{ type, active, appointmentRequired, requiresAuthorization, minAge, maxAge },
    };
  };

  carrier = ({ id, name, active }: Carrier, plans: readonly Plan[]) => ({
    id: this.standIns.id('carrier', id),
    name: this.standIns.name('Financiador', name),
    active,
    owners: ['institution'],
    plans: plans.map((plan) => ({
      // Two carriers may use the same id for their plans.
      id: this.standIns.id('plan', JSON.stringify([id, plan.id])),
      name: this.standIns.name('Plan', plan.name),
      active: plan.active,
    })),
  });

  ticketType = ({ id, title, fields }: TicketType) => ({
    id: this.standIns.id('ticket', id),
    title: this.standIns.name('Trámite', title),
    fields: fields.map((field) => ({
      id: this.standIns.id('field', field.id),
      type: field.type,
      tooltip: this.standIns.note('Dato', field.tooltip),
      validationRegex: field.validationRegex && pattern,
    })),
  });

  entry = ({ location, providers }: DirectoryEntry) => {
    const { street = '', number = '' } = this.#inventor.invent().address;
    return {
      location: {
        id: this.standIns.id('place', location.id),
        name: this.standIns.name('Lugar', location.name),
        address: `${street} ${number}`,
        email: email(location.email),
        phones: phones(location.phones),
      },
      providers: providers.map(({ id, name, type, ...provider }) => ({
        ...(type === 'practitioner'
          ? this.#person(id)
          : { id: this.standIns.id('provider', id), name: this.standIns.name('Prestador', name) }),
        type,
        email: email(provider.email),
        phones: phones(provider.phones),
        services: provider.services.map((service) => ({
          id: this.standIns.id('service', service.id),
          name: this.standIns.name('Servicio', service.name),
        })),
      })),
    };
  };

  agenda = ({ serviceId, practitionerId, locationId, ...agenda }: Schedule) => ({
    ...agenda,
    serviceId: this.standIns.id('service', serviceId),
    practitionerId: this.standIns.id('practitioner', practitionerId),
    locationId: this.standIns.id('location', locationId),
  });
}

/**
 * Reads everything that can be listed without a patient, as a hospital in memory.
 * @returns also the taken share of each agenda by id, every text that could be kept, and a line for each skipped or
 * dropped kind of record.
 * @throws SettingsProblem when the institution's system fails.
 */
export async function readCatalogue(ports: ReadPorts, reading: Reading) {
  const notes = new Map<string, number>();
  const note: Note = (what, count = 1) => void (count > 0 && notes.set(what, (notes.get(what) ?? 0) + count));
  const lists = await readLists(ports, reading, note);
  const { practitioners, locations, services, slots } = lists;
  const records = new Records(reading);
  const parts = {
    practitioners: practitioners.map(records.practitioner),
    locations: locations.map(records.location),
    services: services.map(records.service),
    carriers: lists.carriers.map((each) => records.carrier(each, lists.plans.get(each.id) ?? [])),
    ticketTypes: lists.ticketTypes.map(records.ticketType),
    changeReasons: lists.reasons.map(({ id, label }) => ({
      id: records.standIns.id('reason', id),
      label: records.standIns.name('Motivo', label),
    })),
    directory: lists.directory.map(records.entry),
  };
  const [treats, hasPlace] = [practitioners, locations].map((list) => new Set(list.map(({ id }) => id)));
  const known = slots.filter((each) => treats?.has(each.practitionerId) && hasPlace?.has(each.locationId));
  note('free slots whose practitioner or place is in no list', slots.length - known.length);
  const codes = services.filter(({ sexId }) => sexId !== null && !(sexId in sexes));
  note('services with a sex code other than 1 and 2, which become services for everybody', codes.length);
  const { agendas, taken } = deriveAgendas(known, note);
  return {
    parts: { ...parts, schedules: agendas.map(records.agenda) },
    taken,
    texts: [...records.standIns.texts],
    notes: [...notes].map(([what, count]) => (count > 1 ? `${what}, ${count} times` : what)),
  };
}

/** Minutes without a free slot from which a gap counts as a pause. Shorter gaps count as taken slots. */
const PAUSE = 60;

/** Derives the weekly agendas from their free slots, and the taken share of each. */
function deriveAgendas(slots: readonly Slot[], note: Note) {
  const agendas: Schedule[] = [];
  const taken = new Map<string, number>();
  const keyOf = ({ serviceId, practitionerId, locationId, modality, minutes, start }: Slot) =>
    JSON.stringify([serviceId, practitionerId, locationId, modality, minutes, getWeekday(start.slice(0, 10))]);
  for (const own of Map.groupBy(slots, keyOf).values()) {
    const { serviceId, practitionerId, locationId, modality, minutes, start } = own[0]!;
    const days = [weekdays[getWeekday(start.slice(0, 10))]!];
    const dates = new Set(own.map((each) => each.start.slice(0, 10))).size;
    const begins = own.map((each) => parseMinutes(each.start.slice(11, 16))).toSorted((a, b) => a - b);
    const blocks: number[][] = [];
    for (const [index, at] of begins.entries()) {
      const since = at - (begins[index - 1] ?? Number.NaN);
      if (since % minutes === 0 && since - minutes < PAUSE) blocks.at(-1)!.push(at);
      else blocks.push([at]);
    }
    for (const block of blocks) {
      const [first, end] = [block[0]!, block.at(-1)! + minutes];
      if (end >= 24 * 60 || minutes < 5 || minutes > 480) {
        note('free slots until midnight, or of a length that no agenda in memory has', block.length);
        continue;
      }
      const id = `agenda.${agendas.length + 1}`;
      const [from, to] = [formatTime(first), formatTime(end)];
      agendas.push({ id, serviceId, practitionerId, locationId, modality, days, from, to, minutes });
      taken.set(id, 1 - block.length / (dates * ((end - first) / minutes)));
    }
  }
  return { agendas, taken };
}
