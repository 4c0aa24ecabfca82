import type { Resource } from '../schema/resources.ts';

type Role = Resource<'PractitionerRole'>;

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const words = ['Lun', 'Mar', 'Mié', 'Jue', 'Vie', 'Sáb', 'Dom'] as const;

/** The working hours in words, as `Lun-Vie: 09:00-12:00; Mar, Jue: 15:00-18:00; Sáb: desde 08:00`. */
export function formatWorkingHours(roles: readonly Role[]): string {
  const daysOf = new Map<string, Set<number>>();
  for (const { availableTime = [] } of roles) {
    for (const { daysOfWeek = [...days], allDay, availableStartTime = '', availableEndTime = '' } of availableTime) {
      const hours = allDay ? '24h' : formatHours(availableStartTime.slice(0, 5), availableEndTime.slice(0, 5));
      const named = daysOfWeek.flatMap((day) => day ?? []);
      if (hours === '' || named.length === 0) continue;
      const known = daysOf.get(hours) ?? new Set();
      for (const day of named) known.add(days.indexOf(day));
      daysOf.set(hours, known);
    }
  }
  const regular = [...daysOf].map(([hours, set]) => `${formatDays([...set].toSorted())}: ${hours}`);
  const exceptions = roles.flatMap(({ availabilityExceptions }) => availabilityExceptions ?? []);
  return [...regular, ...new Set(exceptions)].join('; ');
}

/** Of hours that have one end, what is known of them; empty when nothing is. */
const formatHours = (from: string, to: string): string =>
  from && to ? `${from}-${to}` : from ? `desde ${from}` : to && `hasta ${to}`;

/** Writes three days or more in a row as a span. */
function formatDays(sorted: readonly number[]): string {
  const spans: [number, number][] = [];
  for (const day of sorted) {
    const last = spans.at(-1);
    if (last && last[1] === day - 1) last[1] = day;
    else spans.push([day, day]);
  }
  return spans
    .flatMap(([from, to]) => (to - from >= 2 ? [`${words[from]}-${words[to]}`] : words.slice(from, to + 1)))
    .join(', ');
}
