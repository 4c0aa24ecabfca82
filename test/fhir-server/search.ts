import {
  badRequest,
  formatSearchQuery,
  getSearchParameter,
  OperationOutcomeError,
  type SearchRequest,
  type SortRule,
  toPeriod,
  type WithId,
} from '@medplum/core';
import { type FhirRepository, getExtraEntries } from '@medplum/fhir-router';
import type { Bundle, BundleEntry, Resource } from '@medplum/fhirtypes';
import { collectStrings, compileFilter, evaluateParameter, fold, isDate } from './filters.ts';
import type { Quirks } from './quirks.ts';

const DEFAULT_COUNT = 20;

/** Refuses parameters, includes and sort keys that FHIR R4 does not define for the type, as real servers do. */
export function refuseUnknown({ resourceType, filters, include, revInclude, sortRules }: SearchRequest): void {
  for (const { code } of filters ?? []) {
    if (code.includes('.') || code.startsWith('_has:')) refuse(`Chained search is not supported: ${code}`);
    if (!getSearchParameter(resourceType, code)) refuse(`Unknown search parameter: ${code}`);
  }
  for (const { code } of sortRules ?? []) {
    if (!getSearchParameter(resourceType, code)) refuse(`Unknown sort parameter: ${code}`);
  }
  for (const target of [...(include ?? []), ...(revInclude ?? [])]) {
    if (!getSearchParameter(target.resourceType, target.searchParam)) refuse(`Unknown include: ${target.searchParam}`);
  }
}

function refuse(problem: string): never {
  throw new OperationOutcomeError(badRequest(problem));
}

/** The resources that meet every filter, sorted; those without a value for a sort key come last. */
export function findRows<T extends Resource>(resources: Iterable<T>, request: SearchRequest): readonly T[] {
  const type = request.resourceType;
  const filters = (request.filters ?? [])
    // What needs the library each time goes last.
    .toSorted((a, b) => Number(isDate(type, a)) - Number(isDate(type, b)))
    .map((filter) => compileFilter(type, filter));
  const rows: T[] = [];
  for (const resource of resources) {
    if (filters.every((matches) => matches(resource))) rows.push(resource);
  }
  const rules = request.sortRules ?? [];
  if (rules.length === 0) return rows;
  const keyed = rows.map((row) => ({ row, keys: rules.map((rule) => getSortKey(row, rule)) }));
  keyed.sort((a, b) => {
    for (const [index, { descending }] of rules.entries()) {
      const order = compare(a.keys[index], b.keys[index], descending ?? false);
      if (order !== 0) return order;
    }
    return 0;
  });
  return keyed.map(({ row }) => row);
}

function getSortKey(resource: Resource, { code }: SortRule): string | undefined {
  const [first] = evaluateParameter(resource.resourceType, code)(resource);
  return toPeriod(first)?.start ?? collectStrings(first).map(fold).join(' ');
}

function compare(a: string | undefined, b: string | undefined, descending: boolean): number {
  if (!a || !b) return Number(!a) - Number(!b);
  const order = a < b ? -1 : Number(a > b);
  return descending ? -order : order;
}

/** The page that was asked for, with what it includes and a link to the next one where there is one. */
export async function buildSearchBundle(
  repository: FhirRepository,
  rows: readonly WithId<Resource>[],
  request: SearchRequest,
  base: string,
  quirks: Quirks,
  nextUrl: (offset: number, count: number) => string,
): Promise<Bundle> {
  const offset = request.offset ?? 0;
  const count = Math.min(request.count ?? DEFAULT_COUNT, quirks.pageSize);
  const fullUrl = (type: string, id: string): string => `${base}/${type}/${id}`;
  const page = rows.slice(offset, offset + count);
  const matches = page.map(
    (row): BundleEntry => ({
      fullUrl: fullUrl(row.resourceType, row.id),
      search: { mode: 'match' },
      resource: pickElements(row, request.fields),
    }),
  );
  const extra: BundleEntry[] = [];
  await getExtraEntries(repository, request, [...page], extra, { fullUrl });
  const link = [{ relation: 'self', url: `${base}/${request.resourceType}${formatSearchQuery(request)}` }];
  if (count > 0 && offset + count < rows.length) link.push({ relation: 'next', url: nextUrl(offset + count, count) });
  // Whoever searches ahead knows the total from the last page on, and says it unasked.
  const isKnown = quirks.nextLinks === 'state' && offset + count >= rows.length;
  const entry = [...matches, ...extra.slice(0, quirks.includeLimit)];
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    ...((request.total === 'accurate' || isKnown) && quirks.totals && { total: rows.length }),
    link,
    ...(entry.length > 0 && { entry }),
  };
}

/** The resource with only those elements, tagged as SUBSETTED; the whole resource when none are named. */
export function pickElements(resource: Resource, elements: readonly string[] | undefined): Resource {
  if (!elements) return resource;
  const kept = new Set(['resourceType', 'id', ...elements.flatMap((element) => [element, `_${element}`])]);
  const subset = Object.fromEntries(Object.entries(resource).filter(([key]) => kept.has(key)));
  const subsetted = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };
  const meta = { ...resource.meta, tag: [...(resource.meta?.tag ?? []), subsetted] };
  return { ...subset, resourceType: resource.resourceType, meta } as Resource;
}
