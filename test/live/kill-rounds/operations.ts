import { randomInt, randomUUID } from 'node:crypto';
import type { SlotA } from '../../../src/contract/resources.ts';
import type { Inventory, StoredAppointment } from './inventory.ts';

/** A booking of a slot by one patient, who asks for that slot only once, and perhaps its cancellation. */
export interface Operation {
  readonly patientId: string;
  readonly slot: SlotA;
  readonly booking: Sent;
  cancellation?: Sent;
}

/** What was sent under one key, and what the caller was told at last. */
export interface Sent {
  readonly key: string;
  /** Statuses in their order; 0 for a connection that broke. */
  readonly statuses: number[];
}

export const createSent = (): Sent => ({ key: randomUUID(), statuses: [] });

export const isDone = (sent?: Sent): boolean => isBetween(sent, 200, 300);
export const isRefused = (sent?: Sent): boolean => isBetween(sent, 400, 500);

const isBetween = (sent: Sent | undefined, from: number, to: number): boolean => {
  const status = sent?.statuses.at(-1) ?? 0;
  return status >= from && status < to;
};

/** Bookings in random order; about every fourth wants a slot that another patient wants too. */
export function createOperations(count: number, patientIds: readonly string[], slots: readonly SlotA[]): Operation[] {
  const operations: Operation[] = [];
  const rest = [...slots];
  while (operations.length < count) {
    const contended = operations.length > 0 && (rest.length === 0 || randomInt(4) === 0);
    const slot = contended ? operations.at(-1)?.slot : rest.splice(randomInt(rest.length), 1)[0];
    const free = patientIds.filter((id) => !operations.some((other) => other.slot === slot && other.patientId === id));
    const patientId = free[randomInt(free.length)];
    if (!slot || !patientId) throw new Error('the hospital offers too few slots for so many operations');
    operations.push({ patientId, slot, booking: createSent() });
  }
  return operations;
}

/** What is not as the callers were told, and what contradicts itself. */
export interface Contradictions {
  /** Acknowledged, not canceled, and not there. */
  readonly lost: number;
  /** Acknowledged as canceled, and there. */
  readonly kept: number;
  /** Refused, and there. */
  readonly untold: number;
  /** Active appointments of one slot, or of one operation, beyond the first. */
  readonly doubled: number;
  readonly busySlotsWithoutAppointment: number;
  readonly appointmentsWithoutBusySlot: number;
}

export function findContradictions(
  operations: readonly Operation[],
  now: Inventory,
  before: Inventory,
  toInstant: (localDate: string) => string,
): Contradictions {
  const active = now.appointments.filter((appointment) => appointment.active);
  const own = (operation: Operation): StoredAppointment[] =>
    active.filter(
      ({ patientId, start }) => patientId === operation.patientId && start === toInstant(operation.slot.date),
    );
  const count = (holds: (operation: Operation) => boolean): number => operations.filter(holds).length;
  const taken = active.flatMap(({ slotIds }) => slotIds);
  const known = new Set(before.appointments.map(({ id }) => id));
  return {
    lost: count((one) => isDone(one.booking) && !one.cancellation && own(one).length === 0),
    kept: count((one) => isDone(one.cancellation) && own(one).length > 0),
    untold: count((one) => isRefused(one.booking) && own(one).length > 0),
    doubled:
      taken.length - new Set(taken).size + operations.reduce((sum, one) => sum + Math.max(0, own(one).length - 1), 0),
    busySlotsWithoutAppointment: now.busySlotIds.filter((id) => !taken.includes(id) && !before.busySlotIds.includes(id))
      .length,
    appointmentsWithoutBusySlot: active.filter(
      ({ id, slotIds }) => !known.has(id) && !slotIds.some((slotId) => now.busySlotIds.includes(slotId)),
    ).length,
  };
}
