import { getCauseCode, TOO_LARGE } from '../../../src/http-client/failures.ts';
import { type Call, Failure } from '../../../src/ports/index.ts';
import { addDays, listDaysBetween } from '../../../src/toolkit/zone.ts';
import { computeLastDay } from '../../common/bookable.ts';
import type { MappingFile } from '../file/schema.ts';
import type { ThingName } from '../file/things.ts';
import type { Hospital } from '../ports/hospital.ts';
import { listSlots, type SystemSlot } from '../ports/slots.ts';
import { createCall } from './entries.ts';
import { explainFailure } from './explain.ts';
import { mask } from './mask.ts';

/** A window of days, both inclusive. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** From today to the last day on which somebody may book. */
export function findBookableDays({ zone, bookingHorizonDays }: Hospital): Days {
  const call = createCall();
  return { from: zone.toLocalDay(call.now), to: computeLastDay(zone, bookingHorizonDays, call) };
}

/** A window under all names that a question may use. */
export const toWindow = (from: string, to: string) => ({
  from,
  to,
  fromDay: `${from.slice(0, 10)}T00:00:00`,
  toDay: `${to.slice(0, 10)}T00:00:00`,
});

/** Without the agenda, the rehearsal of a booking is impossible. */
export const unproven = 'until then nothing proves that a slot is booked once';
export const agenda: readonly string[] = ['schedules', 'slots', 'exceptions', 'taken'] satisfies ThingName[];

/** The problem and its repair if an agenda has more records than one answer may have. Undefined for other failures. */
export function explainTooMany({ database, http }: MappingFile, failure: Failure): string | undefined {
  if (getCauseCode(failure) !== TOO_LARGE || failure.at !== 'records') return undefined;
  const records = database ? `database.records (${database.records})` : `http.records (${http?.records})`;
  return `more than ${records}: raise it; ${unproven}`;
}

/** A part of the agenda that cannot be read, not even day by day. */
export class UnreadAgenda extends Error {
  readonly problem: { readonly path: readonly string[]; readonly what: string };

  constructor(file: MappingFile, thing: ThingName, failure: Failure) {
    const why = explainFailure(failure, mask) ?? failure.message;
    const what = explainTooMany(file, failure) ?? `cannot be read: ${why}; ${unproven}`;
    super(what);
    this.problem = { path: [thing], what };
  }
}

/**
 * Reads a window, in halves where one answer would be too large or would take too long.
 * @throws UnreadAgenda where one day fails, or the system does.
 */
export async function readDays<T>(
  { file }: Pick<Hospital, 'file'>,
  thing: ThingName,
  { from, to }: Days,
  read: (days: Days, call: Call) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  try {
    return await read({ from, to }, createCall());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isLarge = getCauseCode(error) === TOO_LARGE || error.kind === 'timeout';
    if (!isLarge || from >= to) throw new UnreadAgenda(file, thing, error);
    const middle = addDays(from, Math.floor((listDaysBetween(from, to).length - 1) / 2));
    return [
      ...(await readDays({ file }, thing, { from, to: middle }, read)),
      ...(await readDays({ file }, thing, { from: addDays(middle, 1), to }, read)),
    ];
  }
}

/** The slots of these days, free and taken, by start. @throws UnreadAgenda */
export const readSlots = (hospital: Hospital, days: Days): Promise<readonly SystemSlot[]> =>
  readDays(hospital, hospital.has('schedules.all') ? 'schedules' : 'slots', days, (part, call) =>
    listSlots(hospital, part, call),
  );
