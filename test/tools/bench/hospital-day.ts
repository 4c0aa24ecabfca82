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

export const dayAssumptions = `The model hospital has 2,000 beds and ${VISITS.toLocaleString('en')} visits on a working day, three per bed. The busiest hour has 15 % of the visits, and its busiest second three times the hour's mean. Per visit, a platform reads 20 times, searches five times for slots and once for the patient, and books once. One visit in ten registers a new patient. Over FHIR, operations that were not measured count as one read per call to the server: a search has one call, a booking four, a registration three. A page of ten comes from 12,000 free slots.`;

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
    ['all operations, share of one core', '', '', ...shares.map((share) => `${formatNumber(share)} %`)],
  ];
}
