import type { Request, Response } from '../../contract/subject.ts';

/** An appointment that a case booked. */
export interface BookedAppointment {
  readonly patientId: string;
  readonly id: string;
}

/** A relative that a case added. */
export interface AddedRelative {
  readonly patientId: string;
  readonly relatedPatientId: string;
}

/** What the API creates and cannot take back. */
export const lasting = ['patients', 'tickets', 'coverages', 'change requests'] as const;
export type Lasting = (typeof lasting)[number];

const routes: Readonly<Record<string, Lasting>> = {
  'POST /patients/': 'patients',
  'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket': 'tickets',
  'POST /v1/coverages': 'coverages',
  'POST /patients/{id}/practitioner/change_request': 'change requests',
};

const methods: Readonly<Record<string, Lasting>> = {
  'patients.register': 'patients',
  'tickets.open': 'tickets',
  'insurance.create': 'coverages',
  'practitioners.requestChange': 'change requests',
};

/** What cases left at an institution, as far as its answers tell. */
export class Traces {
  readonly #appointments = new Map<string, BookedAppointment>();
  readonly #relatives = new Map<string, AddedRelative>();
  readonly counts: Record<Lasting, number> = { patients: 0, tickets: 0, coverages: 0, 'change requests': 0 };
  /** Writes whose outcome is unknown, because no answer came. */
  lost = 0;

  /** Booked and not canceled again. */
  get appointments(): readonly BookedAppointment[] {
    return [...this.#appointments.values()];
  }

  /** Added, and perhaps removed again. */
  get relatives(): readonly AddedRelative[] {
    return [...this.#relatives.values()];
  }

  addLost(): void {
    this.lost++;
  }

  /** Notes what a request created, from its answer. */
  addAnswer({ route, params = {}, body }: Request, { status, headers, body: answer }: Response): void {
    if (status < 200 || status > 299) return;
    const kind = routes[route];
    if (kind) this.counts[kind]++;
    const patientId = params.id ?? '';
    if (route === 'POST /patients/{id}/appointments') {
      this.#book(patientId, decodeURIComponent(headers.location?.split('/').at(-1) ?? ''));
    } else if (route === 'POST /v1/appointments') {
      this.#book(getText(body, 'patientId'), getText(getField(answer, 'model'), 'id'));
    } else if (route === 'PUT /patients/{id}/appointments/{appointment_id}') {
      this.#appointments.delete(params.appointment_id ?? '');
    } else if (route === 'POST /patients/{id}/family_group') {
      this.#relate(patientId, getText(body, 'related_patient_id'));
    }
  }

  /** Notes what a call of a port created. */
  addCall(name: string, given: readonly unknown[], returned: unknown): void {
    const kind = methods[name];
    if (kind) this.counts[kind]++;
    const [patientId, second] = given;
    if (name === 'appointments.book') this.#book(String(patientId), getText(returned, 'id'));
    else if (name === 'appointments.cancel') this.#appointments.delete(String(second));
    else if (name === 'family-groups.add') this.#relate(String(patientId), getText(second, 'relatedPatientId'));
  }

  #book(patientId: string, id: string): void {
    if (patientId !== '' && id !== '') this.#appointments.set(id, { patientId, id });
  }

  #relate(patientId: string, relatedPatientId: string): void {
    this.#relatives.set(`${patientId} ${relatedPatientId}`, { patientId, relatedPatientId });
  }
}

/** The value at that key of an object; undefined for everything else. */
export const getField = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

/** The same, where it is text; otherwise an empty text. */
export const getText = (value: unknown, key: string): string => {
  const found = getField(value, key);
  return typeof found === 'string' ? found : '';
};
