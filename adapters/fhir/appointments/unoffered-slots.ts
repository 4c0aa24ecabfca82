import type { Call, Finding } from '../../../src/ports/index.ts';
import { ignoreFailure } from '../../../src/toolkit/ignore-failure.ts';
import { isOffered } from '../care-services/read.ts';
import type { FhirContext } from '../context.ts';
import { nameSome } from '../examination/name-some.ts';
import { examineOffsets } from '../examination/offsets.ts';
import { parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { computeBookingHorizon, isForService, readScheduleIndex, type ScheduleIndex } from './schedules.ts';
import { countSlots, listIds, MAX_ROWS } from './slot-search.ts';
import { listSlots, withAppointments } from './taken-slots.ts';

const SLOTS_PER_PAGE = '500';

/** The free slots to come: their times, and those that nobody can be offered, by the reason. A slot names no patient. */
export async function* examineFreeSlots(context: FhirContext, call: Call): AsyncGenerator<Finding> {
  const check = 'free slots';
  const { matches } = await context.catalogue.services.get(call);
  const services = matches.filter((service) => isOffered(service, context));
  const index = await readScheduleIndex(context, call);
  const explain = createExplanation(context, index, services);
  const free = { status: 'free', start: [`ge${call.now}`, `lt${computeBookingHorizon(context, call)}`] };
  const query = { ...free, ...withAppointments, _sort: 'start', _count: SLOTS_PER_PAGE };
  const options = { enough: MAX_ROWS, entries: MAX_ROWS, pages: MAX_ROWS, lenient: true } as const;
  const found = await context.client.search('Slot', query, call, options);
  const starts = found.matches.map(({ start }) => start);
  yield examineOffsets(starts, context.zone);
  for (const service of found.more ? services : []) {
    const ids = listIds(index.findByService(service));
    const count = (await countSlots(context, ids, free, call).catch(ignoreFailure)) ?? 0;
    if (count <= MAX_ROWS) continue;
    const detail = `HealthcareService/${service.id} has ${count} free slots to come, of which a list without pages leaves out those after the first ${MAX_ROWS}`;
    yield { check, ok: false, detail, fix: 'publish fewer slots, or shorten institution.bookingHorizonDays' };
  }
  const unreadable = found.unreadable.filter(({ type }) => type === 'Slot');
  const total = starts.length + unreadable.length;
  const looked = found.more ? `the first ${total}` : String(total);
  const odd = [
    ...listSlots(found).map((slot) => ({ slot, why: explain(slot) })),
    ...unreadable.map(({ element }) => ({ slot: undefined, why: `their ${element} is not what FHIR says` })),
  ];
  for (const [why, same] of Map.groupBy(odd, (each) => each.why)) {
    if (why === undefined) continue;
    const named = nameSome([...new Set(same.flatMap(({ slot }) => slot?.schedule.reference ?? []))]);
    yield {
      check,
      ok: null,
      detail: `${same.length} of ${looked} free slots to come can be offered to nobody: ${why}${named && ` (${named})`}`,
      fix: 'correct the schedule or the slots, if patients are to have them (docs/fhir/set-up.md, 7)',
    };
  }
  if (odd.every(({ why }) => why === undefined)) {
    yield total > 0
      ? { check, ok: true, detail: `each of ${looked} free slots to come can be offered` }
      : { check, ok: null, detail: 'there is no free slot to come' };
  }
}

/** Tells of each free slot why nobody can be offered it; undefined when somebody can. */
function createExplanation(
  context: FhirContext,
  index: ScheduleIndex,
  services: readonly Resource<'HealthcareService'>[],
) {
  const offered = services.flatMap((service) => index.findByService(service).map(({ id }) => ({ id, service })));
  const servicesOf = Map.groupBy(offered, ({ id }) => id);
  return ({ schedule, start, end, overbooked, ...slot }: Resource<'Slot'>): string | undefined => {
    const id = parseReferenceId(schedule, 'Schedule') ?? '';
    const own = servicesOf.get(id);
    if (!own) return index.explain(id, services);
    if (overbooked === true) return 'they are overbooked';
    if (slot.status === 'busy') return 'a booked appointment names them';
    if (slot.status !== 'free') return 'they are kept for emergencies, or for those who come without an appointment';
    if (Date.parse(end) - Date.parse(start) < 60_000) return 'they last less than a minute';
    if (context.zone.isRepeated(start)) return 'their local time comes for the second time, as the clocks go back';
    const isForAny = own.some(({ service }) => isForService({ schedule, start, end, ...slot }, service, context));
    return isForAny ? undefined : 'they are for a service that their schedule is not for, or that is not offered';
  };
}
