import { join } from 'node:path';
import { z } from 'zod';
import { packageRoot } from '../toolkit/package.ts';
import { timeZone } from '../toolkit/time-zone.ts';
import { YamlFile } from '../toolkit/yaml-file.ts';
import { describeFields, fixturesSchema, text } from './fixture-schema.ts';

export type { ConfirmedRecord, RecordKind } from './fixture-schema.ts';

/**
 * Rules by which a system may refuse a request that the API allows. The text of each is the reason of a skipped case.
 */
export const rules = {
  'one-appointment-at-a-time': 'a patient cannot have two appointments at one time',
  'one-document-per-person': 'a person has only one identity document',
  'one-practitioner': 'an appointment has only one practitioner',
  'one-slot': 'an appointment takes only one slot',
  'free-slots-alone': 'the system lists only free slots, so a taken time looks like one that was never offered',
  'search-by-document': 'patients are found only by their identity documents',
  'fewer-patient-fields': 'the system stores fewer fields of a patient than the API has',
  'iso-8859-1': 'the system stores texts in ISO-8859-1',
  spelling: 'the system has its own spelling of names, such as upper case',
  'phone-required': 'a registration requires a telephone',
  'digits-only-phones': 'telephone numbers have only digits',
  'days-between-bookings': 'some days must lie between two appointments of a patient',
  'one-coverage': 'a patient has only one coverage',
  'no-canceling': 'patients cannot cancel appointments',
  'own-clock': 'the system sets the time of a ticket by its own clock',
  'whole-seconds': 'times have whole seconds',
  'verified-later':
    'a new patient is inactive until the front desk verifies the data: the contract writes for patients.spare',
  'tickets-for-insured': 'only insured patients file tickets',
} as const satisfies Readonly<Record<string, string>>;

export type Rule = keyof typeof rules;

/** Every rule that a system can name. */
export const ruleNames = Object.keys(rules) as readonly Rule[];

/** The settings that every institution requires, and its fixtures. */
export const institutionSchema = z.strictObject({
  timeZone,
  locale: text,
  unknown: text,
  rules: z.array(z.enum(ruleNames)).exactOptional(),
  lag: z.int().min(1).max(60_000).exactOptional(),
  ...fixturesSchema.shape,
});

/** Every optional fixture with its description, in the order of a map. */
export const describedFixtures = new Map(describeFields(fixturesSchema)) as ReadonlyMap<FixtureName, z.core.GlobalMeta>;

/** The fixtures that are in sections. */
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

/** The settings that every institution requires. */
interface Common {
  /** IANA name of the institution's time zone. */
  readonly timeZone: string;
  /** Language of the institution, e.g. `es-AR`. */
  readonly locale: string;
  /** An id that no record has. */
  readonly unknown: string;
  /** The system's own rules. Cases send no request that one of them refuses. */
  readonly rules?: readonly Rule[];
  /** The milliseconds until reads show a write. Default: 0. A case waits this long after each write. */
  readonly lag?: number;
}

type Checked = Required<z.infer<typeof fixturesSchema>>;
type MembersOf<K extends keyof Checked> = Required<Checked[K]>;

/**
 * The fixtures that an institution may name. Every value is an id unless its name shows otherwise. Each sentence is the
 * description in `fixturesSchema`, for the editor.
 */
