import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { answer, answered } from './expect.ts';
import type { Response, Subject } from './subject.ts';

let next = randomInt(96_000_000, 99_000_000);

/** A DNI that nobody has yet: the registry is decades away from these numbers. */
export const newDni = (): number => next++;

/** A person of age whom no institution knows, as the body of a registration. */
export const newPerson = () => ({
  birth_date: '1992/04/17',
  identifier_type: 'DNI',
  identifier: newDni(),
  gender: 'Female',
  email: 'contract@example.org',
  phone: '+54 9 11 5555-0199',
});

export type Person = ReturnType<typeof newPerson>;

/** The id of a patient who was registered a moment ago and has nothing yet. */
export async function freshPatient(subject: Subject, person: Partial<Person> = {}): Promise<string> {
  const body = { ...newPerson(), ...person };
  const { id } = await answer<{ id: string }>(subject, { route: 'POST /patients/', body });
  return id;
}

/** The id of a new coverage of that patient. */
export async function freshCoverage(
  subject: Subject,
  beneficiaryId: string,
  insurancePlanId: string = subject.fixtures.plans.accepted,
): Promise<string> {
  const body = { credentialNumber: String(newDni()), beneficiaryId, insurancePlanId };
  const { model } = await answer<{ model: { id: string } }>(subject, { route: 'POST /v1/coverages', body }, 201);
  return model.id;
}

/** The relative whom a family group gains. */
export const newMember = (related: string) => ({
  related_patient_id: related,
  relationship_code: 5,
  relationship_description: 'hermana',
  active: true,
});

export interface FamilyMember extends ReturnType<typeof newMember> {
  readonly id: string;
}

export async function familyOf(subject: Subject, id: string): Promise<FamilyMember[]> {
  const { family_group } = await answer<{ family_group: FamilyMember[] }>(subject, {
    route: 'GET /patients/{id}/family_group',
    params: { id },
  });
  return family_group;
}

/** The id of a new member of that patient's family group. */
export async function freshMember(subject: Subject, id: string): Promise<string> {
  const body = newMember(await freshPatient(subject));
  await answer(subject, { route: 'POST /patients/{id}/family_group', params: { id }, body }, 201);
  const [member] = await familyOf(subject, id);
  assert.ok(member, 'a member was added, but the family group is empty');
  return member.id;
}

/** A free slot as Group A shows it. */
export interface SlotA {
  readonly date: string;
  readonly health_care_service_id: string;
  readonly practitioner_id: string;
  readonly location_id: string;
  readonly mode: string;
}

/** The free slots of the bookable service, as Group A shows them, narrowed by more parameters. */
export async function slotsA(subject: Subject, query: Readonly<Record<string, string>> = {}): Promise<SlotA[]> {
  const { appointments } = await answer<{ appointments: SlotA[] }>(subject, {
    route: 'GET /available-appointments/search',
    query: { health_care_service_id: subject.fixtures.services.bookable, ...query },
  });
  return appointments;
}

/** Any of the slots that lie far enough ahead to be canceled again. */
export async function freeSlot(subject: Subject, query: Readonly<Record<string, string>> = {}): Promise<SlotA> {
  const soon = dayAhead(subject, 5);
  return anyOf((await slotsA(subject, query)).filter(({ date }) => date > soon));
}

/** A free slot as Group B shows it. */
export interface SlotB {
  readonly appointmentId: string;
  readonly hcsId: string;
  readonly practitionerId: string;
  readonly locationId: string;
  readonly appointmentDate: string;
  readonly appointmentStart: string;
  readonly minutesDuration: string;
  readonly modality: string;
}

/** What a search of Group B for the bookable service asks when it asks for nothing special. */
export const slotSearch = (subject: Subject) => ({
  hcsId: subject.fixtures.services.bookable,
  practitionerId: null,
  modalityVirtual: null,
  dateConfig: { dateFrom: dayAhead(subject, 6), dateTo: dayAhead(subject, 34) },
  locationId: null,
});

/** Up to 100 free slots as Group B shows them, narrowed by more criteria. */
export async function slotsB(subject: Subject, body: Readonly<Record<string, unknown>> = {}): Promise<SlotB[]> {
  const { data } = await answer<{ data: SlotB[] }>(subject, {
    route: 'POST /v1/available-slots',
    query: { limit: '100' },
    body: { ...slotSearch(subject), ...body },
  });
  return data;
}

/** An appointment as Group A shows it, as far as the cases read it. */
export interface AppointmentA {
  readonly id: string;
  readonly date: string;
  readonly status: string;
  readonly modality: string;
  readonly cancelable: boolean;
  readonly practitioner: { readonly id: string };
  readonly location: { readonly id: string };
  readonly healht_care_service: readonly { readonly id: string }[];
  readonly payments: { readonly link?: string; readonly status?: string };
  readonly health_insurances: object;
}

export async function appointmentsA(subject: Subject, id: string): Promise<AppointmentA[]> {
  const { appointments } = await answer<{ appointments: AppointmentA[] }>(subject, {
    route: 'GET /patients/{id}/appointments',
    params: { id },
  });
  return appointments;
}

/** Books that slot and answers the id of the new appointment. */
export async function bookA(subject: Subject, id: string, slot: SlotA, coverageId?: string): Promise<string> {
  return locatedId(
    await answered(
      subject,
      {
        route: 'POST /patients/{id}/appointments',
        params: { id },
        body: bookingA(slot, coverageId),
      },
      201,
    ),
  );
}

export const bookingA = (slot: SlotA, coverageId?: string) => ({
  health_care_service_id: slot.health_care_service_id,
  practitioner_id: slot.practitioner_id,
  date: slot.date,
  ...(coverageId !== undefined && { health_insurance_id: coverageId }),
});

/** The smallest booking of that slot in Group B. */
export const bookingB = (patientId: string, slot: SlotB) => ({
  patientId,
  practitionersIds: [slot.practitionerId],
  hcsId: slot.hcsId,
  appointmentDate: slot.appointmentDate,
  appointmentStart: slot.appointmentStart,
  minutesDuration: slot.minutesDuration,
  locationId: slot.locationId,
});

/** The id that the `Location` header of an answer ends with. */
export function locatedId({ headers }: Response): string {
  const id = headers.location?.split('/').at(-1);
  assert.ok(id, 'the answer has no Location header that names the new appointment');
  return decodeURIComponent(id);
}

/** Any one of them: parallel runs against one institution should not all want the first. */
export function anyOf<T>(items: readonly T[]): T {
  assert.ok(items.length > 0, 'the institution offers nothing that fits: see the fixtures');
  return items[randomInt(items.length)] as T;
}

/** The day so many days after today, in the institution's zone. */
export const dayAhead = (subject: Subject, days: number): string =>
  dayOf(subject, new Date(subject.now().getTime() + days * 86_400_000).toISOString());

/** The day on the institution's wall calendar at that moment. */
export const dayOf = ({ fixtures: { timeZone } }: Subject, moment: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(moment));

/** The moment at which the institution's clock on the wall shows that time. */
export function momentOf({ fixtures: { timeZone } }: Subject, local: string): string {
  const asUtc = Date.parse(`${local}Z`);
  const wall = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const ahead = Date.parse(`${wall.format(asUtc).replace(' ', 'T')}Z`) - asUtc;
  return new Date(asUtc - ahead).toISOString();
}
