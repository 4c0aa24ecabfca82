import { buildCancel } from './steps/booking.ts';
import { buildRemove } from './steps/records.ts';
import type { Template } from './variable.ts';
import { pathOf } from './views.ts';
import type { Person, World } from './world.ts';

/** How much stays at the institution. */
export type Left = Record<
  'patients' | 'appointments' | 'tickets' | 'relatives' | 'coverages' | 'changeRequests',
  number
>;

export const nothingLeft = (): Left => ({
  patients: 0,
  appointments: 0,
  tickets: 0,
  relatives: 0,
  coverages: 0,
  changeRequests: 0,
});

/**
 * Cancels and removes what the patients still have, as far as the API can. Never throws.
 * @returns how many appointments stay active.
 */
export async function cleanUp(world: World): Promise<number> {
  let active = 0;
  for (const person of world.people.values()) {
    if (person.hasBooked) active += await cancelAll(world, person);
    for (const relative of [...person.relatives]) {
      if (!world.may('family-groups.remove')) continue;
      const isGone = await attempt(world, buildRemove(person, relative.id));
      if (isGone) person.relatives.splice(person.relatives.indexOf(relative), 1);
    }
  }
  return active;
}

/** Cancels all that is listed as active, be it known to the model or not, and returns how many stay. */
async function cancelAll(world: World, person: Person): Promise<number> {
  const route = 'GET /patients/{id}/appointments';
  const { body } = await world.session.send({ route, params: pathOf(person) }).catch(() => ({ body: undefined }));
  const { appointments = [] } = (body ?? {}) as { appointments?: readonly { id: string; status: string }[] };
  let active = 0;
  for (const { id, status } of appointments) {
    if (status !== 'active') continue;
    const isCanceled = world.may('appointments.cancel') && (await attempt(world, buildCancel(person, id)));
    if (!isCanceled) active++;
  }
  return active;
}

/** Adds what the patients have now. Appointments that are canceled take nobody's time. */
export function countLeft({ people }: World, active: number, left: Left): void {
  left.appointments += active;
  for (const person of people.values()) {
    left.patients++;
    left.tickets += person.tickets.flat().length;
    left.relatives += person.relatives.length;
    left.coverages += person.coverages.length;
    if (person.changeRequest !== undefined) left.changeRequests++;
  }
}

async function attempt({ session }: World, template: Template): Promise<boolean> {
  try {
    return (await session.send(template)).status < 300;
  } catch {
    return false;
  }
}
