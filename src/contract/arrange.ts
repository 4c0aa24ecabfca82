import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { getFields } from '../toolkit/records.ts';
import { checkSuccess, expectPromised, getBody, getResponse, getResponseToAll, invented } from './expect.ts';
import { computeDayAhead, listFamilyGroup, listSlotsA, listSlotsB, ofPatient, pickBelow, toStart } from './queries.ts';
import type { SlotA, SlotB } from './resources.ts';
import type { Query, Request, Response, Subject } from './subject.ts';
import { Skipped } from './thrown.ts';

let nextDni = randomInt(96_000_000, 99_000_000);

/** A DNI that is not in use: the national register will not reach these numbers for decades. */
export const createDni = (): number => nextDni++;

/** The body of a registration of an adult who is not registered yet. A system may keep e-mail and telephone unique. */
export const createPerson = () => {
  const identifier = createDni();
  const digits = String(identifier);
  return {
    birth_date: '1992/04/17',
    identifier_type: 'DNI',
    identifier,
    gender: 'Female',
    ...invented,
    email: `contract-${digits}@example.org`,
    phone: `+54 9 11 ${digits.slice(0, 4)}-${digits.slice(4)}`,
  };
};

/** The places of the faults that an answer names, such as `body /name`. */
const listFaultPlaces = ({ status, body }: Response): readonly string[] => {
  const { errors = [] } = getFields(body) as { readonly errors?: readonly { in: string; at: string }[] };
  return status === 422 ? errors.map((fault) => `${fault.in} ${fault.at}`) : [];
};

/** Registers a patient without other records and returns the id. */
export async function registerPatient(
  subject: Subject,
  person: Partial<ReturnType<typeof createPerson>> = {},
): Promise<string> {
  const { email, phone, ...least } = { ...createPerson(), ...person };
  const register = async (body: object) => {
    const request: Request = { route: 'POST /patients/', body };
    const response = await subject.send(request);
    const refused = listFaultPlaces(response).find((place) => place.replace('body /', '') in person);
    if (refused) throw new Skipped(`the system does not register a patient with this value at ${refused}`);
    checkSuccess(request.route, response, 200);
    return response.body as { readonly id: string };
  };
  try {
    return (await register({ ...least, email, phone })).id;
  } catch (error) {
    // A system without e-mail addresses or telephones has patients too.
    if (!(error instanceof Skipped)) throw error;
    return (await register(least)).id;
  }
}

/** The number of patients from `patients.spare` that cases took in this process, in order. */
let taken = 0;

/** True if cases can write for a patient right after the registration. */
const isRegisteredAtOnce = ({ supports, fixtures }: Subject): boolean =>
  supports('patients.register') && !fixtures.rules?.includes('verified-later');

/**
 * Returns a patient to write for: a new one if the system registers patients, otherwise the next of `patients.spare`.
 */
export async function takePatient(subject: Subject): Promise<string> {
  if (isRegisteredAtOnce(subject)) return registerPatient(subject);
  const { spare = [] } = subject.fixtures.patients ?? {};
  const id = spare[taken % spare.length];
  taken += 1;
  assert.ok(id, 'the system registers no patients, and the fixtures have no patients.spare');
  return id;
}

/** Like `takePatient`, but leaves out patients of `patients.spare` to whom this applies: an earlier case may have written for them. */
async function takePatientWho(subject: Subject, isTaken: (id: string) => Promise<boolean>, what: string) {
  const { spare = [] } = subject.fixtures.patients ?? {};
  if (isRegisteredAtOnce(subject) || spare.length === 0) return takePatient(subject);
  for (const _ of spare) {
    const id = await takePatient(subject);
    if (!(await isTaken(id))) return id;
  }
  throw new Skipped(`each of patients.spare ${what} by now: name more of them`);
}

/** Returns a patient without a request for another practitioner. */
export const takePatientForChange = (subject: Subject): Promise<string> =>
  takePatientWho(
    subject,
    async (id) => {
      if (!subject.supports('practitioners.changeRequestOf')) return false;
      return (await subject.send(ofPatient('GET /patients/{id}/practitioner/change_request', id))).status === 200;
    },
    'has a request for another practitioner',
  );