interface NamedFixtures {
  /** The number of days ahead for which slots are offered. */
  readonly bookingHorizonDays?: Checked['bookingHorizonDays'];
  /** The minimum number of hours before the start for a cancellation. Leave it out if there is no such rule. */
  readonly cancelUntilHours?: Checked['cancelUntilHours'];
  readonly patients?: {
    /**
     * An adult woman with every kind of record: a main practitioner, a request for another one, a ticket with the
     * status completed, coverages and relatives. Her appointments are past, canceled, and far enough ahead to be
     * canceled.
     */
    readonly complete?: MembersOf<'patients'>['complete'];
    /** An adult man without a main practitioner, a request for another one, tickets, appointments or relatives. */
    readonly bare?: MembersOf<'patients'>['bare'];
    /** A patient who is too young for services.bookable. */
    readonly child?: MembersOf<'patients'>['child'];
    /** A patient with a passport as the identifier. */
    readonly passportHolder?: MembersOf<'patients'>['passportHolder'];
    /** A patient with a paid appointment. Leave it out if nobody pays online. */
    readonly payer?: MembersOf<'patients'>['payer'];
    /**
     * Adults for whom the contract may write if the system registers no patients. Name at least three who are not
     * related and have no request for another practitioner.
     */
    readonly spare?: MembersOf<'patients'>['spare'];
    /**
     * A patient with a closed record: deceased, moved away or not in use. Reads work. Bookings and new records are
     * refused.
     */
    readonly closed?: MembersOf<'patients'>['closed'];
    /** A patient with a ticket that was filed late in the evening, so that its day in UTC is another one. */
    readonly lateTicket?: MembersOf<'patients'>['lateTicket'];
    /** A patient whom the system marks as deleted. The API answers 404. */
    readonly removed?: MembersOf<'patients'>['removed'];
  };
  readonly appointments?: {
    /** An appointment of patients.complete that the system marks as deleted. The API does not show it. */
    readonly removed?: MembersOf<'appointments'>['removed'];
    /** A past appointment that patients.complete attended. It can no longer be canceled. */
    readonly attended?: MembersOf<'appointments'>['attended'];
  };
  readonly slots?: {
    /**
     * A blocked time of services.bookable: its practitioner and local start. If it is blocked every day, the time
     * alone, e.g. T12:00:00.
     */
    readonly blocked?: MembersOf<'slots'>['blocked'];
  };
  /** The person of patients.complete. She has no other identity document. */
  readonly identity?: Checked['identity'];
  /** The passport number of patients.passportHolder, with letters. */
  readonly passport?: Checked['passport'];
  readonly coverages?: {
    /** An active coverage of patients.complete. */
    readonly active?: MembersOf<'coverages'>['active'];
    /** A coverage of patients.complete that is no longer active. */
    readonly inactive?: MembersOf<'coverages'>['inactive'];
    /** A coverage of patients.bare. */
    readonly ofBare?: MembersOf<'coverages'>['ofBare'];
    /** A coverage of patients.child. */
    readonly ofChild?: MembersOf<'coverages'>['ofChild'];
  };
  readonly plans?: {
    /** A plan that services.bookable and services.restricted accept. */
    readonly accepted?: MembersOf<'plans'>['accepted'];
    /** Another plan that both services accept. */
    readonly another?: MembersOf<'plans'>['another'];
    /** A plan that services.restricted does not accept. */
    readonly refused?: MembersOf<'plans'>['refused'];
    /** A plan that is no longer sold. */
    readonly withdrawn?: MembersOf<'plans'>['withdrawn'];
  };
  readonly carriers?: {
    /** A carrier with plans: its id and name. */
    readonly withPlans?: MembersOf<'carriers'>['withPlans'];
    /** A carrier without plans. */
    readonly withoutPlans?: MembersOf<'carriers'>['withoutPlans'];
  };
  /** An institution with contracts with some carriers, but not with all. */
  readonly owner?: Checked['owner'];
  readonly services?: {
    /** A consultation for adults and every plan, with free slots at two locations in the next two to four weeks. */
    readonly bookable?: MembersOf<'services'>['bookable'];
    /** A service of practitioners.second with free slots at the same times as services.bookable. */
    readonly second?: MembersOf<'services'>['second'];
    /** A video service of practitioners.bookable. */
    readonly virtual?: MembersOf<'services'>['virtual'];
    /** A service for women, with free slots. */
    readonly womenOnly?: MembersOf<'services'>['womenOnly'];
    /** A service for patients who are too young for services.bookable. */
    readonly childrenOnly?: MembersOf<'services'>['childrenOnly'];
    /**
     * A PRACTICA that accepts only some plans and requires an authorization, with free slots. Leave it out if nobody is
     * insured.
     */
    readonly restricted?: MembersOf<'services'>['restricted'];
    /** A service for everybody that needs no appointment. */
    readonly walkIn?: MembersOf<'services'>['walkIn'];
    /** A service that is no longer offered. The API does not return it. */
    readonly inactive?: MembersOf<'services'>['inactive'];
    /**
     * Two services that patients.complete booked in the last 24 months, the more frequent one first. The numbers of
     * bookings differ.
     */
    readonly frequent?: MembersOf<'services'>['frequent'];
  };
  readonly practitioners?: {
    /** The practitioner of services.bookable and services.virtual. */
    readonly bookable?: MembersOf<'practitioners'>['bookable'];
    /** A practitioner of services.second, but not of services.bookable. */
    readonly second?: MembersOf<'practitioners'>['second'];
  };
  readonly locations?: {
    /** A location of services.bookable and services.second. */
    readonly first?: MembersOf<'locations'>['first'];
    /** Another location of services.bookable. */
    readonly another?: MembersOf<'locations'>['another'];
  };
  /**
   * A ticket type with a text field and a date field. The text field has a pattern: give a text that fits and one that
   * does not.
   */
  readonly ticketType?: Checked['ticketType'];
  /** A ticket type with a field of each of these types. The number field accepts 3. */
  readonly typedTicketType?: Checked['typedTicketType'];
  /** A ticket type that is no longer in use. The API does not return it. */
  readonly inactiveTicketType?: Checked['inactiveTicketType'];
  /** A reason for another main practitioner. */
  readonly changeReason?: Checked['changeReason'];
  readonly records?: {
    /**
     * The records of some patients with the values that the API must return. This draft has the values that the API
     * returns today: look up each in the system itself, and correct the wrong ones.
     */
    readonly patients?: MembersOf<'records'>['patients'];
    /**
     * The same for practitioners. This draft has the values that the API returns today: look up each in the system
     * itself, and correct the wrong ones.
     */
    readonly practitioners?: MembersOf<'records'>['practitioners'];
    /**
     * The same for services. This draft has the values that the API returns today: look up each in the system itself,
     * and correct the wrong ones.
     */
    readonly services?: MembersOf<'records'>['services'];
    /**
     * The same for past appointments. For date, the local time is enough, e.g. T09:30:00. This draft has the values
     * that the API returns today: look up each in the system itself, and correct the wrong ones.
     */
    readonly appointments?: MembersOf<'records'>['appointments'];
    /**
     * The same for coverages, active and inactive. This draft has the values that the API returns today: look up each
     * in the system itself, and correct the wrong ones.
     */
    readonly coverages?: MembersOf<'records'>['coverages'];
    /**
     * The same for places of the medical directory, with latitude and longitude. This draft has the values that the API
     * returns today: look up each in the system itself, and correct the wrong ones.
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
