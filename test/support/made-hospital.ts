import { listSlotStarts } from '../../adapters/common/schedules.ts';
import type { WorldFile } from '../../adapters/memory/world-file.ts';
import type { Schedule } from '../../adapters/memory/world-records.ts';
import { sandbox } from '../../src/contract/fixtures.ts';
import { addDays } from '../../src/toolkit/zone.ts';

/** A fixture map of a hospital that `puente sandbox make` has written, as far as it has such records. */
export function toMap(world: WorldFile): object {
  const { services, schedules, carriers, ticketTypes, changeReasons } = world;
  const inactive = world.coverages.find(({ patientId, active }) => patientId === 'ana' && !active);
  const coverageOf = (id: string) => world.coverages.find(({ patientId, active }) => patientId === id && active)?.id;
  const agendasOf = (id = '') => schedules.filter(({ serviceId }) => serviceId === id);
  const placesOf = (id = '') => [...new Set(agendasOf(id).map(({ locationId }) => locationId))];
  const adult = services.find(({ id, minAge, sex }) => (minAge ?? 0) > 8 && !sex && placesOf(id).length > 1);
  const [first, another] = placesOf(adult?.id);
  const bookable = agendasOf(adult?.id)[0]?.practitionerId;
  const second = schedules.find(
    (each) =>
      each.practitionerId !== bookable &&
      each.locationId === first &&
      agendasOf(adult?.id).some((own) => own.practitionerId === bookable && startsWith(own, each)) &&
      !agendasOf(adult?.id).some(({ practitionerId }) => practitionerId === each.practitionerId),
  );
  const virtual = schedules.find((each) => each.modality === 'virtual' && each.practitionerId === bookable)?.serviceId;
  const isForAll = ({ minAge, maxAge, sex }: Service) => minAge === null && maxAge === null && sex === null;
  const plans = carriers.flatMap((carrier) => carrier.plans.filter((plan) => plan.active && carrier.active));
  const withPlans = carriers.find((carrier) => carrier.active && carrier.plans.length > 0);
  const filled = ticketTypes.flatMap(({ id, fields }) => {
    const checked = fields.find(({ type, validationRegex }) => type === 'string' && validationRegex !== '');
    const date = fields.find(({ type }) => type === 'date');
    return checked && date ? [{ id, checked: { ...sandbox.ticketType.checked, id: checked.id }, date: date.id }] : [];
  })[0];
  const map = {
    cancelUntilHours: 24,
    patients: { complete: 'ana', bare: 'bruno', child: 'camila', passportHolder: 'dario', payer: 'raul-escudero' },
    identity: sandbox.identity,
    passport: sandbox.passport,
    coverages: {
      active: coverageOf('ana'),
      inactive: inactive?.id,
      ofBare: coverageOf('bruno'),
      ofChild: coverageOf('camila'),
    },
    plans: { accepted: plans[0]?.id, another: plans[1]?.id },
    carriers: {
      withPlans: withPlans && { id: withPlans.id, name: withPlans.name },
      withoutPlans: carriers.find((each) => each.plans.length === 0)?.id,
    },
    services: {
      bookable: adult?.id,
      second: second?.serviceId,
      virtual,
      womenOnly: services.find(({ id, sex }) => sex === 'Female' && agendasOf(id).length > 0)?.id,
      childrenOnly: services.find(({ maxAge }) => maxAge !== null && maxAge < (adult?.minAge ?? 0))?.id,
      walkIn: services.find((each) => !each.appointmentRequired && isForAll(each))?.id,
      frequent: findFrequent(world),
    },
    practitioners: { bookable, second: second?.practitionerId },
    locations: { first, another },
    ticketType: filled,
    changeReason: changeReasons[0]?.id,
  };
  return JSON.parse(JSON.stringify(map));
}

type Service = WorldFile['services'][number];

/** Whether the one has slots that begin when those of the other do. */
const startsWith = (one: Schedule, other: Schedule): boolean =>
  Array.from({ length: 7 }, (_, i) => addDays('2026-11-02', i)).some((day) =>
    listSlotStarts(one, day).some((start) => listSlotStarts(other, day).includes(start)),
  );

/** The two services that Ana has had most often, if they differ in that. */
function findFrequent({ appointments, schedules }: WorldFile): readonly string[] | undefined {
  const serviceOf = new Map(schedules.map(({ id, serviceId }) => [id, serviceId]));
  const own = appointments.filter(({ patientId, status }) => patientId === 'ana' && status === 'active');
  const counted = [...Map.groupBy(own, ({ scheduleId }) => serviceOf.get(scheduleId)!)];
  const [most, next] = counted.map(([id, all]) => ({ id, count: all.length })).toSorted((a, b) => b.count - a.count);
  return most && next && most.count > next.count ? [most.id, next.id] : undefined;
}
