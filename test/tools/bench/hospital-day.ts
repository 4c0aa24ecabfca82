import { formatNumber, summarize } from './statistics.ts';
import type { Result } from './variant.ts';

/** Visits to a hospital of 2,000 beds on a working day, three for each bed, all of them booked here. */
const VISITS = 6_000;
/** The busiest hour has 15 % of the day, and its busiest second three times its mean: one of so many of the day. */
const SECONDS = 8_000;

interface Operation {
  readonly name: string;
  /** For each visit. */
  readonly times: number;
  /** Where it was measured: the id of a comparison and a variant. */
  readonly memory: readonly [id: string, variant: string];
  /** The same over FHIR, or how many calls of the server it is, each of which costs what a read does. */
  readonly fhir: readonly [id: string, variant: string] | number;
}

const read = ['fhir-0', 'Puente over FHIR'] as const;
const operations: readonly Operation[] = [
  { name: 'reads', times: 20, memory: ['read', 'Puente on memory'], fhir: read },
  {
    name: 'searches for a slot, a page of ten',
    times: 5,
    memory: ['slots', 'Puente, page of ten of Group B'],
    fhir: ['fhir-slots', 'a page of ten'],
  },
  { name: 'searches for a patient', times: 1, memory: ['operations', 'patient search'], fhir: 1 },
  { name: 'bookings', times: 1, memory: ['operations', 'book'], fhir: 4 },
  { name: 'registrations', times: 0.1, memory: ['operations', 'register'], fhir: 3 },
];

export const dayAssumptions = `A hospital of 2,000 beds is taken to have ${VISITS.toLocaleString('en')} visits on a working day (three for each bed), and the busiest hour 15 % of them, with a second of three times its mean. For each visit a platform is taken to read 20 times, to search for slots five times and for the patient once, and to book once; one in ten is new. Over FHIR, what was not measured counts as a read for each of its calls of the server (a search one, a booking four, a registration three), and a page of ten is one of 12,000 free slots.`;

/** What such a hospital asks for, beside what one core does: a row for each operation, and what all of them take of it. */
export function listHospitalDay(results: ReadonlyMap<string, readonly Result[]>): string[][] {
  const pick = ([id, name]: readonly [string, string]): number =>
    summarize(
      results
        .get(id)
        ?.find((each) => each.name === name)
        ?.rounds.map(({ cpu }) => cpu) ?? [],
    ).median;
  const rows = operations.map(({ name, times, memory, fhir }) => {
    const [day, cpus] = [VISITS * times, [pick(memory), typeof fhir === 'number' ? fhir * pick(read) : pick(fhir)]];
    return { name, day, second: day / SECONDS, cpus };
  });
  const shares = [0, 1].map((at) => rows.reduce((sum, { second, cpus }) => sum + second * (cpus[at] ?? 0), 0) / 10_000);
  return [
    ...rows.map(({ name, day, second, cpus }) => [
      name,
      day.toLocaleString('en'),
      formatNumber(second),
      ...cpus.map((cpu) => formatNumber(1_000_000 / cpu)),
    ]),
    ['all of them, of one core', '', '', ...shares.map((share) => `${formatNumber(share)} %`)],
  ];
}
