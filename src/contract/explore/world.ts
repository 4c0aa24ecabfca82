import type { Capability } from '../../ports/index.ts';
import { createDni, createPerson } from '../arrange.ts';
import type { SlotB } from '../queries.ts';
import type { Response } from '../subject.ts';
import { expectPromise, type PromiseName } from './broken-promise.ts';
import { describeOutcome, type Session } from './session.ts';
import type { Template, Variable } from './variable.ts';

/** What a slot is recognised by, in the names of Group B. */
export type SlotKey = Pick<
  SlotB,
  'hcsId' | 'practitionerId' | 'locationId' | 'appointmentDate' | 'appointmentStart' | 'minutesDuration'
>;

/** A free slot as it was offered, with the variables that a booking is made of. */
export interface OfferedSlot {
  readonly key: SlotKey;
  readonly practitioner: Variable;
  /** Local, `YYYY-MM-DDThh:mm:ss`. */
  readonly start: Variable;
  readonly day: Variable;
  readonly clock: Variable;
}

export interface OwnAppointment {
  readonly id: Variable;
  readonly slot: OfferedSlot;
  status: 'active' | 'canceled';
}

/** What a patient whom the exploration registered has, as far as it made it. */
export interface Person {
  readonly id: Variable;
  readonly dni: Variable<number>;
  phone: string;
  email: string;
  /** Whether a booking was ever sent, whatever came of it. */
  hasBooked: boolean;
  readonly appointments: OwnAppointment[];
  /** The observations of the tickets, each different, in the order of filing; those of one entry were filed at once. */
  readonly tickets: string[][];
  readonly relatives: { readonly id: Variable; readonly of: Person }[];
  readonly coverages: { readonly id: Variable; readonly credential: string; readonly number: Variable<number> }[];
  changeRequest: string | undefined;
}

/** The patients of one sequence, what they have by the model, and the way to the subject. */
export class World {
  readonly session: Session;
  readonly people = new Map<number, Person>();
  readonly #may: ReadonlySet<Capability>;

  constructor(session: Session, may: ReadonlySet<Capability>) {
    this.session = session;
    this.#may = may;
  }

  /** Whether these may be used. */
  may(...capabilities: readonly Capability[]): boolean {
    return capabilities.every((capability) => this.#may.has(capability));
  }

  /** The patient of that number, who is registered when first asked for. */
  async getPerson(number: number): Promise<Person> {
    const known = this.people.get(number);
    if (known) return known;
    const person = createPerson();
    const dni = this.session.invent('DNI', person.identifier);
    const body = { ...person, identifier: dni };
    const { id } = await this.ask<{ id: string }>({ route: 'POST /patients/', body });
    const created: Person = {
      id: this.session.capture('PATIENT', id, '.id'),
      dni,
      phone: person.phone,
      email: person.email,
      hasBooked: false,
      appointments: [],
      tickets: [],
      relatives: [],
      coverages: [],
      changeRequest: undefined,
    };
    this.people.set(number, created);
    return created;
  }

  /** The body of the answer. @throws BrokenPromise when it has another status. */
  async ask<T>(template: Template, status = 200, promise: PromiseName = 'answered'): Promise<T> {
    const response = await this.session.send(template);
    expectOutcome(template, response, String(status), promise);
    return response.body as T;
  }

  /** @throws BrokenPromise unless it is refused so, e.g. `409 slot_taken`. */
  async expectRefusal(template: Template, outcome: string, promise: PromiseName = 'refused', isDoubtful = false) {
    expectOutcome(template, await this.session.send(template), outcome, promise, isDoubtful);
  }

  /** A number for a card that nobody has. */
  inventCredential(): Variable<number> {
    return this.session.invent('CREDENTIAL', createDni());
  }
}

function expectOutcome(
  { route }: Template,
  response: Response,
  expected: string,
  promise: PromiseName,
  isDoubtful = false,
): void {
  const outcome = describeOutcome(response);
  expectPromise(outcome === expected, promise, `${route} answers ${outcome} instead of ${expected}`, isDoubtful);
}
