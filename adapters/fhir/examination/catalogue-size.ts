import { CATALOGUE_PAGE, type PartSize } from '../catalogue.ts';
import type { Settings } from '../settings.ts';

/** The share of a limit from which on it is warned of. */
const NEAR = 0.8;

/** Parts of the catalogue that a search may not read whole, or soon may not. */
export interface Crowding {
  readonly isOver: boolean;
  readonly detail: string;
  /** Names the settings. */
  readonly fix: string;
}

/** What is too large for the limits of a search, and then what nearly is. */
export function findCrowding(sizes: readonly PartSize[], { entries, pages }: Settings['limits']): Crowding[] {
  const bounds = [
    ['limits.entries', entries],
    ['limits.pages', pages * CATALOGUE_PAGE],
  ] as const;
  const limit = Math.min(...bounds.map(([, bound]) => bound));
  const describe = (isOver: boolean, least: number, most: number): Crowding[] => {
    const found = sizes.filter(({ size }) => size > least && size <= most);
    if (found.length === 0) return [];
    const largest = Math.max(...found.map(({ size }) => size));
    const names = bounds.filter(([, bound]) => largest > (isOver ? bound : bound * NEAR)).map(([name]) => name);
    const parts = found.map(({ type, size }) => `${size} ${type} resources`).join(', ');
    return [
      {
        isOver,
        detail: `the FHIR server has ${parts}, of which a search reads ${limit}${isOver ? ', so that free times and lists fail that need all of them' : ' at most'}`,
        fix: `raise ${names.join(' and ')}${isOver ? '' : ' before that is reached'}`,
      },
    ];
  };
  return [...describe(true, limit, Number.POSITIVE_INFINITY), ...describe(false, limit * NEAR, limit)];
}
