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
  readonly #busy = new Map<string, Interval[]>();

  add(person: string, interval: Interval): void {
    for (const key of toKeys(person, interval)) {
      const list = this.#busy.get(key);
      if (list) list.push(interval);
      else this.#busy.set(key, [interval]);
    }
  }

  /** Removes the object that was added; an equal one stays. */
  remove(person: string, interval: Interval): void {
    for (const key of toKeys(person, interval)) {
      const rest = this.#busy.get(key)?.filter((other) => other !== interval) ?? [];
      if (rest.length > 0) this.#busy.set(key, rest);
      else this.#busy.delete(key);
    }
  }

  isFree(person: string, interval: Interval): boolean {
    return toKeys(person, interval).every((key) => !this.#busy.get(key)?.some((other) => overlaps(other, interval)));
  }
}

function toKeys(person: string, { begins, ends }: Interval): string[] {
  const days: string[] = [];
  for (let day = Math.floor(begins / DAY); day * DAY < ends; day++) days.push(`${person} ${day}`);
  return days;
}
