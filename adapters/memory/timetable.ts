/** A stretch of time in milliseconds since 1970, without its last moment. */
export interface Stretch {
  readonly begins: number;
  readonly ends: number;
}

/** Whether they share a moment; the last one of a stretch is not in it. */
export const overlap = (a: Stretch, b: Stretch): boolean => a.begins < b.ends && b.begins < a.ends;

const DAY = 86_400_000;

/** When people are busy. A question about a stretch of time costs the same however long the timetable is. */
export class Timetable {
  /** By person and UTC day; a stretch over midnight stands under both days. */
  readonly #busy = new Map<string, Stretch[]>();

  add(person: string, stretch: Stretch): void {
    for (const key of keys(person, stretch)) {
      const list = this.#busy.get(key);
      if (list) list.push(stretch);
      else this.#busy.set(key, [stretch]);
    }
  }

  /** Takes out the very object that was added. */
  remove(person: string, stretch: Stretch): void {
    for (const key of keys(person, stretch)) {
      const rest = this.#busy.get(key)?.filter((other) => other !== stretch) ?? [];
      if (rest.length > 0) this.#busy.set(key, rest);
      else this.#busy.delete(key);
    }
  }

  isFree(person: string, stretch: Stretch): boolean {
    return keys(person, stretch).every((key) => !this.#busy.get(key)?.some((other) => overlap(other, stretch)));
  }
}

function keys(person: string, { begins, ends }: Stretch): string[] {
  const days: string[] = [];
  for (let day = Math.floor(begins / DAY); day * DAY < ends; day++) days.push(`${person} ${day}`);
  return days;
}
