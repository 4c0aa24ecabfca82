import { isObject } from '../../../src/http-client/answer-size.ts';
import type { Failure } from '../../../src/ports/index.ts';

/** The vocabulary of server errors. Any other word could be a value, such as a name. */
const vocabulary: ReadonlySet<string> = new Set(
  [
    'a an and are as at be but by can cannot could did do does expected extra failed for found from given has have in incorrect',
    'invalid is it its malformed maximum minimum missing more most must no none not of on only operation or out parameter parameters',
    'greater larger less than that the there this to too unable unexpected unknown unsupported used valid value values was were with',
    'accept allowed already body bundle chain client code comparator conditional conflict constraint content contain contains create',
    'date days delete duplicate element encoding entry error exceed exceeds exist exists field forbidden format header http id',
    'identifier if-match if-none-exist include index json limit limited locked match matches matching media method modifier multiple',
    'negative null number offset order page paging param permitted positive prefix profile query range reference request required',
    'resource resources results revinclude search server size sort specified status summary support supported system token total',
    'transaction type update uri url validation version window within criteria condition combination enabled disabled include(s)',
  ]
    .join(' ')
    .split(' '),
);

/** Matches error numbers of servers, e.g. HAPI-0524. */
const errorNumber = /^[A-Z]{2,6}-\d{3,5}$/;

const parameters: ReadonlySet<string> = new Set(
  (
    '_count _elements _id _include _lastUpdated _offset _revinclude _sort _summary _total beneficiary birthdate context date gender ' +
    'identifier link part-status patient schedule service-category service-type slot start status status:not subject code'
  ).split(' '),
);

const types: ReadonlySet<string> = new Set(
  (
    'Appointment Basic Binary Bundle Coverage HealthcareService InsurancePlan Location Organization OrganizationAffiliation ' +
    'Patient Practitioner PractitionerRole Questionnaire QuestionnaireResponse RelatedPerson Schedule Slot Task'
  ).split(' '),
);

/** The maximum number of kept words. */
const MOST = 20;

/**
 * Extracts the parameters that a server's texts name, and the texts' words that cannot be a patient's value. Other
 * words become an ellipsis. Parameters after the word "valid" are the supported ones, so they do not count.
 */
export function readWords(texts: readonly unknown[]): {
  readonly names: readonly string[];
  readonly words: string | undefined;
} {
  const said = texts.filter((text) => typeof text === 'string').join(' ');
  const [about = ''] = said.split(/\bvalid (?:search )?(?:parameters|values|options)\b/i);
  const tokens = about
    .split(/[\s"'`,;=()[\]{}<>]+/)
    .map((each) => each.replace(/[.:!?]+$/, ''))
    .filter(Boolean);
  const names = [
    ...new Set(tokens.map((each) => each.replace(/:iterate$/, '')).filter((each) => parameters.has(each))),
  ];
  const isKnown = (word: string) =>
    vocabulary.has(word.toLowerCase()) || parameters.has(word) || types.has(word) || errorNumber.test(word);
  const shown = tokens.slice(0, MOST).map((each) => (isKnown(each) ? each : '…'));
  const words = shown.join(' ').replaceAll(/…( …)+/g, '…');
  return { names, words: /[a-z]/i.test(words) ? words : undefined };
}

/** The parameters that the server reports as unsupported. Empty if it names none. */
export function listNamed({ cause }: Failure): readonly string[] {
  const { names } = isObject(cause) ? cause : {};
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}
