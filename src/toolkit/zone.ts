import { Temporal } from 'temporal-polyfill';
import { type Day, Failure, type Instant, type LocalDateTime, type LocalTime } from '../ports/index.ts';

/** Converts between local times in the institution's time zone and instants in UTC. */
export class Zone {
  /** Zones with the same name share their days. */
  static readonly #daysOf = new Map<string, Map<Day, DaySpan>>();
  readonly name: string;
  readonly #days: Map<Day, DaySpan>;

  /** @param name IANA name, e.g. `America/Argentina/Buenos_Aires`. */
  constructor(name: string) {
    this.name = name;
    this.#days = Zone.#daysOf.get(name) ?? new Map<Day, DaySpan>();
    Zone.#daysOf.set(name, this.#days);
  }

  /** The local day at that instant. */
  toLocalDay(instant: Instant): Day {
    return this.toLocalTime(instant).slice(0, 10);
  }

  /** The local date and time at that instant, to the second. */
  toLocalTime(instant: Instant): LocalDateTime {
    return this.#findLocalTime(instant) ?? this.#computeLocalTime(instant);
  }

  /** Uses the cached days, unless the clocks change on the day of the instant. */
  #findLocalTime(instant: Instant): LocalDateTime | undefined {
    const epoch = utcPattern.test(instant) ? Date.parse(instant) : Number.NaN;
    if (Number.isNaN(epoch) || formatSecond(epoch) !== instant.slice(0, 19)) return undefined;
    // A zone is at most a day ahead of UTC or behind it.
    for (const day of [epoch, epoch - DAY_MS, epoch + DAY_MS].map(toDay)) {
      const { begins, ends } = this.#findSpan(day);
      if (begins > epoch || epoch >= ends) continue;
      return ends - begins === DAY_MS ? formatSecond(toUtc(day) + epoch - begins) : undefined;
    }
    return undefined;
  }

  #computeLocalTime(instant: Instant): LocalDateTime {
    // FHIR allows any number of digits, Temporal nine.
    const local = Temporal.Instant.from(instant.replace(/\.\d+/, '')).toZonedDateTimeISO(this.name).toPlainDateTime();
    return formatSecond(local.toZonedDateTime('UTC').epochMilliseconds);
  }

  /**
   * Converts a local time to an instant. If the clocks go back, it returns the earlier of two instants.
   * @throws Failure invalid `nonexistent_local_time` when a clock change skips the time.
   */
  toInstant(local: LocalDateTime, at: string): Instant {
    const epoch = this.toEpoch(local);
    if (epoch === undefined) {
      throw new Failure('invalid', 'a clock change skips this local time', {
        code: 'nonexistent_local_time',
        at,
      });
    }
    return formatBound(epoch);
  }

  /** As `toInstant`, in milliseconds since 1970 (UTC). Undefined if a clock change skips the time. */
  toEpoch(local: LocalDateTime): number | undefined {
    const { begins, ends } = this.#findSpan(local.slice(0, 10));
    if (ends - begins === DAY_MS) return begins + parseMillisecondsOfDay(local);
    const wanted = Temporal.PlainDateTime.from(local);
    const zoned = wanted.toZonedDateTime(this.name, { disambiguation: 'earlier' });
    return zoned.toPlainDateTime().equals(wanted) ? zoned.epochMilliseconds : undefined;
  }

  /** True if the instant is the second one with its local time, after the clocks go back. */
  isRepeated(instant: Instant): boolean {
    return Date.parse(instant) - (this.toEpoch(this.toLocalTime(instant)) ?? 0) >= 1000;
  }

  /** Converts minutes since midnight of that day as `toEpoch` does. */
  createDayClock(day: Day): (minutes: number) => number | undefined {
    const { begins, ends } = this.#findSpan(day);
    if (ends - begins === DAY_MS) return (minutes) => begins + minutes * 60_000;
    return (minutes) => this.toEpoch(addMinutes(`${day}T00:00:00`, minutes));
  }

  /** The instant at which the day begins, but not before the year 1. */
  toStartOfDay(day: Day): Instant {
    return formatBound(this.#findSpan(day).begins);
  }

  /** The instant at which the next day begins, but not after the year 9999. */
  toEndOfDay(day: Day): Instant {
    return formatBound(this.#findSpan(day).ends);
  }

  /** Cached, because time zone arithmetic takes a hundred times as long as the rest of a slot. */
  #findSpan(day: Day): DaySpan {
    const known = this.#days.get(day);
    if (known) return known;
    const date = Temporal.PlainDate.from(day);
    // The span of an adjacent cached day saves half of the computation.
    const before = this.#days.get(addDays(day, -1));
    const after = this.#days.get(addDays(day, 1));
    const begins = before?.ends ?? date.toZonedDateTime(this.name).epochMilliseconds;
    const ends = after?.begins ?? date.add({ days: 1 }).toZonedDateTime(this.name).epochMilliseconds;
    const span = { begins, ends };
    if (this.#days.size >= MAX_DAYS) this.#days.clear();
    this.#days.set(day, span);
    return span;
  }
}

// The calendar of the API: years of four digits, from 1 to 9999. Values outside become its first or last instant.
// Nobody has an appointment there, and such a day could not be parsed again.
const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** The instant as a bound of a search. Limited to the years 1 to 9999, because systems reject others. */
export const formatBound = (epoch: number): Instant => new Date(Math.min(Math.max(epoch, FIRST), LAST)).toISOString();

/** An instant in UTC in a year whose next day also has four digits. */
const utcPattern = /^(?!9999)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** The start and the end of a day, in milliseconds since 1970. They are 24 hours apart unless the clocks change. */
interface DaySpan {
  readonly begins: number;
  readonly ends: number;
}

/**
 * Limits the cache, because callers choose the days. These are 27 years: a hospital's appointments must fit, since a
 * cache that they fill is emptied again and again.
 */
const MAX_DAYS = 10_000;

const parseMillisecondsOfDay = (local: LocalDateTime): number =>
  (Number(local.slice(11, 13)) * 3600 + Number(local.slice(14, 16)) * 60 + Number(local.slice(17, 19))) * 1000;

const DAY_MS = 86_400_000;

const formatSecond = (epoch: number): LocalDateTime => formatBound(epoch).slice(0, 19);
const toUtc = (day: Day): number => Date.parse(`${day}T00:00:00Z`);
const toDay = (utc: number): Day => formatBound(utc).slice(0, 10);

/** Adds days. A negative number subtracts. Results outside the calendar become its first or last day. */
export const addDays = (day: Day, days: number): Day => toDay(toUtc(day) + days * DAY_MS);

/** Lists the days from the first to the last one, both inclusive. */
export function listDaysBetween(first: Day, last: Day): Day[] {
  const days: Day[] = [];
  for (let utc = toUtc(first), end = toUtc(last); utc <= end; utc += DAY_MS) days.push(toDay(utc));
  return days;
}

/** Adds months. A negative number subtracts. A day beyond the end of the month becomes its last day. */
export const addMonths = (day: Day, months: number): Day =>
  toDay(Temporal.PlainDate.from(day).add({ months }).toZonedDateTime('UTC').epochMilliseconds);

/** Adds minutes to the local time, as if the clocks never changed. */
export const addMinutes = (local: LocalDateTime, minutes: number): LocalDateTime =>
  formatSecond(Date.parse(`${local}Z`) + minutes * 60_000);

/** 0 for Monday to 6 for Sunday. */
export const getWeekday = (day: Day): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;

/** Minutes since midnight of `hh:mm`. */
export const parseMinutes = (time: LocalTime): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/**
 * The age in completed years on that day. A person born on 29 February completes a year on 1 March of a common year.
 */
export function computeAge(day: Day, birthDate: Day): number {
  const years = Number(day.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return day.slice(5) < birthDate.slice(5) ? years - 1 : years;
}

/**
 * The clock for requests and tokens. A test replaces it by `rebind(parts.clock)`. Rows of a database use the clock that
 * their gateways share (`State.now`), and durations use `performance.now`.
 */
export interface Clock {
  now(): Date;
}

let last = { epoch: Number.NaN, text: '' };

/** Formats as `toISOString` does, but caches: on a busy gateway many calls fall into the same millisecond. */
export function formatMoment(moment: Date): Instant {
  const epoch = moment.getTime();
  if (epoch !== last.epoch) last = { epoch, text: moment.toISOString() };
  return last.text;
}
