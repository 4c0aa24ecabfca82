import { expect, test } from '@jest/globals';
import { cleanUp } from '../../../src/contract/explore/clean-up.ts';
import { Session } from '../../../src/contract/explore/session.ts';
import { steps } from '../../../src/contract/explore/steps/index.ts';
import { World } from '../../../src/contract/explore/world.ts';
import { createPortsSubject, sandbox } from '../../../src/contract/index.ts';
import { type Appointments, capabilities } from '../../../src/ports/index.ts';
import { replace } from '../../support/faults/port-fault.ts';
import { callNow } from '../../support/fhir-calls.ts';
import { openSandbox } from '../../support/sandbox.ts';

const findStep = (name: string) => steps.find((each) => each.name === name)!;

/** Books for whoever asks, another slot where the one that is wanted is taken, and then fails. */
const bookAndFail =
  (appointments: Appointments): Appointments['book'] =>
  async (patientId, booking, call) => {
    const { items } = await appointments.slots({ serviceId: booking.serviceId }, call);
    const { start, practitionerId, locationId } = items.at(-1)!;
    const another = { ...booking, start, practitionerIds: [practitionerId], locationId };
    await appointments.book(patientId, booking, call).catch(() => appointments.book(patientId, another, call));
    throw new Error('the answer is lost');
  };

test.each(['book (A)', 'book (B)', 'book a slot that is taken', 'book one slot several times at once'])(
  'exploring cancels what was booked by a step that broke off: %s',
  async (name) => {
    const { patients, appointments } = openSandbox();
    let book: Appointments['book'] = (...given) => appointments.book(...given);
    const ports = { patients, appointments: replace(appointments, { book: (...given) => book(...given) }) };
    const world = new World(new Session(createPortsSubject({ ports, fixtures: sandbox })), new Set(capabilities));
    const play = (step: string, who: number) => findStep(step).run(world, { who, other: 0, which: who, times: 2 });
    await play('book (A)', 0);
    book = bookAndFail(appointments);
    await expect(play(name, 1)).rejects.toThrow();

    const listActive = async () => {
      const ids = [...world.people.values()].map(({ id }) => id.value);
      const pages = await Promise.all(ids.map((id) => appointments.list(id, { order: 'ascending' }, callNow())));
      return pages.flatMap(({ items }) => items.filter(({ status }) => status === 'active'));
    };
    expect((await listActive()).length).toBeGreaterThan(1);
    expect(await cleanUp(world)).toBe(0);
    expect(await listActive()).toEqual([]);
  },
);
