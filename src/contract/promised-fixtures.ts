import type { Capability } from '../ports/index.ts';
import type { Fixtures } from './fixtures.ts';
import { Skipped } from './skipped.ts';

/** What every institution names. */
type Common = 'timeZone' | 'locale' | 'unknown' | 'rules';
type Group = 'patients' | 'coverages' | 'plans' | 'carriers' | 'services' | 'practitioners' | 'locations' | 'records';

/** One fixture that an institution may leave out, e.g. `passport` or `patients.bare`. */
export type FixtureName = {
  [K in Exclude<keyof Fixtures, Common>]: K extends Group ? `${K}.${keyof Fixtures[K] & string}` : K;
}[Exclude<keyof Fixtures, Common>];

/** The fixtures of an institution that does not offer everything. */
export type PartialFixtures = Pick<Fixtures, Common> & {
  readonly [K in Exclude<keyof Fixtures, Common>]?: K extends Group ? Partial<Fixtures[K]> : Fixtures[K];
};

const bookable = [
  'services.bookable',
  'services.second',
  'services.womenOnly',
  'services.inactive',
  'practitioners.bookable',
  'practitioners.second',
  'locations.first',
  'locations.another',
] as const;
const services = [
  'services.bookable',
  'services.womenOnly',
  'services.childrenOnly',
  'services.walkIn',
  'services.inactive',
  'practitioners.bookable',
] as const;

/**
 * The fixtures that each capability promises: who offers it names them. A fixture that stands nowhere here is optional, and
 * a case that needs it says so itself.
 */
export const promisedFixtures: Readonly<Record<Capability, readonly FixtureName[]>> = {
  'patients.search': ['identity', 'passport', 'patients.complete', 'patients.passportHolder'],
  'patients.get': ['patients.complete'],
  'patients.register': [],
  'patients.update': [],
  'tickets.types': ['ticketType', 'inactiveTicketType'],
  'tickets.type': ['ticketType'],
  'tickets.list': ['patients.complete', 'patients.bare', 'ticketType'],
  'tickets.open': ['ticketType', 'typedTicketType', 'inactiveTicketType'],
  'appointments.list': ['patients.complete', 'patients.bare'],
  'appointments.slots': [
    ...bookable,
    'services.childrenOnly',
    'services.virtual',
    'patients.complete',
    'patients.bare',
    'patients.child',
    'bookingHorizonDays',
  ],
  'appointments.book': [...bookable, 'patients.bare', 'patients.child'],
  'appointments.cancel': ['patients.complete'],
  'insurance.carriers': ['carriers.withPlans', 'owner'],
  'insurance.plans': ['carriers.withPlans', 'carriers.withoutPlans', 'plans.accepted'],
  'insurance.coverages': [
    'patients.complete',
    'patients.bare',
    'coverages.active',
    'coverages.inactive',
    'coverages.ofBare',
    'coverages.ofChild',
  ],
  'insurance.create': ['carriers.withPlans', 'plans.accepted', 'plans.another', 'plans.refused', 'plans.withdrawn'],
  'insurance.edit': ['plans.accepted', 'plans.another', 'plans.withdrawn'],
  'practitioners.list': ['practitioners.bookable', 'practitioners.second'],
  'practitioners.mainOf': ['patients.complete', 'patients.bare'],
  'practitioners.changeReasons': ['changeReason'],
  'practitioners.requestChange': ['changeReason', 'practitioners.second'],
  'practitioners.changeRequestOf': ['patients.complete'],
  'care-services.available': [...services, 'patients.complete', 'patients.bare', 'patients.child'],
  'care-services.frequent': ['services.bookable', 'services.frequent', 'patients.complete', 'patients.bare'],
  'family-groups.list': ['patients.complete', 'patients.bare'],
  'family-groups.add': [],
  'family-groups.remove': ['patients.complete'],
  'directory.locations': ['locations.first', 'locations.another'],
  'directory.entries': [],
};

const promised = new Set<string>(Object.values(promisedFixtures).flat());
const groups = new Set([...promised].filter((name) => name.includes('.')).map((name) => name.split('.')[0]));

function watch(values: object, prefix: string): object {
  const inner = new Map<PropertyKey, object>();
  return new Proxy(inner, {
    has: (_, key) => Reflect.has(values, key),
    get: (_, key) => {
      const name = `${prefix}${String(key)}`;
      if (groups.has(name)) {
        const group = inner.get(key) ?? watch(Object(Reflect.get(values, key)), `${name}.`);
        inner.set(key, group);
        return group;
      }
      if (promised.has(name) && !Reflect.has(values, key)) throw new Skipped(`the fixtures name no ${name}`);
      return Reflect.get(values, key);
    },
  });
}

const watched = new WeakMap<PartialFixtures, Fixtures>();

/**
 * The same fixtures, for cases: one that reads what a capability promises, and nobody names, is skipped. They are one object for
 * one, by which the cases remember which of `patients.spare` they took.
 */
export function watchFixtures(named: PartialFixtures): Fixtures {
  const made = watched.get(named) ?? (watch(named, '') as Fixtures);
  watched.set(named, made);
  return made;
}

/** What of these the fixtures do not name. */
export const listMissing = (fixtures: PartialFixtures, names: readonly FixtureName[]): FixtureName[] =>
  names.filter((name) => {
    const [group, member] = name.split('.');
    if (member === undefined) return !Reflect.has(fixtures, name);
    return !Reflect.has(Object(Reflect.get(fixtures, group ?? name)), member);
  });
