import type { Response } from '../../src/contract/index.ts';
import type { SlotB } from '../../src/contract/resources.ts';
import type { KeyedRequest } from './side.ts';

/** What a patient's own answer says, as far as other requests need it. */
export interface Person {
  readonly id: string;
  readonly birth_date: string;
  readonly gender: string;
  readonly identifier_type: string;
  readonly identifier: number | string;
  readonly medical_record_id: string;
}

interface Owned {
  readonly id: string;
  readonly patientId: string;
}

export interface KnownCoverage extends Owned {
  readonly credential: string;
}

export interface KnownAppointment extends Owned {
  /** Local, `YYYY-MM-DDThh:mm:ss`. */
  readonly date: string;
  readonly status: string;
  readonly services: readonly string[];
}

/** What never changes: ids, and the types of tickets with their fields. */
export interface Directory {
  readonly services: readonly string[];
  readonly practitioners: readonly string[];
  readonly locations: readonly string[];
  readonly plans: readonly string[];
  /** Ids and names. */
  readonly carriers: readonly string[];
  readonly owners: readonly string[];
  readonly reasons: readonly string[];
  readonly ticketTypes: readonly {
    readonly id: string;
    readonly fields: readonly { readonly id: string; readonly type: string }[];
  }[];
}

/** What a step asks, and what it looks at afterwards. */
export interface Move {
  readonly request: KeyedRequest;
  /** Everything that the request may have changed. */
  readonly views?: (known: Knowledge) => readonly KeyedRequest[];
}

/** What the caller of the API has read so far, in the ids of the FHIR server. Requests are made of it. */
export class Knowledge {
  readonly directory: Directory;
  /** Nothing more can be compared. */
  isOver = false;
  readonly people = new Map<string, Person>();
  readonly coverages = new Map<string, KnownCoverage>();
  readonly appointments = new Map<string, KnownAppointment>();
  readonly members = new Map<string, Owned>();
  readonly slots = new Map<string, SlotB>();
  /** Slots that somebody tried to book. */
  readonly wanted = new Map<string, SlotB>();

  /** The last request that carried an `Idempotency-Key`. */
  keyed: Move | undefined;

  constructor(directory: Directory) {
    this.directory = directory;
  }

  copy(): Knowledge {
    const copy = new Knowledge(this.directory);
    for (const [id, person] of this.people) copy.people.set(id, person);
    for (const [id, coverage] of this.coverages) copy.coverages.set(id, coverage);
    for (const [id, appointment] of this.appointments) copy.appointments.set(id, appointment);
    for (const [id, member] of this.members) copy.members.set(id, member);
    for (const [id, slot] of this.slots) copy.slots.set(id, slot);
    return copy;
  }

  /** Remembers what the answer shows. */
  learn({ route, params = {} }: KeyedRequest, { status, body }: Response): void {
    const read = readers[route];
    if (status < 300 && read) read(this, body, params.id ?? '');
  }
}

type Reader = (known: Knowledge, body: unknown, patientId: string) => void;

const rememberPerson: Reader = ({ people }, body) => {
  const person = body as Person;
  people.set(person.id, person);
};

/** What is read of the answers, by route. */
const readers: Readonly<Record<string, Reader>> = {
  'GET /patients/{id}': rememberPerson,
  'POST /patients/': rememberPerson,
  'GET /patients/{id}/appointments': ({ appointments }, body, patientId) => {
    for (const row of (body as { appointments: readonly AppointmentRow[] }).appointments) {
      const { id, date, status, healht_care_service: services } = row;
      appointments.set(id, { id, patientId, date, status, services: services.map((each) => each.id) });
    }
  },
  'GET /patients/{id}/health_insurances': ({ coverages }, body, patientId) => {
    const rows = (body as { health_insurances: readonly CoverageRow[] }).health_insurances;
    for (const { id, credential_number: credential } of rows) coverages.set(id, { id, patientId, credential });
  },
  'GET /patients/{id}/family_group': ({ members }, body, patientId) => {
    for (const { id } of (body as { family_group: readonly Row[] }).family_group) members.set(id, { id, patientId });
  },
  'POST /v1/available-slots': ({ slots }, body) => {
    for (const slot of (body as { data: readonly SlotB[] }).data) slots.set(slot.appointmentId, slot);
  },
};

interface Row {
  readonly id: string;
}

interface CoverageRow extends Row {
  readonly credential_number: string;
}

interface AppointmentRow extends Row {
  readonly date: string;
  readonly status: string;
  readonly healht_care_service: readonly Row[];
}
