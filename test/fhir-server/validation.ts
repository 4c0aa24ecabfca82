import type { Quirks } from './quirks.ts';
import { type Answer, toOutcomeAnswer } from './response.ts';

interface Problem {
  readonly at: string;
  readonly says: string;
}

/** The answer of HAPI's RequestValidatingInterceptor to a body that it refuses; undefined when it takes it. */
export function refuseInvalid(body: unknown, { validation }: Quirks): Answer | undefined {
  if (validation === 'off') return undefined;
  const isStrict = validation === 'strict';
  const problems = [...findBundleProblems(body), ...findExtensionProblems(body, isStrict), ...findEmpty(body)];
  if (problems.length === 0) return undefined;
  const issue = problems.map(({ at, says }) => ({
    severity: 'error' as const,
    code: 'processing' as const,
    diagnostics: says,
    expression: [at],
  }));
  return { ...toOutcomeAnswer({ resourceType: 'OperationOutcome', issue }), status: 422 };
}

function* findBundleProblems(body: unknown): Generator<Problem> {
  if (!isObject(body) || body.resourceType !== 'Bundle' || !Array.isArray(body.entry)) return;
  const known = new Set<string>();
  for (const [index, { fullUrl, resource }] of body.entry.filter(isObject).entries()) {
    const at = `Bundle.entry[${index}]`;
    if (fullUrl === undefined) {
      if (hasRelativeReference(resource)) yield { at, says: 'Bundle entry missing fullUrl' };
    } else if (typeof fullUrl !== 'string' || !/^(https?:\/\/|urn:)/.test(fullUrl)) {
      yield { at, says: 'The fullUrl must be an absolute URL' };
    } else if (fullUrl.startsWith('urn:uuid:') && !/^urn:uuid:[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(fullUrl)) {
      yield { at: `${at}.fullUrl`, says: 'UUIDs must be valid and lowercase' };
    } else if (fullUrl.startsWith('http') && isObject(resource) && !fullUrl.endsWith(toPath(resource))) {
      yield { at, says: 'The fullUrl must end with the correct type and id' };
    } else if (known.has(fullUrl)) {
      yield { at: 'Bundle', says: 'bdl-7: FullUrl must be unique in a bundle' };
    }
    if (typeof fullUrl === 'string') known.add(fullUrl);
  }
}

const toPath = ({ resourceType, id }: Readonly<Record<string, unknown>>): string => `/${resourceType}/${id}`;

const hasRelativeReference = (value: unknown): boolean =>
  Object.entries(isObject(value) || Array.isArray(value) ? value : {}).some(([key, each]) =>
    key === 'reference' && typeof each === 'string' ? /^[A-Z][A-Za-z]+\//.test(each) : hasRelativeReference(each),
  );

function* findEmpty(value: unknown, at = ''): Generator<Problem> {
  const isNested = typeof value === 'object' && value !== null;
  if (value === '' || (isNested && Object.keys(value).length === 0)) yield { at, says: 'it cannot be empty' };
  else if (isNested) for (const [key, each] of Object.entries(value)) yield* findEmpty(each, `${at}.${key}`);
}

/** @param isStrict whether only the extensions of HL7 are known. */
function* findExtensionProblems(value: unknown, isStrict: boolean, at = ''): Generator<Problem> {
  for (const [key, each] of Object.entries(isObject(value) || Array.isArray(value) ? value : {})) {
    const path = Array.isArray(value) ? `${at}[${key}]` : `${at}.${key}`;
    if (key === 'extension' && Array.isArray(each)) {
      for (const { url } of each.filter(isObject)) yield* findUrlProblems(String(url), isStrict, path);
      // What stands inside of an extension may have a relative name.
    } else yield* findExtensionProblems(each, isStrict, path);
  }
}

function* findUrlProblems(url: string, isStrict: boolean, at: string): Generator<Problem> {
  const isHl7 = url.startsWith('http://hl7.org/fhir/');
  if (!/^(https?:|urn:)/.test(url)) yield { at, says: 'Extension.url must be an absolute URL' };
  else if (/^http:\/\/hl7\.org\/fhir\/\d\.\d\/StructureDefinition\/extension-/.test(url)) {
    yield { at, says: 'Extension url is not valid (invalid Version)' };
  } else if (isStrict && !isHl7) yield { at, says: 'Unknown extension' };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