/** Returns a patient who can become a relative of that patient. */
export const takeRelative = (subject: Subject, id: string): Promise<string> =>
  takePatientWho(
    subject,
    async (other) => {
      if (other === id || !subject.supports('family-groups.list')) return other === id;
      return (await listFamilyGroup(subject, id)).some((member) => member.related_patient_id === other);
    },
    'is a relative',
  );

interface Listed {
  readonly id?: string;
  readonly uid?: string;
}

/**
 * Returns the list without its earlier items. A patient of `patients.spare` may have records of earlier cases. A new
 * patient may have records that the institution creates for everybody, such as a coverage.
 */
export async function skipEarlier<T extends Listed>(
  list: (query?: Query) => Promise<readonly T[]>,
): Promise<(query?: Query) => Promise<T[]>> {
  const toId = ({ id, uid }: T) => id ?? uid;
  const earlier = new Set((await list()).map(toId));
  return async (query) => (await list(query)).filter((each) => !earlier.has(toId(each)));
}

/** Returns a patient to write for, and a function that lists the records written from now on. */
export async function takePatientWith<S extends Subject, T extends Listed>(
  subject: S,
  list: (subject: S, id: string, query?: Query) => Promise<readonly T[]>,
  take: (subject: Subject) => Promise<string> = takePatient,
) {
  const id = await take(subject);
  return { id, list: await skipEarlier((query) => list(subject, id, query)) };
}

/** Creates a coverage of that patient and returns its id. */
export async function createCoverage(
  subject: Subject,
  beneficiaryId: string,
  insurancePlanId: string = subject.fixtures.plans.accepted,
): Promise<string> {
  const body = { credentialNumber: String(createDni()), beneficiaryId, insurancePlanId };
  const { model } = await getBody<{ model: { id: string } }>(subject, { route: 'POST /v1/coverages', body }, 201);
  return model.id;
}

/** Like `takePatient`, but with a coverage if only insured patients may file tickets. */
export async function takeTicketPatient(subject: Subject): Promise<string> {
  const id = await takePatient(subject);
  const isNeeded = subject.fixtures.rules?.includes('tickets-for-insured') && isRegisteredAtOnce(subject);
  if (isNeeded && subject.supports('insurance.create')) await createCoverage(subject, id);
  return id;
}

/** The body that adds that patient to a family group. */
export const createMember = (related: string) => ({
  related_patient_id: related,
  relationship_code: 5,
  relationship_description: 'hermana',
  active: true,
});

/**
 * Like `createMember`, with a relation of a relative of `patients.complete`: a system may accept only the relations of
 * a table.
 */
export async function prepareMember(subject: Subject, related: string): Promise<ReturnType<typeof createMember>> {
  const member = createMember(related);
  const [known] = await listRelations(subject);
  return { ...member, ...known };
}

/**
 * The relations of the relatives of `patients.complete`, without duplicates. Empty if the subject does not list
 * relatives.
 */
export async function listRelations(subject: Subject) {
  const { patients } = subject.fixtures;
  if (!subject.supports('family-groups.list') || !Reflect.has(patients ?? {}, 'complete')) return [];
  const relations = (await listFamilyGroup(subject, patients.complete)).map(
    ({ relationship_code, relationship_description }) => ({
      relationship_code,
      relationship_description,
    }),
  );
  return [...new Map(relations.map((each) => [each.relationship_code, each])).values()];
}

/** Adds a member to that patient's family group and returns the member's id. */
export async function addMember(subject: Subject, id: string): Promise<string> {
  const body = await prepareMember(subject, await takeRelative(subject, id));
  await getBody(subject, { route: 'POST /patients/{id}/family_group', params: { id }, body }, 201);
  const member = (await listFamilyGroup(subject, id)).find(
    (each) => each.related_patient_id === body.related_patient_id,
  );
  assert.ok(member, 'an added member is not in the family group');
  return member.id;
}

/**
 * Sends a request with each value in turn until the system accepts one at that place, and returns the value and the
 * response body. A system may refuse a value that it cannot store, but must not change it. The system must accept the
 * last value.
 */
