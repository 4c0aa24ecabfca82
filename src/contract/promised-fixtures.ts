import type { Capability } from '../ports/index.ts';
import type { Fixtures } from './fixtures.ts';

/** What every institution names. */
type Common = 'timeZone' | 'locale' | 'unknown' | 'rules';
type Group = 'patients' | 'coverages' | 'plans' | 'carriers' | 'services' | 'practitioners' | 'locations';

/** One fixture that an institution may leave out, e.g. `passport` or `patients.bare`. */
export type FixtureName = {
  [K in Exclude<keyof Fixtures, Common>]: K extends Group ? `${K}.${keyof Fixtures[K] & string}` : K;
}[Exclude<keyof Fixtures, Common>];

/** The fixtures of an institution that does not offer everything. */
export type PartialFixtures = Pick<Fixtures, Common> & {
  readonly [K in Exclude<keyof Fixtures, Common>]?: K extends Group ? Partial<Fixtures[K]> : Fixtures[K];
};

/** Fixtures with at least these. */
export type FixturesWith<N extends FixtureName> = Pick<Fixtures, Common | Extract<N, keyof Fixtures>> & {
  readonly [G in GroupOf<N>]: Pick<Fixtures[G], MemberOf<N, G>>;
};
type GroupOf<N> = N extends `${infer G extends Group}.${string}` ? G : never;
type MemberOf<N, G extends Group> = N extends `${G}.${infer M}` ? M & keyof Fixtures[G] : never;

/** The fixtures that an institution names when it offers these capabilities. */
export type PromisedBy<C extends Capability> = (typeof promisedFixtures)[C][number];

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
export const promisedFixtures = {
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
} as const satisfies Readonly<Record<Capability, readonly FixtureName[]>>;

/** What of these the fixtures do not name. */
export const listMissing = (fixtures: PartialFixtures, names: readonly FixtureName[]): FixtureName[] =>
  names.filter((name) => {
    const [group, member] = name.split('.');
    if (member === undefined) return !Reflect.has(fixtures, name);
    return !Reflect.has(Object(Reflect.get(fixtures, group ?? name)), member);
  });
