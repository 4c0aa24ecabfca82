import {
  badRequest,
  evalFhirPathTyped,
  type FhirPathAtom,
  type Filter,
  formatSearchQuery,
  getSearchParameter,
  LRUCache,
  matchesSearchRequest,
  OperationOutcomeError,
  Operator,
  type SearchRequest,
  type SortRule,
  splitSearchOnComma,
  toPeriod,
  toTypedValue,
  type WithId,
} from '@medplum/core';
import { type FhirRepository, getExtraEntries } from '@medplum/fhir-router';
import type { Bundle, BundleEntry, Resource } from '@medplum/fhirtypes';
import type { Quirks } from './quirks.ts';

const DEFAULT_COUNT = 20;
const MAX_COUNT = 1000;

/** Parsed once each. */
const expressions = new LRUCache<FhirPathAtom>(1000);

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
  const rows: T[] = [];
  for (const resource of resources) {
    if ((request.filters ?? []).every((filter) => matchesFilter(resource, filter))) rows.push(resource);
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

/**
 * Strings match by their beginning and URIs as a whole, unlike in the library, which takes any part for both; tokens
 * match letter for letter, and what is escaped in them is not looked into.
 */
function matchesFilter(resource: Resource, filter: Filter): boolean {
  const parameter = getSearchParameter(resource.resourceType, filter.code);
  const kind = parameter?.type;
  if (kind === 'token' && filter.operator === Operator.EQUALS) return hasToken(resource, filter);
  const presence = filter.operator === Operator.MISSING || filter.operator === Operator.PRESENT;
  if (presence || (kind !== 'string' && kind !== 'uri')) {
    return matchesSearchRequest(resource, { resourceType: resource.resourceType, filters: [filter] });
  }
  const texts = evaluateParameter(resource, filter.code).flatMap(collectStrings);
  return splitSearchOnComma(filter.value).some((wanted) =>
    texts.some((text) => {
      if (kind === 'uri' || filter.operator === Operator.EXACT) return text === wanted;
      if (filter.operator === Operator.CONTAINS) return fold(text).includes(fold(wanted));
      return fold(text).startsWith(fold(wanted));
    }),
  );
}

function hasToken(resource: Resource, { code, value }: Filter): boolean {
  const tokens = evaluateParameter(resource, code).flatMap(collectTokens);
  return value.split(unescapedComma).some((wanted) => {
    const [first = '', second] = wanted.split(unescapedBar).map((part) => part.replaceAll(/\\(.)/g, '$1'));
    if (second === undefined) return tokens.some((token) => token.value === first);
    return tokens.some((token) => (token.system ?? '') === first && (second === '' || token.value === second));
  });
}

const unescapedComma = /(?<=(?:^|[^\\])(?:\\\\)*),/;
const unescapedBar = /(?<=(?:^|[^\\])(?:\\\\)*)\|/;

interface Token {
  readonly system?: string;
  readonly value?: string;
}

/** The tokens in a code, a coding, a concept, an identifier or a contact point. */
function collectTokens(value: unknown): Token[] {
  if (typeof value !== 'object' || value === null) return [{ value: String(value) }];
  const { coding, code, ...token } = value as Token & { readonly coding?: readonly unknown[]; readonly code?: string };
  if (coding) return coding.flatMap(collectTokens);
  return [code === undefined ? token : { ...token, value: code }];
}

function evaluateParameter(resource: Resource, code: string): unknown[] {
  const expression = getSearchParameter(resource.resourceType, code)?.expression;
  if (!expression) return [];
  return evalFhirPathTyped(expression, [toTypedValue(resource)], undefined, expressions).map(({ value }) => value);
}

/** The texts in a string, a name or an address. */
function collectStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectStrings) : [];
}

const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

function getSortKey(resource: Resource, { code }: SortRule): string | undefined {
  const [first] = evaluateParameter(resource, code);
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
  const count = Math.min(request.count ?? DEFAULT_COUNT, MAX_COUNT);
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
