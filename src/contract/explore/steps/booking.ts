import { computeDayAhead } from '../../days.ts';
import type { Paged } from '../../pages.ts';
import type { Response } from '../../subject.ts';
import { BrokenPromise, expectPromise } from '../broken-promise.ts';
import { describeOutcome } from '../session.ts';
import type { Template, Variable } from '../variable.ts';
import { checkAppointments, checkPages, isOffered, pathOf } from '../views.ts';
import type { OfferedSlot, Person, SlotKey, World } from '../world.ts';
import { pick, type Step } from './step.ts';

const needs = ['patients.register', 'appointments.slots', 'appointments.list', 'appointments.book'] as const;

/** A slot that is offered far enough ahead to be canceled again. */
async function chooseSlot(world: World, which: number): Promise<OfferedSlot | undefined> {
  const { session } = world;
  const { bookable } = session.subject.fixtures.services ?? {};
  if (bookable === undefined) return undefined;
  const { data } = await world.ask<Paged<SlotKey>>({
    route: 'POST /v1/available-slots',
    query: { limit: '100' },
    body: {
      hcsId: bookable,
      dateConfig: { dateFrom: computeDayAhead(session.subject, 6), dateTo: computeDayAhead(session.subject, 34) },
    },
  });
  const key = pick(data, which);
  if (!key) return undefined;
  const at = `.data[${which % data.length}]`;
  const { appointmentDate: day, appointmentStart: clock } = key;
  const start = `"\\(${at}.appointmentDate)T\\(${at}.appointmentStart):00"`;
  return {
    key,
    practitioner: session.capture('PRACTITIONER', key.practitionerId, `${at}.practitionerId`),
    start: session.capture('START', `${day}T${clock}:00`, start),
    day: session.capture('DAY', day, `${at}.appointmentDate`),
    clock: session.capture('CLOCK', clock, `${at}.appointmentStart`),
  };
}

const buildA = (person: Person, { key, practitioner, start }: OfferedSlot): Template => ({
  route: 'POST /patients/{id}/appointments',
  params: pathOf(person),
  body: { health_care_service_id: key.hcsId, practitioner_id: practitioner, date: start },
});

const buildB = ({ id }: Person, { key, practitioner, day, clock }: OfferedSlot): Template => ({
  route: 'POST /v1/appointments',
  body: {
    patientId: id,
    practitionersIds: [practitioner],
    hcsId: key.hcsId,
    appointmentDate: day,
    appointmentStart: clock,
    locationId: key.locationId,
  },
});

/** The slot is gone from both lists; another patient would be shown it otherwise. */
async function expectTaken(world: World, { key }: OfferedSlot): Promise<void> {
  const { a, b } = await isOffered(world, key);
  expectPromise(!a && !b, 'taken', 'the slot of an active appointment is still offered');
}

/** Notes what a booking of an offered slot came to. Somebody else may have taken the slot in between, which is no fault. */
async function settleBooking(world: World, person: Person, slot: OfferedSlot, response: Response, isA: boolean) {
  const outcome = describeOutcome(response);
  if (outcome === '409 slot_taken') {
    const { a, b } = await isOffered(world, slot.key);
    expectPromise(!a && !b, 'bookable', 'a slot is offered, and taken when it is booked', true);
    return;
  }
  expectPromise(outcome === '201', 'answered', `booking an offered slot answers ${outcome} instead of 201`);
  const id = isA
    ? decodeURIComponent(response.headers.location?.split('/').at(-1) ?? '')
    : (response.body as { model: { id: string } }).model.id;
  const variable = world.session.capture('APPOINTMENT', id, isA ? 'location' : '.model.id');
  person.appointments.push({ id: variable, slot, status: 'active' });
  await checkAppointments(world, person);
  await expectTaken(world, slot);
}

const createBookStep = (name: string, isA: boolean): Step => ({
  name,
  level: 'destructive',
  needs,
  weight: 5,
  run: async (world, { who, which }) => {
    const person = await world.getPerson(who);
    const slot = await chooseSlot(world, which);
    if (!slot) return;
    person.hasBooked = true;
    const response = await world.session.send((isA ? buildA : buildB)(person, slot));
    await settleBooking(world, person, slot, response, isA);
  },
});

/** All that the patients have, with whose it is. */
const listActive = ({ people }: World) =>
  [...people.values()].flatMap((person) =>
    person.appointments.filter(({ status }) => status === 'active').map((appointment) => ({ person, appointment })),
  );

