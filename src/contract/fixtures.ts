import type { Rule } from './rules.ts';

/**
 * What the cases may need to find at an institution. Every value is an id there unless its name says otherwise. Cases name
 * nothing but these, so they also run against an institution with other data. What of it must be there,
 * `promised-fixtures.ts` says for each capability.
 */
export interface Fixtures {
  /** IANA name of the institution's time zone. */
  readonly timeZone: string;
  /** Language of the institution, e.g. `es-AR`. */
  readonly locale: string;
  /** How many days ahead slots are offered. */
  readonly bookingHorizonDays: number;
  /** How many hours before its start an appointment can be canceled at the latest. Optional: not everybody has such a rule. */
  readonly cancelUntilHours: number;
  readonly patients: {
    /**
     * A woman of age with main practitioner, change request, ticket with the status `completed`, appointments, coverages
     * and relatives, as far as the institution offers these. Appointments are past, canceled, and far enough ahead to be
     * canceled.
     */
    readonly complete: string;
    /** A man of age without main practitioner, change request, ticket, appointment and relatives. */
    readonly bare: string;
    /** Too young for `services.bookable`. */
    readonly child: string;
    readonly passportHolder: string;
    /** Has an appointment with a payment. Optional: not every institution is paid online. */
    readonly payer: string;
    /**
     * People of age for whom the cases write, in turn, where the institution registers nobody: at least three, without
     * request for a change, and not related. Cases of one subject go through all of them before one comes again.
     */
    readonly spare?: readonly string[];
  };
  /** Who `patients.complete` is. */
  readonly identity: {
    readonly identifierType: 'DNI';
    readonly identifier: number;
    /** `YYYY-MM-DD` */
    readonly birthDate: string;
    readonly gender: 'Male' | 'Female' | 'Other';
  };
  /** The number of the passport of `patients.passportHolder`, with letters. */
  readonly passport: string;
  readonly coverages: {
    /** Of `patients.complete`. */
    readonly active: string;
    /** Of `patients.complete`. */
    readonly inactive: string;
    readonly ofBare: string;
    readonly ofChild: string;
  };
  readonly plans: {
    /** `services.bookable` and `services.restricted` accept it. */
    readonly accepted: string;
    /** As `accepted`. */
    readonly another: string;
    /** `services.restricted` does not accept it. */
    readonly refused: string;
    /** No longer sold. */
    readonly withdrawn: string;
  };
  readonly carriers: {
    readonly withPlans: { readonly id: string; readonly name: string };
    readonly withoutPlans: string;
  };
  /** An institution that has contracts with some carriers, but not with all. */
  readonly owner: string;
  readonly services: {
    /** A consultation for adults and every plan, with free slots at two locations in the coming two to four weeks. */
    readonly bookable: string;
    /** Has free slots in the coming weeks at the same times as `bookable`, with `practitioners.second`. */
    readonly second: string;
    readonly virtual: string;
    readonly womenOnly: string;
    readonly childrenOnly: string;
    /**
     * A `PRACTICA` for some plans only, which needs an authorisation, and free slots. Optional: where nobody is insured,
     * there is none.
     */
    readonly restricted: string;
    /** A service for everybody that needs no appointment. */
    readonly walkIn: string;
    /** No longer offered. */
    readonly inactive: string;
    /** What `patients.complete` booked in the last 24 months, most often first, each a different number of times. */
    readonly frequent: readonly [string, string];
  };
  readonly practitioners: {
    /** Gives `services.bookable` and `services.virtual`. */
    readonly bookable: string;
    /** Gives `services.second`, and not `services.bookable`. */
    readonly second: string;
  };
  /** Where `services.bookable` is given. `services.second` is given at `first`. */
  readonly locations: { readonly first: string; readonly another: string };
  readonly ticketType: {
    readonly id: string;
    /** A field whose regular expression takes `fits` and not `misfit`. */
    readonly checked: { readonly id: string; readonly fits: string; readonly misfit: string };
    /** A field of type `date`. */
    readonly date: string;
  };
  /** A type with one field of each of these types; `number` takes 3. */
  readonly typedTicketType: {
    readonly id: string;
    readonly file: string;
    readonly number: string;
    readonly boolean: string;
  };
  readonly inactiveTicketType: string;
  readonly changeReason: string;
  /** An id that nothing has. */
  readonly unknown: string;
  /** What the system refuses by rules of its own; no case asks for it. */
  readonly rules?: readonly Rule[];
}

/** The fixtures of the sandbox hospital. */
export const sandbox: Fixtures = {
  timeZone: 'America/Argentina/Buenos_Aires',
  locale: 'es-AR',
  bookingHorizonDays: 60,
  cancelUntilHours: 24,
  patients: {
    complete: 'ana',
    bare: 'bruno',
    child: 'camila',
    passportHolder: 'dario',
    payer: 'raul-escudero',
    spare: ['sofia-bustamante', 'alicia-funes', 'emma-larsson', 'claudia-zapata'],
  },
  identity: { identifierType: 'DNI', identifier: 31465466, birthDate: '1985-11-30', gender: 'Female' },
  passport: 'AAB123456',
  coverages: { active: 'ana-osde', inactive: 'ana-swiss', ofBare: 'bruno-osde', ofChild: 'camila-osde' },
  plans: { accepted: 'osde-210', another: 'osde-310', refused: 'pami-general', withdrawn: 'swiss-smg02' },
  carriers: { withPlans: { id: 'osde', name: 'OSDE' }, withoutPlans: 'particulares' },
  owner: 'sanatorio-del-puente',
  services: {
    bookable: 'consulta-clinica',
    second: 'consulta-cardiologia',
    virtual: 'teleconsulta-clinica',
    womenOnly: 'consulta-ginecologia',
    childrenOnly: 'consulta-pediatria',
    restricted: 'ecografia-abdominal',
    walkIn: 'laboratorio',
    inactive: 'densitometria',
    frequent: ['consulta-clinica', 'laboratorio'],
  },
  practitioners: { bookable: 'paz', second: 'vidal' },
  locations: { first: 'central', another: 'norte' },
  ticketType: {
    id: 'receta',
    checked: { id: 'medicamento', fits: 'Ibuprofeno 400 mg', misfit: '$%&!' },
    date: 'fecha',
  },
  typedTicketType: { id: 'autorizacion', file: 'orden', number: 'cantidad', boolean: 'urgente' },
  inactiveTicketType: 'encuesta',
  changeReason: 'mudanza',
  unknown: 'no-such-id',
};
