import { expect } from '@jest/globals';
import type { Answered, Booking } from './mapped-gateways.ts';
import type { MappedSystem } from './mapped-systems.ts';

const toMinute = (time: string): string => time.replaceAll(/\D/g, '').slice(0, 12);

/** All were told as made, and the system has each of them once, and nothing else. */
export async function expectBookedOnce(
  { listBooked }: Pick<MappedSystem, 'listBooked'>,
  answers: readonly Answered[],
): Promise<void> {
  const booked = await listBooked('1002');
  expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
  expect(booked.map(({ id }) => id).toSorted()).toEqual(answers.map(({ id }) => id).toSorted());
  expect(new Set(booked.map(({ start }) => start)).size).toBe(answers.length);
}

/** The system has what was told as made, and not what was told as not made. Returns how many it has. */
export async function expectToldRightly(
  { listBooked }: Pick<MappedSystem, 'listBooked'>,
  bookings: readonly Booking[],
  answers: readonly Answered[],
): Promise<number> {
  const booked = await listBooked('1002');
  const starts = new Set(booked.map(({ start }) => toMinute(start)));
  for (const [i, { status, id }] of answers.entries()) {
    expect([201, 502, 503, 504]).toContain(status);
    if (status === 201) expect(booked.map((each) => each.id)).toContain(id);
    if (status === 502 || status === 503) expect(starts).not.toContain(toMinute(bookings[i]!.date));
  }
  expect(starts.size).toBe(booked.length);
  return booked.length;
}
