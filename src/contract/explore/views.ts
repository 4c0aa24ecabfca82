import type { Paged } from '../pages.ts';
import type { AppointmentA, AppointmentB, FamilyMember } from '../queries.ts';
import { expectPromise, type PromiseName } from './broken-promise.ts';
import type { Person, SlotKey, World } from './world.ts';

/** Compares what a list shows with what the model has, by ids or other words; only their numbers are told. */
function expectSame(what: string, shown: readonly string[], expected: readonly string[], promise: PromiseName): void {
  const foreign = shown.filter((each) => !expected.includes(each)).length;
  const missing = expected.filter((each) => !shown.includes(each)).length;
  const message = `${what}: ${shown.length} shown instead of ${expected.length}, ${missing} missing, ${foreign} not known here`;
  expectPromise(foreign === 0 && missing === 0 && shown.length === expected.length, promise, message);
}

const isSorted = (values: readonly string[]): boolean =>
  values.every((value, index) => index === 0 || (values[index - 1] ?? '') <= value);

export const pathOf = ({ id }: Person) => ({ id });

/** Both groups list the patient's appointments, all of them and no other, as they are by the model. */
export async function checkAppointments(world: World, person: Person): Promise<readonly AppointmentA[]> {
  const rows = person.appointments;
  const { appointments } = await world.ask<{ appointments: AppointmentA[] }>({
    route: 'GET /patients/{id}/appointments',
    params: pathOf(person),
  });
  const expected = rows.map(({ id, status, slot }) => `${id} ${status} ${slot.start}`);
  const shown = appointments.map(({ id, status, date }) => `${id} ${status} ${date}`);
  expectSame('appointments of the patient', shown, expected, 'own');
  expectPromise(isSorted(appointments.map(({ date }) => date)), 'order', 'appointments are not sorted by date');
  const { data, pagination } = await listPage(world, person, 0, 100);
  const ofB = data.map((row) => `${row.id} ${row.appointmentStatus} ${row.appointmentDate}T${row.appointmentStart}:00`);
  expectSame('appointments of the patient in Group B', ofB, expected, 'own');
  expectPromise(
    data.every(({ patientId }) => patientId === person.id.value),
    'own',
    'an appointment names another patient',
  );
  expectPromise(pagination.totalElements === rows.length, 'pages', 'totalElements is not the number of rows');
  return appointments;
}

const listPage = (world: World, { id }: Person, page: number, limit: number) =>
  world.ask<Paged<AppointmentB>>({
    route: 'GET /v1/appointments',
    query: { patientId: id, page: String(page), limit: String(limit) },
  });

/** The pages of one row each hold the patient's appointments, each once, and the one beyond them is empty. */
export async function checkPages(world: World, person: Person): Promise<void> {
  const expected = person.appointments.map(({ id }) => id.value);
  const shown: string[] = [];
  for (let page = 0; page < expected.length; page++) {
    const { data, pagination } = await listPage(world, person, page, 1);
    expectPromise(data.length === 1 && pagination.page === page, 'pages', `page ${page} of one row is another`);
    shown.push(...data.map(({ id }) => id));
  }
  const { data } = await listPage(world, person, expected.length, 1);
  expectPromise(data.length === 0, 'pages', 'the page beyond the last is not empty');
  expectSame('pages of appointments', shown, expected, 'pages');
}

/** Newest first, all that the patient filed and nothing else. */
export async function checkTickets(world: World, person: Person): Promise<void> {
  const tickets = await world.ask<{ observations: string; createdAt: string }[]>({
    route: 'GET /patients/{id}/ticket/',
    params: pathOf(person),
  });
  const filed = tickets.map(({ observations }) => observations);
  expectSame('tickets of the patient', filed, person.tickets.flat(), 'own');
  const moments = tickets.map(({ createdAt }) => createdAt).toReversed();
  expectPromise(isSorted(moments), 'order', 'a ticket stands before a newer one');
  const turns = filed.map((each) => person.tickets.findIndex((atOnce) => atOnce.includes(each)));
  const isNewestFirst = turns.every(
    (turn, index) =>
      index === 0 || turn <= (turns[index - 1] ?? 0) || tickets[index]?.createdAt === tickets[index - 1]?.createdAt,
  );
  expectPromise(isNewestFirst, 'order', 'a ticket that was filed later stands behind an earlier one');
}

/** Those whom the patient named, and nobody else. */
export async function checkRelatives(world: World, person: Person): Promise<readonly FamilyMember[]> {
  const { family_group } = await world.ask<{ family_group: FamilyMember[] }>({
    route: 'GET /patients/{id}/family_group',
    params: pathOf(person),
  });
  const shown = family_group.map((member) => member.related_patient_id);
  const expected = person.relatives.map(({ of }) => of.id.value);
  expectSame('relatives of the patient', shown, expected, 'own');
  return family_group;
}

/** The coverages that the patient got, and no other. */
export async function checkCoverages(world: World, person: Person): Promise<void> {
  const { health_insurances } = await world.ask<{
    health_insurances: { id: string; credential_number: string; active: string }[];
  }>({ route: 'GET /patients/{id}/health_insurances', params: pathOf(person) });
  const shown = health_insurances.map(({ id, credential_number }) => `${id} ${credential_number}`);
  expectSame(
    'health insurances of the patient',
    shown,
    person.coverages.map(({ id, credential }) => `${id} ${credential}`),
    'own',
  );
}

/** The patient as registered and changed. */
export async function checkPatient(world: World, person: Person): Promise<void> {
  const shown = await world.ask<{ id: string; identifier: number; phone: string; email: string }>({
    route: 'GET /patients/{id}',
    params: pathOf(person),
  });
  const isSame = shown.id === person.id.value && shown.identifier === person.dni.value;
  expectPromise(isSame, 'own', 'the patient is shown with another id or document');
  const isKept = shown.phone === person.phone && shown.email === person.email;
  expectPromise(isKept, 'kept', 'the phone or the e-mail is not the one that was given');
}

/** Whether the slot is free, as both groups say; they have to agree. */
export async function isOffered(world: World, slot: SlotKey): Promise<{ readonly a: boolean; readonly b: boolean }> {
  const { data } = await world.ask<Paged<SlotKey>>({
    route: 'POST /v1/available-slots',
    query: { limit: '100' },
    body: {
      hcsId: slot.hcsId,
      practitionerId: slot.practitionerId,
      locationId: slot.locationId,
      dateConfig: { dateFrom: slot.appointmentDate, dateTo: slot.appointmentDate, hourFrom: slot.appointmentStart },
    },
  });
  const b = data.some((each) => each.appointmentStart === slot.appointmentStart);
  const { appointments } = await world.ask<{ appointments: { date: string }[] }>({
    route: 'GET /available-appointments/search',
    query: {
      health_care_service_id: slot.hcsId,
      practitioner_id: slot.practitionerId,
      location_id: slot.locationId,
    },
  });
  const start = `${slot.appointmentDate}T${slot.appointmentStart}:00`;
  return { a: appointments.some(({ date }) => date === start), b };
}

/** All that is to be seen of the patient. */
export async function checkEverything(world: World, person: Person): Promise<void> {
  if (world.may('patients.get')) await checkPatient(world, person);
  if (world.may('appointments.list')) await checkAppointments(world, person);
  if (world.may('tickets.list')) await checkTickets(world, person);
  if (world.may('family-groups.list')) await checkRelatives(world, person);
  if (world.may('insurance.coverages')) await checkCoverages(world, person);
}
