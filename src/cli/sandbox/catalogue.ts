import { randomUUID } from 'node:crypto';
import { formatTime } from '../../../adapters/common/schedules.ts';
import { entryId } from '../../../adapters/common/tickets.ts';
import type { Schedule } from '../../../adapters/memory/world-file.ts';
import { withDeadline } from '../../guard/deadline.ts';
import type { Ports } from '../../http/chain.ts';
import {
  type Call,
  type Day,
  type DirectoryProvider,
  Failure,
  type Plan,
  type Slot,
  weekdays,
} from '../../ports/index.ts';
import { findCauseCode } from '../../toolkit/failures.ts';
import { commandLine } from '../../toolkit/package.ts';
import { SettingsProblem } from '../../toolkit/problems.ts';
import { addDays, getWeekday, parseMinutes } from '../../toolkit/zone.ts';
import type { Inventor } from './people.ts';

/** Which names and ids stay the institution's own: those of its catalogue without its staff, or none. */
export const choices = ['catalogue', 'none'] as const;

export interface Reading {
  readonly names: (typeof choices)[number];
  readonly inventor: Inventor;
  /** Free slots are looked at from the day after this one to the last. */
  readonly today: Day;
  readonly lastDay: Day;
}

/** Nobody is reached by it. */
const telephone = '+54 11 5555-0000';

/** Milliseconds for one list: only an operator waits for it. */
const TIMEOUT = 60_000;

/** An address of mail, or six digits: a telephone, a document, a credential. */
const tellsSomebody = /@|\d(?:[\s().+/-]*\d){5}/;
const word = /[\p{L}\p{M}]{2,}/gu;
const noName = /^(dra?|doctora?|lic|prof|bioq|enf|obst|psic|kine|sra?|srta|de|del|el|la|las|los|san|santa|von|van)$/;
const fold = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
/** The codes that institutions have unless they say otherwise. */
const sexes: Readonly<Record<number, 'Female' | 'Male'>> = { 1: 'Female', 2: 'Male' };

/**
 * What can be listed without a patient, as a hospital in memory has it, but for what somebody wrote for others to read, and
 * for streets, telephones and addresses of mail.
 * @returns also which share of each agenda is taken, by its id, and what was not read or not kept, a line each.
 * @throws SettingsProblem when the institution's system fails.
 */