export const bookingSteps: readonly Step[] = [
  createBookStep('book (A)', true),
  createBookStep('book (B)', false),
  {
    name: 'book a slot that is taken',
    level: 'destructive',
    needs,
    weight: 2,
    run: async (world, { who, which, times }) => {
      const held = pick(listActive(world), which);
      if (!held) return;
      const person = await world.getPerson(who);
      person.hasBooked = true;
      const build = times % 2 === 0 ? buildA : buildB;
      await world.expectRefusal(build(person, held.appointment.slot), '409 slot_taken', 'winner');
      await checkAppointments(world, person);
    },
  },
  {
    name: 'book one slot several times at once',
    level: 'destructive',
    needs,
    weight: 3,
    run: async (world, { which, times }) => {
      const people: Person[] = [];
      for (let number = 0; number < times; number++) people.push(await world.getPerson(number));
      const slot = await chooseSlot(world, which);
      if (!slot) return;
      for (const person of people) person.hasBooked = true;
      const responses = await world.session.sendAll(people.map((person) => buildA(person, slot)));
      const winners = people.filter((_, index) => responses[index]?.status === 201);
      expectPromise(winners.length <= 1, 'winner', `${winners.length} of ${times} bookings of one slot succeed`);
      const strange = responses.map(describeOutcome).find((each) => each !== '201' && each !== '409 slot_taken');
      expectPromise(strange === undefined, 'answered', `a parallel booking answers ${strange}`);
      const [winner] = winners;
      if (winner) await findBooked(world, winner, slot);
      for (const person of people) await checkAppointments(world, person);
      const { a, b } = await isOffered(world, slot.key);
      if (winner) expectPromise(!a && !b, 'taken', 'the slot of an active appointment is still offered');
      else expectPromise(!a && !b, 'bookable', 'a slot is offered that nobody could book', true);
    },
  },
  {
    name: 'cancel',
    level: 'destructive',
    needs: [...needs, 'appointments.cancel'],
    weight: 5,
    run: async (world, { which }) => {
      const held = pick(listActive(world), which);
      if (!held) return;
      const { person, appointment } = held;
      await world.ask(buildCancel(person, appointment.id));
      appointment.status = 'canceled';
      await checkAppointments(world, person);
      const { a, b } = await isOffered(world, appointment.slot.key);
      expectPromise(a && b, 'freed', 'the slot of a canceled appointment is not offered', true);
    },
  },
  {
    name: 'cancel again',
    level: 'destructive',
    needs: [...needs, 'appointments.cancel'],
    weight: 1,
    run: async (world, { who, which }) => {
      const person = world.people.get(who);
      const canceled = pick(person?.appointments.filter(({ status }) => status === 'canceled') ?? [], which);
      if (!person || !canceled) return;
      await world.ask(buildCancel(person, canceled.id));
      await checkAppointments(world, person);
      for (const { appointment } of listActive(world)) await expectTaken(world, appointment.slot);
    },
  },
  {
    name: 'cancel the appointment of another',
    level: 'destructive',
    needs: [...needs, 'appointments.cancel'],
    weight: 1,
    run: async (world, { other, which }) => {
      const held = pick(listActive(world), which);
      const stranger = await world.getPerson(other);
      if (!held || held.person === stranger) return;
      await world.expectRefusal(buildCancel(stranger, held.appointment.id), '404 not_found');
      await checkAppointments(world, held.person);
    },
  },
  {
    name: 'turn pages',
    level: 'safe',
    needs: ['patients.register', 'appointments.list'],
    weight: 2,
    run: async (world, { who }) => {
      const person = world.people.get(who);
      if (person && person.appointments.length > 0) await checkPages(world, person);
    },
  },
];

/** Cancels that appointment of the patient. */
export const buildCancel = (person: Person, appointment: Variable | string): Template => ({
  route: 'PUT /patients/{id}/appointments/{appointment_id}',
  params: { ...pathOf(person), appointment_id: appointment },
  body: { status: 'canceled' },
});

/** Learns the id of what the patient booked among others at the same moment. */
async function findBooked(world: World, person: Person, slot: OfferedSlot): Promise<void> {
  const { appointments } = await world.ask<{ appointments: { id: string; date: string }[] }>({
    route: 'GET /patients/{id}/appointments',
    params: pathOf(person),
  });
  const known = new Set(person.appointments.map(({ id }) => id.value));
  const row = appointments.findIndex(({ id, date }) => !known.has(id) && date === slot.start.value);
  const found = appointments[row];
  if (!found) throw new BrokenPromise('own', 'a booking succeeded, and its appointment is not listed');
  const id = world.session.capture('APPOINTMENT', found.id, `.appointments[${row}].id`);
  person.appointments.push({ id, slot, status: 'active' });
}
