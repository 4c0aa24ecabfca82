import {
  evalFhirPathTyped,
  type FhirPathAtom,
  type Filter,
  getSearchParameter,
  LRUCache,
  matchesSearchRequest,
  Operator,
  splitSearchOnComma,
  toTypedValue,
} from '@medplum/core';
import type { Resource, ResourceType } from '@medplum/fhirtypes';

type Matches = (resource: Resource) => boolean;

/** Parsed once each. */
const expressions = new LRUCache<FhirPathAtom>(1000);

/**
 * The values of each parameter, and what each filter says, by resource: one that is stored is never changed. Without
 * them most of the time of the tests would go into evaluating the same expressions again.
 */
const valuesOf = new LRUCache<WeakMap<Resource, unknown[]>>(1000);
const matchesOf = new LRUCache<WeakMap<Resource, boolean>>(1000);

function remember<T>(
  cache: LRUCache<WeakMap<Resource, T>>,
  key: string,
  compute: (resource: Resource) => T,
): (resource: Resource) => T {
  const known = cache.get(key) ?? new WeakMap<Resource, T>();
  cache.set(key, known);
  return (resource) => {
    const before = known.get(resource);
    if (before !== undefined) return before;
    const value = compute(resource);
    known.set(resource, value);
    return value;
  };
}

/** What a search parameter finds in resources of a type. */
export const evaluateParameter = (type: string, code: string): ((resource: Resource) => unknown[]) =>
  remember(valuesOf, `${type} ${code}`, (resource) => {
    const expression = getSearchParameter(type, code)?.expression;
    if (!expression) return [];
    return evalFhirPathTyped(expression, [toTypedValue(resource)], undefined, expressions).map(({ value }) => value);
  });

/** Whether the filter is on a date, for which each call asks for another moment: no earlier answer would help. */
export const isDate = (type: string, { code }: Filter): boolean => getSearchParameter(type, code)?.type === 'date';

/**
 * Whether a resource of the type meets a filter. Strings match by their beginning and URIs as a whole, unlike in the
 * library, which takes any part for both; tokens match letter for letter, and what is escaped in them is not looked into.
 */
export function compileFilter(type: ResourceType, filter: Filter): Matches {
  const kind = getSearchParameter(type, filter.code)?.type;
  const byLibrary: Matches = (resource) => matchesSearchRequest(resource, { resourceType: type, filters: [filter] });
  if (isDate(type, filter)) return byLibrary;
  const presence = filter.operator === Operator.MISSING || filter.operator === Operator.PRESENT;
  const isToken = kind === 'token' && filter.operator === Operator.EQUALS;
  const isText = (kind === 'string' || kind === 'uri') && !presence;
  const own = isToken ? compileTokens : isText ? compileTexts : undefined;
  return remember(matchesOf, JSON.stringify([type, filter]), own?.(type, filter) ?? byLibrary);
}

function compileTexts(type: string, { code, operator, value }: Filter): Matches {
  const evaluate = evaluateParameter(type, code);
  const isWhole = getSearchParameter(type, code)?.type === 'uri' || operator === Operator.EXACT;
  const fits = (text: string, wanted: string): boolean => {
    if (isWhole) return text === wanted;
    if (operator === Operator.CONTAINS) return fold(text).includes(fold(wanted));
    return fold(text).startsWith(fold(wanted));
  };
  const alternatives = splitSearchOnComma(value);
  return (resource) => {
    const texts = evaluate(resource).flatMap(collectStrings);
    return alternatives.some((wanted) => texts.some((text) => fits(text, wanted)));
  };
}

function compileTokens(type: string, { code, value }: Filter): Matches {
  const evaluate = evaluateParameter(type, code);
  const alternatives = value
    .split(unescapedComma)
    .map((wanted) => wanted.split(unescapedBar).map((part) => part.replaceAll(/\\(.)/g, '$1')));
  return (resource) => {
    const tokens = evaluate(resource).flatMap(collectTokens);
    return alternatives.some(([first = '', second]) => {
      if (second === undefined) return tokens.some((token) => token.value === first);
      return tokens.some((token) => (token.system ?? '') === first && (second === '' || token.value === second));
    });
  };
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

/** The texts in a string, a name or an address. */
export function collectStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectStrings) : [];
}

/** Without accents and capitals. */
export const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
