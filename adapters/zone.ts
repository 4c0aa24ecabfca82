import { Temporal } from 'temporal-polyfill';
import { type Day, Failure, type Instant, type LocalDateTime } from '../src/ports/index.ts';

/** The institution's clock on the wall: turns local times into moments and back. */
export class Zone {
  readonly #name: string;

  /** @param name IANA name, e.g. `America/Argentina/Buenos_Aires`. */
  constructor(name: string) {
    this.#name = name;
  }

  /** The day on the wall at that moment. */
  dayOf(moment: Instant): Day {
    return this.localOf(moment).slice(0, 10);
  }

  /** The date and time on the wall at that moment, to the second. */
  localOf(moment: Instant): LocalDateTime {
    return Temporal.Instant.from(moment)
      .toZonedDateTimeISO(this.#name)
      .toPlainDateTime()
      .toString({ smallestUnit: 'second' });
  }

  /**
   * The moment of a local time; the first of two where the clocks go back.
   * @throws Failure invalid `nonexistent_local_time` where a clock change skips it.
   */
  momentOf(local: LocalDateTime, at: string): Instant {
    const wanted = Temporal.PlainDateTime.from(local);
    const zoned = wanted.toZonedDateTime(this.#name, { disambiguation: 'earlier' });
    if (!zoned.toPlainDateTime().equals(wanted)) {
      throw new Failure('invalid', 'a change of the clocks skips this local time', {
        code: 'nonexistent_local_time',
        at,
      });
    }
    return toInstant(zoned.toInstant());
  }

  /** The moment at which the day begins. */
  startOf(day: Day): Instant {
    return toInstant(Temporal.PlainDate.from(day).toZonedDateTime(this.#name).toInstant());
  }
}

const toInstant = (moment: Temporal.Instant): Instant => moment.toString({ fractionalSecondDigits: 3 });

/** So many days later; earlier when negative. */
export const addDays = (day: Day, days: number): Day => Temporal.PlainDate.from(day).add({ days }).toString();

/** So many minutes later on the wall. */
export const addMinutes = (local: LocalDateTime, minutes: number): LocalDateTime =>
  Temporal.PlainDateTime.from(local).add({ minutes }).toString({ smallestUnit: 'second' });

/** Completed years of life on that day. Whoever is born on 29 February completes a year on 1 March of a common year. */
export function ageOn(day: Day, birthDate: Day): number {
  const years = Number(day.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return day.slice(5) < birthDate.slice(5) ? years - 1 : years;
}
