import { join } from 'node:path';
import { z } from 'zod';
import { packageRoot } from '../toolkit/package.ts';
import { timeZone } from '../toolkit/time-zone.ts';
import { YamlFile } from '../toolkit/yaml-file.ts';
import { describeFields, fixturesSchema, text } from './fixture-schema.ts';

export type { ConfirmedRecord, RecordKind } from './fixture-schema.ts';

/** Rules by which a system may refuse what the API allows, each as the reason of a skipped case. */
export const rules = {
  'one-appointment-at-a-time': 'a patient has no two appointments at one time there',
  'one-document-per-person': 'a person has one document there',
  'one-practitioner': 'an appointment has one practitioner there',
  'one-slot': 'an appointment takes one slot there',
  'free-slots-alone': 'it lists free slots alone, which tell no time that is taken from one that never was',
  'search-by-document': 'people are found by their documents alone there',
  'fewer-patient-fields': 'it keeps less of a patient there than the API shows',
  'iso-8859-1': 'its texts are in ISO-8859-1',
  spelling: 'it writes names in a spelling of its own, such as upper case',
  'phone-required': 'nobody is registered without a telephone there',
  'digits-only-phones': 'its telephones are digits alone',
  'days-between-bookings': 'days lie between two appointments of a patient there',
  'lead-time': 'nothing can be booked for the coming days there',
  'one-coverage': 'a patient has one coverage there',
  'no-canceling': 'patients cancel nothing there',
  'own-clock': 'its tickets have the time of its own clock',
  'whole-seconds': 'its times have whole seconds',
  'verified-later':
    'whom somebody registers is inactive there until the desk has looked: patients.spare are written for',
  'tickets-for-insured': 'only the insured file tickets there',
} as const satisfies Readonly<Record<string, string>>;

export type Rule = keyof typeof rules;

/** Every rule that a system can name. */
export const ruleNames = Object.keys(rules) as readonly Rule[];

/** The settings that every institution names, and its fixtures. */
export const institutionSchema = z.strictObject({
  timeZone,
  locale: text,
  unknown: text,
  rules: z.array(z.enum(ruleNames)).exactOptional(),
  lag: z.int().min(1).max(60_000).exactOptional(),
  ...fixturesSchema.shape,
});

/** Every fixture that may be left out with its description, in the order of a map. */
export const describedFixtures = new Map(describeFields(fixturesSchema)) as ReadonlyMap<FixtureName, z.core.GlobalMeta>;

/** The fixtures that stand in sections. */
type FixtureSection =
  | 'patients'
  | 'appointments'
  | 'slots'
  | 'coverages'
  | 'plans'
  | 'carriers'
  | 'services'
  | 'practitioners'
  | 'locations'
  | 'records';

/** The settings that every institution names. */
interface Common {
  /** IANA name of the institution's time zone. */
  readonly timeZone: string;
  /** Language of the institution, e.g. `es-AR`. */
  readonly locale: string;
  /** An id that nothing has. */
  readonly unknown: string;
  /** The requests that the system refuses by rules of its own; no case sends them. */
  readonly rules?: readonly Rule[];
  /** After how many milliseconds reads show what was written. Default: at once. A case waits so long after each write. */
  readonly lag?: number;
}

type Checked = Required<z.infer<typeof fixturesSchema>>;
type MembersOf<K extends keyof Checked> = Required<Checked[K]>;

/**
 * The fixtures that an institution may name. Every value is an id there unless its name says otherwise. Each sentence is the
 * description in `fixturesSchema`, for the editor.
 */
