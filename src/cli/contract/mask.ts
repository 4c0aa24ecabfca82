import { inspect } from 'node:util';
import type { PartialFixtures } from '../../contract/index.ts';
import type { Exchange } from '../../contract/recorder.ts';
import { fillPath, type Request, type Route } from '../../contract/subject.ts';
import { getField } from '../../toolkit/records.ts';

/**
 * Fields whose values identify a patient, in the API document and in ports. A `name` counts only next to a last name.
 */
const personal = new Set(
  `last_name lastName birth_date birthDate identifier medical_record_id medicalRecordId phone email street number floor
  apartment city state zip_code zipCode credential_number credentialNumber observations value link`.split(/\s+/),
);

/** Values of the API itself, which identify nobody. */
const words = new Set(['DNI', 'Passport', 'Other', 'Male', 'Female', 'true', 'false', 'active', 'canceled']);

/** The maximum characters of a text before `inspect` truncates it. */
const MAX_INSPECTED = 10_000;

/** A value of a patient, the name that replaces it, and the forms in which a text may contain it. */
interface HiddenValue {
  readonly value: string;
  readonly name: string;
  readonly forms: readonly string[];
}

const toHidden = (value: string, name: string): HiddenValue => ({ value, name, forms: listForms(value) });

/** Hides patients' values in texts that leave the process. */
export class Mask {
  readonly #known: ReadonlyMap<string, HiddenValue>;
  readonly #learned = new Map<string, HiddenValue>();
  readonly #counts = new Map<string, number>();

  /** @param known secret fixture values, with the names that replace them. */
  constructor(known: ReadonlyMap<string, string>) {
    this.#known = new Map([...known].map(([value, name]) => [value, toHidden(value, name)]));
  }