export async function readCatalogue(ports: Ports, { names, inventor, today, lastDay }: Reading) {
  const notes = new Map<string, number>();
  const note = (what: string, count = 1) => void (count > 0 && notes.set(what, (notes.get(what) ?? 0) + count));

  async function list<T>(what: string, read: (call: Call) => Promise<readonly T[]> | undefined): Promise<readonly T[]> {
    const [requestId, client, now] = [randomUUID(), 'puente sandbox make', new Date().toISOString()];
    const omit: Call['omit'] = ({ resourceType, element }) => note(`cannot be shown: ${resourceType}/${element}`);
    try {
      return await withDeadline(TIMEOUT, async ({ signal, timeLeft }) => {
        const records = read({ requestId, client, now, signal, timeLeft, omit });
        if (!records) note(`not offered: ${what}`);
        return (await records) ?? [];
      });
    } catch (cause) {
      if (!(cause instanceof Failure)) throw cause;
      // Without a word of the institution's system, which might name somebody.
      const why = findCauseCode(cause) ?? cause.kind;
      throw new SettingsProblem('adapter', [`the list of ${what} (${why}) is not answered; see ${commandLine} doctor`]);
    }
  }

  const staff = await list('practitioners', (call) => ports.practitioners?.list?.(call));
  const places = await list('places', (call) => ports.directory?.locations?.(call));
  const services = await list('services', (call) => ports['care-services']?.available?.({}, call));
  const carriers = await list('carriers', (call) => ports.insurance?.carriers?.({}, call));
  const plans = new Map<string, readonly Plan[]>();
  for (const { id } of carriers) plans.set(id, await list('plans', (call) => ports.insurance?.plans?.(id, call)));
  const ticketTypes = await list('kinds of tickets', (call) => ports.tickets?.types?.(call));
  const reasons = await list('reasons for another practitioner', (call) => ports.practitioners?.changeReasons?.(call));
  const directory = await list('medical directory', (call) => ports.directory?.entries?.(call));
  const slots: Slot[] = [];
  for (const { id: serviceId } of services) {
    // A week at a time: some systems answer no more at once.
    for (let from = addDays(today, 1); from <= lastDay; from = addDays(from, 7)) {
      const to = [addDays(from, 6), lastDay].toSorted()[0]!;
      const free = await list('free slots', (call) =>
        ports.appointments?.slots?.({ serviceId, from, to }, call).then(({ items, total }) => {
          note('free slots that stood on no page', total - items.length);
          return items;
        }),
      );
      slots.push(...free);
    }
  }

  const keepsNames = names === 'catalogue';
  const given = new Map<unknown, unknown>();
  /** The institution's own where that can be, else one of ours. */
  const toId = (id: unknown): unknown => {
    if (!given.has(id)) given.set(id, keepsNames && entryId.safeParse(id).success ? id : `entry.${given.size + 1}`);
    return given.get(id);
  };
  // What also names a field of medicine names nobody.
  const common = new Set(staff.flatMap(({ specialty }) => fold(specialty).match(word) ?? []));
  const surnames = new Map<string, string>();
  const standIns = new Map<string, { readonly id: string; readonly name: string }>();
  for (const { id, name } of [...staff, ...directory.flatMap(({ providers }) => providers.filter(isPractitioner))]) {
    const { gender, name: first, lastName } = inventor.invent();
    const standIn = `${gender === 'Female' ? 'Dra.' : 'Dr.'} ${first} ${lastName}`;
    if (standIns.has(id)) continue;
    standIns.set(id, { id: `practitioner.${standIns.size + 1}`, name: standIn });
    for (const each of fold(name).match(word) ?? []) {
      if (!noName.test(each) && !common.has(each)) surnames.set(each, lastName);
    }
  }
  const keep = (text: unknown): string => {
    if (!keepsNames || typeof text !== 'string') return '';
    if (!tellsSomebody.test(text)) return text.trim().replaceAll(word, (each) => surnames.get(fold(each)) ?? each);
    note('names with an address of mail or six digits, which were replaced');
    return '';
  };
  let nameless = 0;
  const keepName = (text: unknown): string => keep(text) || `Nombre ${++nameless}`;
  const asIs = (value: unknown) => value;
  const walk = (list: unknown) => [list].flat().map(clean);
  const { street = '', number = '' } = inventor.invent().address;
  /** What becomes of each field; one that is not here stays in the house. */
  const rules: Readonly<Record<string, (value: unknown) => unknown>> = {
    ...{ id: toId, serviceId: toId, locationId: toId, practitionerId: (id) => standIns.get(String(id))?.id ?? '' },
    ...{ name: keepName, title: keepName, label: keepName, tooltip: keep, specialty: keep },
    ...{ city: keep, state: keep, country: keep, validationRegex: (text) => keep(text) && text },
    ...{ type: asIs, active: asIs, available: asIs, appointmentRequired: asIs, requiresAuthorization: asIs },
    ...{ minAge: asIs, maxAge: asIs, sex: asIs, plans: walk, fields: walk, services: walk },
    // Nobody is reached there, and nobody's home is.
    ...{ email: (text) => text && 'nobody@example.org', phone: (text) => text && telephone },
    phones: (list) => walk(list).map(() => ({ type: 'phone', value: telephone })),
    address: (address) => (typeof address === 'string' ? `${street} ${number}` : { ...clean(address), street, number }),
  };
  const clean = (record: unknown): object => {
    const fields = Object.entries(Object(record)).filter(([name]) => Object.hasOwn(rules, name));
    return Object.fromEntries(fields.map(([name, value]) => [name, rules[name]!(value)]));
  };
  const asStaff = (each: { readonly id: string }) => ({ ...clean(each), ...standIns.get(each.id) });
  const parts = {
    practitioners: staff.map(asStaff),
    locations: places.map(clean),
    services: services.map((each) => clean({ ...each, sex: sexes[each.sexId ?? 0] ?? null })),
    carriers: carriers.map((each) => ({ ...clean({ ...each, plans: plans.get(each.id) }), owners: ['institution'] })),
    ticketTypes: ticketTypes.map(clean),
    changeReasons: reasons.map(clean),
    directory: directory.map(({ location, providers }) => ({
      location: clean(location),
      providers: providers.map((each) => (isPractitioner(each) ? asStaff(each) : clean(each))),
    })),
  };
  const [treats, hasPlace] = [new Set(staff.map(({ id }) => id)), new Set(places.map(({ id }) => id))];
  const known = slots.filter((each) => treats.has(each.practitionerId) && hasPlace.has(each.locationId));
  note('free slots of a practitioner, or at a place, that no list has', slots.length - known.length);
  const codes = services.filter(({ sexId }) => sexId !== null && !(sexId in sexes));
  note('services for one sex by a code that is neither 1 nor 2, which are for everybody here', codes.length);
  const { agendas, taken } = deriveAgendas(known, note);
  const schedules = agendas.map((each) => ({ ...each, ...clean(each), id: each.id }));
  const lines = [...notes].map(([what, count]) => (count > 1 ? `${what}, ${count} times` : what));
  return { parts: { ...parts, schedules }, taken, notes: lines };
}

const isPractitioner = ({ type }: DirectoryProvider): boolean => type === 'practitioner';

/** So many minutes without a free slot are a pause; fewer are taken. */
const PAUSE = 60;

/** The weekly agendas in which these slots are free, and which share of each is not. */
function deriveAgendas(slots: readonly Slot[], note: (what: string, count: number) => void) {
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