interface NamedFixtures {
  /** How many days ahead slots are offered. */
  readonly bookingHorizonDays?: Checked['bookingHorizonDays'];
  /**
   * How many hours before its start an appointment can be canceled at the latest. Leave it out where there is no
   * rule.
   */
  readonly cancelUntilHours?: Checked['cancelUntilHours'];
  readonly patients?: {
    /**
     * A woman of age with all that is offered: main practitioner, request for another one, ticket with the status
     * completed, coverages, relatives, and appointments, past, canceled and far enough ahead to be canceled.
     */
    readonly complete?: MembersOf<'patients'>['complete'];
    /** A man of age without main practitioner, request for another one, ticket, appointment and relatives. */
    readonly bare?: MembersOf<'patients'>['bare'];
    /** Too young for services.bookable. */
    readonly child?: MembersOf<'patients'>['child'];
    /** Is identified by a passport. */
    readonly passportHolder?: MembersOf<'patients'>['passportHolder'];
    /** Has an appointment with a payment. Leave it out where nobody pays online. */
    readonly payer?: MembersOf<'patients'>['payer'];
    /**
     * People of age for whom the contract may write where nobody can be registered: at least three, not related,
     * without a request for another practitioner.
     */
    readonly spare?: MembersOf<'patients'>['spare'];
    /**
     * A patient whose record is closed: who died, moved away, or is not in use. Reads work, and nothing can be
     * booked or made.
     */
    readonly closed?: MembersOf<'patients'>['closed'];
    /** Filed a ticket at an hour at which the day in UTC is another one, such as late in the evening. */
    readonly lateTicket?: MembersOf<'patients'>['lateTicket'];
    /** A patient whom the system marks as deleted. The API does not know this patient any more. */
    readonly removed?: MembersOf<'patients'>['removed'];
  };
  readonly appointments?: {
    /** An appointment of patients.complete that the system marks as deleted. The API does not show it. */
    readonly removed?: MembersOf<'appointments'>['removed'];
    /** An appointment of patients.complete that took place. Nobody can cancel it any more. */
    readonly attended?: MembersOf<'appointments'>['attended'];
  };
  readonly slots?: {
    /**
     * A time of services.bookable that the system blocks, by its practitioner and local start; the time of day
     * alone, T12:00:00, where it is blocked on every day.
     */
    readonly blocked?: MembersOf<'slots'>['blocked'];
  };
  /** The person of patients.complete. */
  readonly identity?: Checked['identity'];
  /** The number of the passport of patients.passportHolder, with letters. */
  readonly passport?: Checked['passport'];
  readonly coverages?: {
    /** Of patients.complete. */
    readonly active?: MembersOf<'coverages'>['active'];
    /** Of patients.complete. */
    readonly inactive?: MembersOf<'coverages'>['inactive'];
    /** Of patients.bare. */
    readonly ofBare?: MembersOf<'coverages'>['ofBare'];
    /** Of patients.child. */
    readonly ofChild?: MembersOf<'coverages'>['ofChild'];
  };
  readonly plans?: {
    /** A plan that services.bookable and services.restricted accept. */
    readonly accepted?: MembersOf<'plans'>['accepted'];
    /** Another such plan. */
    readonly another?: MembersOf<'plans'>['another'];
    /** A plan that services.restricted does not accept. */
    readonly refused?: MembersOf<'plans'>['refused'];
    /** A plan that is no longer sold. */
    readonly withdrawn?: MembersOf<'plans'>['withdrawn'];
  };
  readonly carriers?: {
    /** A carrier with plans, and its name. */
    readonly withPlans?: MembersOf<'carriers'>['withPlans'];
    /** A carrier that has no plan. */
    readonly withoutPlans?: MembersOf<'carriers'>['withoutPlans'];
  };
  /** An institution that has contracts with some carriers, but not with all. */
  readonly owner?: Checked['owner'];
  readonly services?: {
    /** A consultation for adults and every plan, with free slots at two locations in the coming two to four weeks. */
    readonly bookable?: MembersOf<'services'>['bookable'];
    /** Has free slots at the same times as services.bookable, with practitioners.second. */
    readonly second?: MembersOf<'services'>['second'];
    /** Is given over video, by practitioners.bookable. */
    readonly virtual?: MembersOf<'services'>['virtual'];
    /** A service for women, with free slots. */
    readonly womenOnly?: MembersOf<'services'>['womenOnly'];
    /** A service for those who are too young for services.bookable. */
    readonly childrenOnly?: MembersOf<'services'>['childrenOnly'];
    /**
     * A PRACTICA for some plans only, which needs an authorisation, with free slots. Leave it out where nobody is
     * insured.
     */
    readonly restricted?: MembersOf<'services'>['restricted'];
    /** A service for everybody that needs no appointment. */
    readonly walkIn?: MembersOf<'services'>['walkIn'];
    /** A service that is no longer offered. The API does not show it. */
    readonly inactive?: MembersOf<'services'>['inactive'];
    /**
     * Two services that patients.complete booked in the last 24 months, most often first, each a different number of
     * times.
     */
    readonly frequent?: MembersOf<'services'>['frequent'];
  };
  readonly practitioners?: {
    /** Gives services.bookable and services.virtual. */
    readonly bookable?: MembersOf<'practitioners'>['bookable'];
    /** Gives services.second, and not services.bookable. */
    readonly second?: MembersOf<'practitioners'>['second'];
  };
  readonly locations?: {
    /** Where services.bookable and services.second are given. */
    readonly first?: MembersOf<'locations'>['first'];
    /** Where services.bookable is given too. */
    readonly another?: MembersOf<'locations'>['another'];
  };
  /** A type of ticket, a field whose pattern takes one text and not another, and a field for a date. */
  readonly ticketType?: Checked['ticketType'];
  /** A type of ticket with a field of each of these types; the number can be 3. */
  readonly typedTicketType?: Checked['typedTicketType'];
  /** A type that takes no tickets any more. The API does not show it. */
  readonly inactiveTicketType?: Checked['inactiveTicketType'];
  /** A reason to ask for another main practitioner. */
  readonly changeReason?: Checked['changeReason'];
  readonly records?: {
    /**
     * The records of some patients as the API has to show them. Drafted from what it shows today: look each up in the system
     * itself, and correct what is wrong.
     */
    readonly patients?: MembersOf<'records'>['patients'];
    /**
     * The same of practitioners. Drafted from what it shows today: look each up in the system itself, and correct
     * what is wrong.
     */
    readonly practitioners?: MembersOf<'records'>['practitioners'];
    /**
     * The same of services. Drafted from what it shows today: look each up in the system itself, and correct what is
     * wrong.
     */
    readonly services?: MembersOf<'records'>['services'];
    /**
     * The same of appointments that are past; of date the local time alone will do, T09:30:00. Drafted from what it
     * shows today: look each up in the system itself, and correct what is wrong.
     */
    readonly appointments?: MembersOf<'records'>['appointments'];
    /**
     * The same of coverages, active and inactive. Drafted from what it shows today: look each up in the system
     * itself, and correct what is wrong.
     */
    readonly coverages?: MembersOf<'records'>['coverages'];
    /**
     * The same of places of the medical directory, with latitude and longitude. Drafted from what it shows today:
     * look each up in the system itself, and correct what is wrong.
     */
    readonly places?: MembersOf<'records'>['places'];
  };
}

/** The fixtures of an institution that does not offer everything. */
export type PartialFixtures = Common & NamedFixtures;

/** The fixtures of an institution that offers everything. */
export type Fixtures = Common & {
  readonly [K in keyof NamedFixtures]-?: K extends FixtureSection
    ? Required<Readonly<NonNullable<NamedFixtures[K]>>>
    : NonNullable<NamedFixtures[K]>;
};

/** One fixture that an institution may leave out, e.g. `passport` or `patients.bare`. */
export type FixtureName = {
  [K in keyof NamedFixtures]-?: K extends FixtureSection ? `${K}.${keyof NonNullable<NamedFixtures[K]> & string}` : K;
}[keyof NamedFixtures];

/** The fixtures of the sandbox hospital. */
export const sandbox = new YamlFile(join(packageRoot, 'config/sandbox-contract.yaml')).toJS() as unknown as Fixtures;