  /** Learns patients' values from answers, except values that the case itself had sent. */
  learn(exchanges: readonly Exchange[], returned: readonly unknown[] = []): void {
    const sent = new Set<string>();
    for (const { request } of exchanges) collect(request.body, (_field, value) => sent.add(value), false);
    const add = (field: string, value: string) => {
      const isShort = value.length < (field.includes('ame') ? 2 : 3);
      if (isShort || words.has(value) || sent.has(value) || this.#learned.has(value) || this.#known.has(value)) return;
      const count = (this.#counts.get(field) ?? 0) + 1;
      this.#counts.set(field, count);
      this.#learned.set(value, toHidden(value, `${field} ${count}`));
    };
    for (const { response } of exchanges) collect(response?.body, add);
    for (const each of returned) collect(each, add);
  }

  /** Replaces patients' values by ‹names›. The same value gets the same name. */
  hide(text: string): string {
    return this.replace(
      text,
      (name) => `‹${name}›`,
      (name) => `‹${name}›`,
    );
  }

  /** Replaces each value by a text made of the fixture's name or of the value. */
  replace(text: string, formatFixture: (name: string) => string, formatValue: (name: string) => string): string {
    const all = [
      ...[...this.#known.values()].map((hidden) => ({ ...hidden, by: formatFixture(hidden.name) })),
      ...[...this.#learned.values()].map((hidden) => ({ ...hidden, by: formatValue(hidden.name) })),
    ];
    return all
      .toSorted((first, second) => second.value.length - first.value.length)
      .reduce((replaced, { by, ...hidden }) => replaceWords(replaced, hidden, by), text);
  }
}

function replaceWords(text: string, { value, forms }: Omit<HiddenValue, 'name'>, by: string): string {
  return forms.reduce((replaced, form) => {
    if (!replaced.includes(form)) return replaced;
    const zeros = /^\d{5,}/.test(form) ? '0*' : '';
    // A short id such as 7 counts only in the position of an id.
    const [before, after] =
      value.length < 3 ? ['(?<=[\'"/=])', '(?=[\'"/&?]|$)'] : ['(?<![\\p{L}\\p{N}])', '(?![\\p{L}\\p{N}])'];
    return replaced.replaceAll(new RegExp(`${before}${zeros}${RegExp.escape(form)}${after}`, 'gmu'), () => by);
  }, text);
}

/** The value as it is, and as JSON, JavaScript and URLs escape it. */
function listForms(value: string): string[] {
  const forms = [value, JSON.stringify(value).slice(1, -1), value.replaceAll("'", "\\'")];
  forms.push(inspect(value.slice(0, MAX_INSPECTED), { breakLength: Number.POSITIVE_INFINITY }).slice(1, -1));
  if (/^\d{4}-\d\d-\d\d$/.test(value)) forms.push(value.replaceAll('-', '/'));
  if (/^\d{5,}$/.test(value)) forms.push(value.replaceAll(/\B(?=(\d{3})+$)/g, '.'));
  return [
    ...new Set(
      forms.flatMap((form) => [
        form,
        encodeURIComponent(form.toWellFormed()),
        new URLSearchParams({ '': form }).toString().slice(1),
      ]),
    ),
  ];
}

/** Calls back for every text and number in a value. By default only for personal fields. */
function collect(value: unknown, add: (field: string, value: string) => void, personalOnly = true, field = ''): void {
  if (typeof value === 'object' && value !== null) {
    const isPerson = ['last_name', 'lastName'].some((name) => typeof getField(value, name) === 'string');
    for (const [key, inner] of Object.entries(value)) {
      const isPersonal = personal.has(key) || (key === 'name' && isPerson);
      collect(inner, add, personalOnly, isPersonal ? key : Array.isArray(value) ? field : '');
    }
  } else if ((typeof value === 'string' || typeof value === 'number') && (field !== '' || !personalOnly)) {
    add(field, String(value));
  }
}

/** The target of a curl command. */
export interface CurlTarget {
  /** Default: the shell variable `PUENTE_URL`. */
  readonly baseUrl?: string | undefined;
  /** The routes that differ from those of the document. */
  readonly routes?: ReadonlyMap<string, Route> | undefined;
}

/** The maximum characters of a body, because files would make a report of many megabytes. */
const MAX_BODY = 4_000;

/** Formats a POSIX shell command that sends the request. Variables replace the token and the patients of the map. */
export function formatCurl(request: Request, { baseUrl, routes }: CurlTarget, mask: Mask): string {
  const route = routes?.get(request.route) ?? request.route;
  const method = route.slice(0, route.indexOf(' '));
  const body = JSON.stringify(request.body) ?? '';
  if (body.length > MAX_BODY) return `# ${method} with a body of ${body.length} characters, which is omitted here`;
  return [
    'curl -sS',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $PUENTE_CONTRACT_TOKEN"',
    ...(body === '' ? [] : ["-H 'Content-Type: application/json'", `-d ${quote(body, mask)}`]),
    (baseUrl === undefined ? '"$PUENTE_URL"' : `'${baseUrl}'`) + quote(fillPath(route, request), mask),
  ].join(' ');
}

/** Quotes the text as one word of a shell. The fixture `patients.complete` is the variable `patients_complete`. */
function quote(text: string, mask: Mask): string {
  const marked = mask.replace(
    text,
    (name) => `«${name.replaceAll(/\W/g, '_')}»`,
    (name) => `HIDDEN-${name.replaceAll(/\W/g, '-')}`,
  );
  return marked
    .split(/«(\w+)»/)
    .map((part, i) => {
      if (i % 2 === 1) return `"$${part}"`;
      return part === '' ? '' : `'${part.replaceAll("'", "'\\''")}'`;
    })
    .join('');
}

/** The fixture values that identify a person, each with the name of its fixture. */
export function listPersonal(fixtures: PartialFixtures): ReadonlyMap<string, string> {
  const named: [string, unknown][] = [
    // First, so that the name of a fixture also replaces the same value in records.
    ...listOfRecords(fixtures.records),
    ...listEntries('patients', fixtures.patients),
    ...listEntries('appointments', fixtures.appointments),
    ...listEntries('coverages', fixtures.coverages),
    ['identity.identifier', fixtures.identity?.identifier],
    ['identity.birthDate', fixtures.identity?.birthDate],
    ['passport', fixtures.passport],
  ];
  return new Map(
    named.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[String(value), name] as const])),
  );
}

const listEntries = (group: string, values: object = {}): [string, unknown][] =>
  Object.entries(values).flatMap(([name, value]): [string, unknown][] =>
    Array.isArray(value) ? value.map((each, i) => [`${group}.${name}_${i + 1}`, each]) : [[`${group}.${name}`, value]],
  );

/** Values of the API itself, and values that many patients share. */
const shared = /^(?:gender|identifier_type|active|status|modality|date|carrier|plan)$/;

const listOfRecords = ({ patients = [], coverages = [], appointments = [] }: PartialFixtures['records'] = {}) =>
  Object.entries({ patients, coverages, appointments }).flatMap(([kind, records]) =>
    records.flatMap((record, i) =>
      Object.entries(record).flatMap(([field, value]): [string, unknown][] =>
        typeof value === 'object' || shared.test(field) ? [] : [[`records.${kind}_${i + 1}.${field}`, value]],
      ),
    ),
  );
