import { z } from 'zod';
import type { ApiReader } from './api-reader.ts';
import type { FoundFixtures } from './found-fixtures.ts';
import type { Person } from './patients.ts';

const serviceBody = z.object({
  id: z.string(),
  practitioner_id: z.string(),
  active: z.boolean(),
  appointment_required: z.boolean(),
  min_age: z.number().nullable(),
  max_age: z.number().nullable(),
  sex_id: z.number().nullable(),
});
const serviceBodyB = z.object({ id: z.string(), type: z.string(), requiresAuthorization: z.boolean() });
const slotBody = z.object({
  date: z.string(),
  practitioner_id: z.string(),
  location_id: z.string(),
  mode: z.string(),
});
const idBody = z.object({ id: z.string() });

type Service = z.infer<typeof serviceBody>;
interface Bookable extends Service {
  readonly slots: readonly z.infer<typeof slotBody>[];
}

/** So many services are asked for their slots. */
const MAX_SERVICES = 40;

/** Finds services, practitioners and locations by the slots that they have. */
export async function lookForServices(
  reader: ApiReader,
  person: Person | undefined,
  findings: FoundFixtures,
): Promise<void> {
  const services = await reader.list(serviceBody, 'health_care_services', {
    route: 'GET /health-care-services/search',
  });
  const ofB = await readServicesB(reader, person);
  const isPractice = (id: string) => ofB.some((service) => service.id === id && service.type === 'PRACTICA');
  const isFree = ({ min_age, max_age, sex_id }: Service) => min_age === null && max_age === null && sex_id === null;
  findings.add('services.walkIn', services.find((each) => !each.appointment_required && isFree(each))?.id);
  findings.add('services.inactive', services.find(({ active }) => !active)?.id);

  const withSlots: Bookable[] = [];
  for (const service of services.filter((each) => each.appointment_required && each.active).slice(0, MAX_SERVICES)) {
    const slots = await reader.list(slotBody, 'appointments', {
      route: 'GET /available-appointments/search',
      query: { health_care_service_id: service.id },
    });
    withSlots.push({ ...service, slots });
  }
  const pairs = withSlots
    .filter((service) => !isPractice(service.id) && isForAdults(service) && listLocations(service).length > 1)
    .map((bookable) => ({ bookable, second: findSecond(bookable, withSlots) }));
  const unslotted = services.find((each) => each.appointment_required && (each.min_age ?? 0) > 0 && isForAdults(each));
  const { bookable = unslotted && { ...unslotted, slots: [] }, second } =
    pairs.find((pair) => pair.second) ?? pairs[0] ?? {};
  const first = second && bookable && findCommonLocation(bookable, second);
  const another = bookable && listLocations(bookable).find((location) => location !== first);
  const unsure = bookable && (bookable.min_age ?? 0) === 0 ? 'is it for adults only?' : undefined;
  findings.add('services.bookable', bookable?.id, unsure);
  findings.add('services.second', second?.id);
  findings.add('practitioners.bookable', bookable && (getPractitioner(bookable) || undefined));
  findings.add('practitioners.second', second && getPractitioner(second));
  findings.add('locations.first', first ?? (bookable && listLocations(bookable)[0]));
  findings.add('locations.another', another);
  const isVirtual = (service: Bookable) => service.slots.some(({ mode }) => mode === 'virtual');
  const givesBoth = (service: Bookable) => bookable && getPractitioner(service) === getPractitioner(bookable);
  findings.add('services.virtual', withSlots.find((each) => isVirtual(each) && givesBoth(each))?.id);
  findings.add('services.childrenOnly', services.find(({ max_age }) => (max_age ?? 99) < 21)?.id);
  const ofOneSex =
    withSlots.find(({ sex_id, slots }) => sex_id !== null && slots.length > 0) ??
    services.find(({ sex_id }) => sex_id !== null);
  findings.add('services.womenOnly', ofOneSex?.id, 'is it for women?');
  const needsAuthorization = (id: string) => ofB.some((service) => service.id === id && service.requiresAuthorization);
  const restricted = withSlots.find(({ id, slots }) => isPractice(id) && needsAuthorization(id) && slots.length > 0);
  findings.add('services.restricted', restricted?.id, 'is it for some plans only?');
  const frequent = await readFrequent(reader, person);
  if (frequent.length > 1)
    findings.add(
      'services.frequent',
      frequent.slice(0, 2).map(({ id }) => id),
    );
  await lookForPlaces(reader, findings);
}

/** Where no slot tells who is where, any practitioner and any location will do. */
async function lookForPlaces(reader: ApiReader, findings: FoundFixtures): Promise<void> {
  const practitioners = await reader.list(idBody, 'practitioner', { route: 'GET /practitioner/' });
  const locations = await reader.list(idBody, 'locations', { route: 'GET /location/' });
  const [bookable, second] = practitioners;
  const [first, another] = locations;
  const guesses = [
    ['practitioners.bookable', bookable],
    ['practitioners.second', second],
    ['locations.first', first],
    ['locations.another', another],
  ] as const;
  for (const [name, guess] of guesses) if (!findings.all.has(name)) findings.add(name, guess?.id, 'is it this one?');
}

const getPractitioner = ({ practitioner_id, slots }: Bookable): string =>
  practitioner_id || (slots[0]?.practitioner_id ?? '');

const isForAdults = ({ max_age, sex_id }: Service): boolean => max_age === null && sex_id === null;

const listLocations = ({ slots }: Bookable): string[] => [...new Set(slots.map(({ location_id }) => location_id))];

/** A service of another practitioner with slots at the same times. */
const findSecond = (bookable: Bookable, all: readonly Bookable[]): Bookable | undefined =>
  all.find((other) => {
    if (getPractitioner(other) === getPractitioner(bookable) || !isForAdults(other)) return false;
    const times = new Set(other.slots.map(({ date }) => date));
    return bookable.slots.some(({ date }) => times.has(date)) && findCommonLocation(bookable, other) !== undefined;
  });

const findCommonLocation = (bookable: Bookable, second: Bookable): string | undefined =>
  listLocations(bookable).find((location) => listLocations(second).includes(location));

const toInsured = (person: Person | undefined) => {
  const coverage = person?.coverages.find(({ active }) => active === 'true');
  return person && coverage ? { patientId: person.id, patientCoverageId: coverage.id, limit: '100' } : undefined;
};

async function readServicesB(reader: ApiReader, person: Person | undefined) {
  const query = toInsured(person);
  return query ? reader.list(serviceBodyB, 'data', { route: 'GET /v1/health-care-services', query }) : [];
}

async function readFrequent(reader: ApiReader, person: Person | undefined) {
  const query = toInsured(person);
  return query ? reader.list(idBody, 'data', { route: 'GET /v1/frequent-health-care-services', query }) : [];
}
