import type { Finding } from '../../../src/ports/index.ts';
import type { Zone } from '../../../src/toolkit/zone.ts';

/** Whether the times of free slots are in UTC or as the institution's zone has them; others were written by another clock. */
export function examineOffsets(starts: readonly string[], zone: Zone): Finding {
  const check = 'time zone';
  if (starts.length === 0) return { check, ok: null, detail: 'there is no slot to come whose time could be compared' };
  const odd = starts.filter((start) => !isOfZone(start, zone));
  if (odd.length === 0) {
    return { check, ok: true, detail: `the times of ${starts.length} slots to come are in UTC or as in ${zone.name}` };
  }
  const offsets = [...new Set(odd.map(readOffset))].toSorted().join(', ');
  return {
    check,
    ok: false,
    detail: `the times of ${odd.length} of ${starts.length} slots to come have the offset ${offsets}, which ${zone.name} does not have then`,
    fix: 'set institution.timeZone to the zone of the institution, or correct what writes these slots',
  };
}

const readOffset = (instant: string): string => /(Z|[+-]\d{2}:\d{2})$/.exec(instant)?.[1] ?? '';

/** Whether the wall clock that the text shows is that of the zone, or of UTC. */
function isOfZone(instant: string, zone: Zone): boolean {
  const offset = readOffset(instant);
  if (offset === 'Z' || offset === '+00:00') return true;
  const shown = instant.slice(0, 16);
  return zone.toLocalTime(new Date(instant).toISOString()).slice(0, 16) === shown;
}
