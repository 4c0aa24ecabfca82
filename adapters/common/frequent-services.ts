import type { Call, Instant } from '../../src/ports/index.ts';
import { addMonths, type Zone } from '../../src/toolkit/zone.ts';

const MONTHS = 24;

/** The first moment of which appointments count for `CareServices.frequent`. */
export const computeFrequentSince = (zone: Zone, { now }: Pick<Call, 'now'>): Instant =>
  zone.toStartOfDay(addMonths(zone.toLocalDay(now), -MONTHS));

/** One appointment for a service, in milliseconds since 1970 (UTC). */
export interface Use {
  readonly serviceId: string | undefined;
  readonly begins: number;
}

/** Those of the services that were used: the most frequent first, of equally frequent ones the latest, else as they stand. */
export function rankByUse<T extends { readonly id: string }>(services: readonly T[], uses: readonly Use[]): T[] {
  const usesById = Map.groupBy(uses, ({ serviceId }) => serviceId);
  return services
    .map((service) => ({ service, moments: (usesById.get(service.id) ?? []).map(({ begins }) => begins) }))
    .filter(({ moments }) => moments.length > 0)
    .toSorted((a, b) => b.moments.length - a.moments.length || Math.max(...b.moments) - Math.max(...a.moments))
    .map(({ service }) => service);
}
