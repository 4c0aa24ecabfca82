import { Failure } from '../../src/ports/index.ts';
import { createPromisedFailure } from './promised-failures.ts';

/** A slot as it was offered, free or taken; times in milliseconds since 1970 (UTC). */
export interface OfferedSlot {
  readonly id: string;
  /** A slot is followed by those of its own schedule only. */
  readonly scheduleId: string;
  readonly begins: number;
  readonly ends: number;
  readonly isFree: boolean;
}

/** Which slots are sought; without `minutes` a single one, without `slotId` whichever begins then. */
export interface WantedSlots {
  readonly begins: number;
  readonly minutes?: number | undefined;
  readonly slotId?: string | undefined;
  /** What it means that none are listed; default: that none were ever offered. */
  readonly unlisted?: 'slot_unknown' | 'slot_taken';
}

/**
 * Contiguous free slots of one schedule that begin then and last long enough; of several the first as they are listed.
 * @throws Failure `unlisted` when none are listed, conflict `slot_taken` when none are free.
 */
export function pickSlots<T extends OfferedSlot>(
  offered: readonly T[],
  { begins, minutes = 0, slotId, unlisted = 'slot_unknown' }: WantedSlots,
): readonly [T, ...T[]] {
  const runs = offered
    .filter((slot) => slot.begins === begins && (slotId ?? slot.id) === slot.id)
    .flatMap((first) => findRun(first, offered, minutes) ?? []);
  const free = runs.find(({ slots }) => slots.every(({ isFree }) => isFree));
  if (free) return free.slots;
  throw createPromisedFailure(runs.length > 0 ? 'slot_taken' : unlisted);
}

/** How long contiguous slots last, in whole minutes. */
export const computeMinutes = (slots: readonly [OfferedSlot, ...OfferedSlot[]]): number =>
  toMinute((slots.at(-1) ?? slots[0]).ends - slots[0].begins);

/** Slots of odd length, such as one until 10:19:59, follow each other all the same. */
const toMinute = (moment: number): number => Math.round(moment / 60_000);

function findRun<T extends OfferedSlot>(
  first: T,
  offered: readonly T[],
  minutes: number,
): { readonly slots: readonly [T, ...T[]] } | undefined {
  const slots: [T, ...T[]] = [first];
  for (let last = first; computeMinutes(slots) < minutes; slots.push(last)) {
    const next = offered.filter(
      ({ scheduleId, begins, ends }) =>
        scheduleId === first.scheduleId && toMinute(begins) === toMinute(last.ends) && toMinute(ends - begins) > 0,
    );
    const following = next.find(({ isFree }) => isFree) ?? next[0];
    if (!following) return undefined;
    last = following;
  }
  return { slots };
}

/** @throws Failure invalid at `slotId`: the offer is another one than the booking says. */
export function throwOfferMismatch(): never {
  const message = 'the offer is not for this time, service, practitioner and location';
  throw new Failure('invalid', message, { at: 'slotId' });
}
