import { readdirSync, readFileSync } from 'node:fs';
import type { ResourceType } from '@medplum/fhirtypes';
import type { FhirServer } from '../fhir-server/server.ts';
import { Calendar } from '../hospital-in-fhir/calendar.ts';

/** A resource that nobody wrote for us, and what is odd about it. */
interface Oddity {
  readonly odd: string;
  readonly resource: { readonly resourceType: ResourceType; readonly id: string };
}

const folder = new URL('./', import.meta.url);

/** Everything that the foreign hospital has, by the files of this folder. */
export const oddities: readonly Oddity[] = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Oddity[]);

/**
 * Puts the foreign hospital into a server beside what is there. References by the name of a resource become references to
 * it, and others stay, for what is gone is gone.
 * @returns the ids that the resources got, by their names: `Patient/sin-fecha`.
 */
export function loadForeignHospital(server: FhirServer, now: Date): ReadonlyMap<string, string> {
  const calendar = new Calendar(now);
  const own = oddities.map(({ resource: { resourceType, id } }) => `${resourceType}/${id}`);
  const ids = new Map([...server.ids, ...own.map((name) => [name, crypto.randomUUID()] as const)]);
  if (ids.size < server.ids.size + own.length) throw new Error('Two resources have one name');
  for (const { resource } of oddities) {
    const text = JSON.stringify(resource)
      .replaceAll(/"(reference|value)":"([A-Z][A-Za-z]+)\/([^"]+)"/g, (same, key, type, name) => {
        const id = ids.get(`${type}/${name}`);
        return id === undefined ? same : `"${key}":"${key === 'value' ? id : `${type}/${id}`}"`;
      })
      .replaceAll(/\{([+-]\d+)d ([\d:]+)([Z!-]?)\}/g, (_, days, time, form) => toDateTime(calendar, days, time, form));
    server.load({ ...JSON.parse(text), id: ids.get(`${resource.resourceType}/${resource.id}`) });
  }
  return ids;
}

/** `{+31d 06:00}` in local time, `{+31d 06:00Z}` in UTC with fractions of seconds, `{+31d 06:00!}` without seconds, `{+31d 06:00-}` without offset. */
function toDateTime(calendar: Calendar, days: string, time: string, form: string): string {
  const local = calendar.ago(-Number(days), time.slice(0, 5));
  if (form === 'Z') return `${local.slice(0, 16)}:00.500Z`;
  if (form === '!') return local.replace(/:00(-\d\d:\d\d)$/, '$1');
  if (form === '-') return local.replace(/-\d\d:\d\d$/, '');
  return time.length > 5 ? local.replace(/\d\d(-\d\d:\d\d)$/, `${time.slice(6)}$1`) : local;
}
