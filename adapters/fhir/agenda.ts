import { type Call, Failure, type Instant, type Modality } from '../../src/ports/index.ts';
import { modalityOf } from './appointment-record.ts';
import type { Backend } from './backend.ts';
import type { Found } from './bundle.ts';
import { codeOf, isOffered, isVirtual } from './care-services.ts';
import { hl7 } from './codes.ts';
import { codeIn, extensionIn, idOf } from './elements.ts';
import type { Resource } from './resources.ts';

type FhirService = Resource<'HealthcareService'>;
type FhirSlot = Resource<'Slot'>;

/** Schedules that one search names: more would make its URL too long. */
const SCHEDULES_PER_SEARCH = 50;
const SLOTS_PER_PAGE = 500;
/** Slots are many and small: a service of a large institution has thousands in two months. */
const MOST_SLOTS = 10_000;

/** A schedule and whose it is, where, and for which kind of visit. */
export interface Diary {
  readonly schedule: Resource<'Schedule'>;
  readonly practitionerId: string;
  readonly locationId: string;
  readonly modality: Modality;
}

/**
 * The service with this id.
 * @throws Failure invalid at `serviceId` when the institution does not offer it.
 */
export async function offeredService(backend: Backend, id: string, call: Call): Promise<FhirService> {
  const { matches } = await backend.catalogue.services.get(call);
  const service = matches.find((each) => each.id === id);
  if (service && isOffered(service, backend)) return service;
  throw new Failure('invalid', 'there is no such service', { at: 'serviceId' });
}

/** Everybody's diaries. */
export class Agenda {
  readonly #found: Found<'Schedule'>;
  readonly #backend: Backend;

  constructor(found: Found<'Schedule'>, backend: Backend) {
    this.#found = found;
    this.#backend = backend;
  }

  /** Those in which the service can be booked: a booking names a practitioner, and takes place somewhere. */
  of(service: FhirService): Diary[] {
    const system = this.#backend.codes.system('hcs');
    const code = codeOf(service, system);
    const isFor = ({ serviceType = [], actor }: Resource<'Schedule'>) =>
      actor.some((each) => idOf(each, 'HealthcareService') === service.id) ||
      serviceType.some(
        (type) =>
          codeIn([type], system) === code ||
          idOf(extensionIn(type, hl7.serviceReference)?.valueReference, 'HealthcareService') === service.id,
      );
    return this.#active(isFor, service).filter(({ practitionerId, locationId }) => practitionerId && locationId);
  }

  /** All those of one practitioner, whatever they are for. */
  ofPractitioner(id: string): Diary[] {
    return this.#active(() => true).filter(({ practitionerId }) => practitionerId === id);
  }

  /** @throws Failure invalid at `at` when nobody has this id. */
  async expectPractitioner(id: string, at: string, call: Call): Promise<void> {
    await this.#expect('Practitioner', id, at, 'there is no such practitioner', call);
  }

  /** @throws Failure invalid at `locationId` when no place has this id. */
  async expectLocation(id: string, call: Call): Promise<void> {
    await this.#expect('Location', id, 'locationId', 'there is no such location', call);
  }

  async #expect(type: 'Practitioner' | 'Location', id: string, at: string, message: string, call: Call) {
    if (this.#found.has(`${type}/${id}`) || (await this.#backend.client.read(type, id, call))) return;
    throw new Failure('invalid', message, { at });
  }

  #active(passes: (schedule: Resource<'Schedule'>) => boolean, service?: FhirService): Diary[] {
    return this.#found.matches
      .filter((schedule) => schedule.active !== false && passes(schedule))
      .map((schedule) => {
        const { actor, serviceCategory } = schedule;
        const roles = actor.flatMap((each) => this.#found.follow(each, 'PractitionerRole') ?? []);
        const people = [...actor, ...roles.map(({ practitioner }) => practitioner)];
        const places = [...actor, ...roles.flatMap(({ location = [] }) => location), ...(service?.location ?? [])];
        return {
          schedule,
          practitionerId: people.flatMap((each) => idOf(each, 'Practitioner') ?? [])[0] ?? '',
          locationId: places.flatMap((each) => idOf(each, 'Location') ?? [])[0] ?? '',
          modality: modalityOf(serviceCategory) ?? (service && isVirtual(service) ? 'virtual' : 'in-person'),
        };
      });
  }
}

export interface SlotSearch {
  readonly status?: 'free';
  /** The first moment at which a slot may start, and the one from which on it may not. */
  readonly from: Instant;
  readonly until: Instant;
}

/** The slots of the diaries that start within the time, by start. */
export async function slotsIn(
  { client }: Backend,
  diaries: readonly Diary[],
  { status, from, until }: SlotSearch,
  call: Call,
): Promise<FhirSlot[]> {
  const found: FhirSlot[] = [];
  for (let index = 0; index < diaries.length; index += SCHEDULES_PER_SEARCH) {
    const schedules = diaries.slice(index, index + SCHEDULES_PER_SEARCH).map(({ schedule }) => schedule.id);
    const query = {
      schedule: schedules.map((id) => `Schedule/${id}`).join(','),
      status,
      start: [`ge${from}`, `lt${until}`],
      _sort: 'start',
      _count: String(SLOTS_PER_PAGE),
    };
    const { matches } = await client.search('Slot', query, call, { entries: MOST_SLOTS });
    found.push(...matches);
  }
  // The conditions hold also where a server takes a bound or a status for less than it says.
  return found
    .filter(({ start }) => Date.parse(start) >= Date.parse(from) && Date.parse(start) < Date.parse(until))
    .filter((slot) => slot.status !== 'entered-in-error' && (status === undefined || slot.status === status))
    .toSorted((a, b) => Date.parse(a.start) - Date.parse(b.start) || (a.id < b.id ? -1 : 1));
}

/** Whether the slot is for this service: one that names services is for no other. */
export function isSlotOf(slot: FhirSlot, service: FhirService, { codes }: Backend): boolean {
  const system = codes.system('hcs');
  const named = (slot.serviceType ?? []).flatMap((type) => codeIn([type], system) ?? []);
  return named.length === 0 || named.includes(codeOf(service, system) ?? '');
}
