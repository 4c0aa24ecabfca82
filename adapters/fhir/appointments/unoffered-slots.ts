import type { Call, Finding } from '../../../src/ports/index.ts';
import { isOffered } from '../care-services/read.ts';
import type { FhirContext } from '../context.ts';
import { nameSome } from '../examination/name-some.ts';
import { examineOffsets } from '../examination/offsets.ts';
import { parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { computeBookingHorizon, isForService, readScheduleIndex } from './schedules.ts';
import { countSlots, listIds, MAX_ROWS } from './slot-search.ts';
import { listSlots, withAppointments } from './taken-slots.ts';

const SLOTS_PER_PAGE = 500;
/** The free slots to come: their times, and those that nobody can be offered, by the reason. A slot names no patient. */
export async function* examineFreeSlots(context: FhirContext, call: Call): AsyncGenerator<Finding> {
  const check = 'free slots';
  const [explain, found] = [await createExplanation(context, call), await findFreeSlots(context, call)];
  const unreadable = found.unreadable.filter(({ type }) => type === 'Slot');
  const total = found.matches.length + unreadable.length;
  const looked = found.more ? `the first ${total}` : String(total);
  yield examineOffsets(
    found.matches.map(({ start }) => start),
    context.zone,
  );
  if (found.more) yield* examineBound(context, call);
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

/** Services with more free slots than a list without pages has rows. */
async function* examineBound(context: FhirContext, call: Call): AsyncGenerator<Finding> {
  const { matches } = await context.catalogue.services.get(call);
  const index = await readScheduleIndex(context, call);
  for (const service of matches.filter((each) => isOffered(each, context))) {
    const count = await countSlots(context, listIds(index.findByService(service)), toCriteria(context, call), call);
    if (count === undefined || count <= MAX_ROWS) continue;
    yield {
      check: 'free slots',
      ok: false,
      detail: `HealthcareService/${service.id} has ${count} free slots to come, of which a list without pages leaves out those after the first ${MAX_ROWS}`,
      fix: 'publish fewer slots, or shorten institution.bookingHorizonDays',
    };
  }
}

const toCriteria = (context: FhirContext, call: Call) => ({
  status: 'free',
  start: [`ge${call.now}`, `lt${computeBookingHorizon(context, call)}`],
});

function findFreeSlots(context: FhirContext, call: Call) {
  const query = {
    ...toCriteria(context, call),
    ...withAppointments,
    _sort: 'start',
    _count: String(SLOTS_PER_PAGE),
  };
  const options = { enough: MAX_ROWS, entries: MAX_ROWS, pages: MAX_ROWS, lenient: true } as const;
  return context.client.search('Slot', query, call, options);
}

/** Tells of each free slot why nobody can be offered it; undefined when somebody can. */
async function createExplanation(context: FhirContext, call: Call) {
  const { matches } = await context.catalogue.services.get(call);
  const index = await readScheduleIndex(context, call);
  const services = matches.filter((service) => isOffered(service, context));
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
