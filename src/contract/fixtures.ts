/**
 * A record as the API shows it, which somebody has confirmed by another way than the API: some of its fields, and of `date` the
 * end where the day changes. Appointments and coverages say whose they are in `patient_id`.
 */
export type ConfirmedRecord = { readonly id: string } & Readonly<Record<string, unknown>>;

/** The kinds of records of which fixtures may say what they hold. */
export type RecordKind = 'patients' | 'practitioners' | 'services' | 'appointments' | 'coverages' | 'places';

/**
 * What the cases may need to find at an institution. Every value is an id there unless its name says otherwise. Cases name
 * nothing but these, so they also run against an institution with other data. What of it must be there,
 * `promisedFixtures` says for each capability.
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
  /** What some records say. Without them nothing tells a name, a time or a status that is wrong in every answer. */
  readonly records: { readonly [K in RecordKind]: readonly ConfirmedRecord[] };
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
  records: {
    patients: [
      {
        id: 'ana',
        name: 'Ana',
        last_name: 'Ferreyra',
        gender: 'Female',
        birth_date: '1985-11-30',
        identifier: 31465466,
        medical_record_id: 'HC-000001',
        phone: '+54 9 11 5555-0101',
        email: 'ana.ferreyra@example.org',
      },
      { id: 'dario', name: 'Darío', identifier_type: 'Passport', identifier: 'AAB123456' },
    ],
    practitioners: [{ id: 'paz', name: 'Dra. Julia Paz', specialty: 'Clínica médica' }],
    services: [{ id: 'consulta-clinica', name: 'Consulta de clínica médica', appointment_required: true, min_age: 16 }],
    appointments: [
      {
        patient_id: 'ana',
        id: 'turno-ana-3',
        date: 'T07:30:00',
        status: 'active',
        modality: 'in-person',
        payments: {},
        practitioner: { name: 'Bioq. Verónica Molina' },
        health_insurances: { carrier: 'OSDE', plan: '210', credential_number: '61248830501' },
      },
      { patient_id: 'julieta-benedetti', id: 'turno-julieta-benedetti-1', date: 'T15:40:00', modality: 'virtual' },
      { patient_id: 'raul-escudero', id: 'turno-raul-escudero-1', payments: { status: 'paid' } },
      { patient_id: 'ramona-caceres', id: 'turno-ramona-caceres-1', payments: { status: 'pending' } },
    ],
    coverages: [
      { patient_id: 'ana', id: 'ana-osde', carrier: 'OSDE', plan: '210', active: 'true' },
      { patient_id: 'ana', id: 'ana-swiss', carrier: 'Swiss Medical', plan: 'SMG20', active: 'false' },
    ],
    places: [
      {
        id: 'dir-farmacia-caballito',
        name: 'Farmacia Nueva Primera Junta',
        latitude: '-34.6204',
        longitude: '-58.4417',
      },
    ],
  },
};

/** What a system may refuse by a rule of its own although the API allows it, as a reason for not asking. */
export const rules = {
  'one-appointment-at-a-time': 'a patient has no two appointments at one time there',
  'one-document-per-person': 'a person has one document there',
  'one-practitioner': 'an appointment has one practitioner there',
  'one-slot': 'an appointment takes one slot there',
  'free-slots-alone': 'it lists free slots alone, which tell no time that is taken from one that never was',
  'search-by-document': 'people are found by their documents alone there',
  'fewer-patient-fields': 'it keeps less of a patient there than the API shows',
  'iso-8859-1': 'its texts are in ISO-8859-1',
  'upper-case': 'its names are in upper case',
  'phone-required': 'nobody is registered without a telephone there',
  'digits-only-phones': 'its telephones are digits alone',
  'days-between-bookings': 'days lie between two appointments of a patient there',
  'lead-time': 'nothing can be booked for the coming days there',
  'one-coverage': 'a patient has one coverage there',
  'no-canceling': 'patients cancel nothing there',
} as const satisfies Readonly<Record<string, string>>;

export type Rule = keyof typeof rules;

/** Every rule that a system can name. */
export const ruleNames = Object.keys(rules) as readonly Rule[];
