const DAY = 86_400_000;
const OFFSET = '-03:00';

/** Dates of Buenos Aires relative to a moment. The city is three hours behind UTC all the year. */
export class Calendar {
  readonly #now: number;

  constructor(now: Date) {
    this.#now = now.getTime();
  }

  /**
   * A time in a week: 0 is the current one (Monday to Sunday), -3 was three weeks ago.
   * @param weekday from 1, Monday, to 7.
   * @param time `hh:mm`
   */
  at(week: number, weekday: number, time: string): string {
    const today = new Date(this.#now - 3 * 3_600_000);
    const sinceMonday = (today.getUTCDay() + 6) % 7;
    return this.ago(sinceMonday - week * 7 - (weekday - 1), time);
  }

  /** A time so many days ago. */
  ago(days: number, time: string): string {
    const day = new Date(this.#now - 3 * 3_600_000 - days * DAY).toISOString().slice(0, 10);
    return `${day}T${time}:00${OFFSET}`;
  }
}

/** So many minutes later, in the same offset. */
export const addMinutes = (moment: string, minutes: number): string =>
  new Date(Date.parse(moment) + minutes * 60_000 - 3 * 3_600_000).toISOString().slice(0, 19) + OFFSET;