export async function sendFirstTaken<T>(
  subject: Subject,
  values: readonly [T, ...T[]],
  place: string,
  build: (value: T) => Request,
): Promise<{ readonly value: T; readonly body: unknown }> {
  const [value, ...others] = values;
  const response = await subject.send(build(value));
  const [next, ...rest] = others;
  const isRefused = listFaultPlaces(response).includes(place);
  if (isRefused && next !== undefined) return sendFirstTaken(subject, [next, ...rest], place, build);
  checkSuccess(build(value).route, response, 201);
  return { value, body: response.body };
}

/** A free slot of Group A that starts late enough for a cancellation. */
export async function findFreeSlot(subject: Subject, query: Query = {}): Promise<SlotA> {
  const soon = computeDayAhead(subject, 5);
  return pickAny((await listSlotsA(subject, query)).filter(({ date }) => date > soon));
}

/** A free slot of the bookable service, and a slot of the second practitioner at the same time. */
export async function findSimultaneousSlots(subject: Subject): Promise<[SlotB, SlotB]> {
  const [slots, others] = await Promise.all([
    listSlotsB(subject),
    listSlotsB(subject, { hcsId: subject.fixtures.services.second }),
  ]);
  return pickAny(
    slots.flatMap((slot): [SlotB, SlotB][] => {
      const other = others.find((candidate) => toStart(candidate) === toStart(slot));
      return other ? [[slot, other]] : [];
    }),
  );
}

/** Books that slot in Group A and returns the id of the new appointment. */
export async function bookA(subject: Subject, id: string, slot: SlotA, coverageId?: string): Promise<string> {
  const body = buildBookingA(slot, coverageId);
  return parseLocationId(
    await getResponse(subject, { route: 'POST /patients/{id}/appointments', params: { id }, body }, 201),
  );
}

/** The body that books that slot in Group A. Without a coverage, the patient pays. */
export const buildBookingA = (slot: SlotA, coverageId?: string) => ({
  health_care_service_id: slot.health_care_service_id,
  practitioner_id: slot.practitioner_id,
  date: slot.date,
  ...(coverageId !== undefined && { health_insurance_id: coverageId }),
});

/** The body that books that slot in Group B, with only the required fields. */
export const buildBookingB = (patientId: string, slot: SlotB) => ({
  patientId,
  practitionersIds: [slot.practitionerId],
  hcsId: slot.hcsId,
  appointmentDate: slot.appointmentDate,
  appointmentStart: slot.appointmentStart,
  minutesDuration: slot.minutesDuration,
  locationId: slot.locationId,
});

/** Books in Group B and returns the id of the new appointment. */
export async function bookB(subject: Subject, body: object): Promise<string> {
  const { model } = await getBody<{ model: { id: string } }>(subject, { route: 'POST /v1/appointments', body }, 201);
  return model.id;
}

/** Like `bookB`, with a copay and an authorization. Also returns the values of these that the appointment must show. */
export async function bookWithPayment(subject: Subject, body: object, authorization: boolean) {
  const payment = { copay: 1500.5, authorization };
  const request: Request = { route: 'POST /v1/appointments', body: { ...body, ...payment } };
  const answer = await getResponseToAll(subject, request, 201);
  const { model } = answer.body as { readonly model: { readonly id: string } };
  return { id: model.id, kept: { ...payment, ...answer.refused } };
}

/** The request that cancels that appointment. */
export const buildCancellation = (id: string, appointment_id: string): Request => ({
  route: 'PUT /patients/{id}/appointments/{appointment_id}',
  params: { id, appointment_id },
  body: { status: 'canceled' },
});

/** The id at the end of a response's `Location` header. */
function parseLocationId({ headers }: Response): string {
  const id = headers.location?.split('/').at(-1);
  assert.ok(id, 'the answer has no Location header that names the new appointment');
  return decodeURIComponent(id);
}

/**
 * A random item, so that parallel runs against one institution do not all take the first.
 * @param rare names items that the fixtures do not promise. Without one, the case is skipped.
 */
export function pickAny<T>(items: readonly T[], rare?: string): T {
  if (items.length === 0 && rare !== undefined) throw new Skipped(`the institution has no ${rare}`);
  expectPromised(items.length > 0, 'a free slot that the fixtures promise');
  return items[pickBelow(items.length)] as T;
}
