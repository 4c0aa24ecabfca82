/** A span of time in milliseconds since 1970; `ends` is not in it. */
export interface Interval {
  readonly begins: number;
  readonly ends: number;
}

/** Whether they share a moment. */
export const overlaps = (a: Interval, b: Interval): boolean => a.begins < b.ends && b.begins < a.ends;

const DAY = 86_400_000;

/** When people are busy. A lookup costs the same however many intervals a person has. */
export class BusyIntervals {
  /** By person and UTC day; an interval over midnight is under both days. */
  readonly #busy = new Map<string, Map<number, Interval[]>>();

  add(person: string, interval: Interval): void {
    const days = this.#busy.get(person) ?? new Map<number, Interval[]>();
    this.#busy.set(person, days);
    for (let day = toDay(interval.begins); day * DAY < interval.ends; day++) {
      const list = days.get(day);
      if (list) list.push(interval);
      else days.set(day, [interval]);
    }
  }

  /** Removes the object that was added; an equal one stays. */
  remove(person: string, interval: Interval): void {
    const days = this.#busy.get(person);
    for (let day = toDay(interval.begins); day * DAY < interval.ends; day++) {
      const rest = days?.get(day)?.filter((other) => other !== interval) ?? [];
      if (rest.length > 0) days?.set(day, rest);
      else days?.delete(day);
    }
    if (days?.size === 0) this.#busy.delete(person);
  }

  isFree(person: string, interval: Interval): boolean {
    const days = this.#busy.get(person);
    if (!days) return true;
    for (let day = toDay(interval.begins); day * DAY < interval.ends; day++) {
      if (days.get(day)?.some((other) => overlaps(other, interval))) return false;
    }
    return true;
  }

  /** How many of the intervals that were added share a moment with this one. */
  count(person: string, interval: Interval): number {
    const found = new Set<Interval>();
    for (let day = toDay(interval.begins); day * DAY < interval.ends; day++) {
      for (const other of this.#busy.get(person)?.get(day) ?? []) if (overlaps(other, interval)) found.add(other);
    }
    return found.size;
  }
}

/** Since 1970, in UTC. */
const toDay = (moment: number): number => Math.floor(moment / DAY);
