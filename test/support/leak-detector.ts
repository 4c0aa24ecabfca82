import type { Answer } from './answers.ts';
import { Lines } from './lines.ts';
import { bundledWorld } from './sandbox.ts';

const { patients, coverages } = bundledWorld;

/** Every text of a record, at any depth. */
const listTexts = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(listTexts);

/**
 * What the sandbox hospital knows of its patients, and how each of them is named inside. Left out are gender, since its
 * three words stand in our own sentences, and what is only a few digits or one letter (number, floor, apartment and zip
 * code of an address): it tells nobody apart, and so many milliseconds look the same.
 */
const patientValues = [
  ...patients.flatMap(({ gender: _gender, mainPractitionerId: _practitioner, identifier, ...patient }) => [
    ...listTexts({ ...patient, identifier: identifier.value }),
    ...patient.lastName.split(' '),
    patient.birthDate.replaceAll('-', '/'),
  ]),
  ...coverages.flatMap(({ id, credentialNumber }) => [id, credentialNumber]),
].filter((value) => !/^(\d{0,4}|.)$/.test(value));

/** How the people look whom tests and the contract invent as they go, and everything that is a secret. */
const otherPatterns = [
  /[\w.+-]+@example\.org/,
  /5555-\d{4}/,
  // Numbers of documents and of insurance cards, see `newDni`.
  /(?<![\p{L}\p{N}])(?:[A-Z]{2}-?)?9[6-9]\d{6}(?![\p{L}\p{N}])/u,
  // What a hospital gives to whatever is new: a patient, a coverage, an appointment.
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/,
];
/** The version of a build, whose commit may look like the number of a document. */
const buildPattern = /\b\d+\.\d+\.\d+\+[0-9a-f]{8}\b/g;
const tokenPatterns = [/puente_[0-9a-f]{8}_[\w-]+/, /\beyJ[\w-]+\.[\w-]+/];

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const patientPattern = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[...new Set(patientValues)].map(escapeRegExp).join('|')})(?![\\p{L}\\p{N}])`,
  'u',
);

/**
 * What may hold anything: the request id is the caller's own, or as random as a new patient's id, and the problem's
 * instance repeats it; the numbers are counted by us.
 */
const uncheckedFields: ReadonlySet<string> = new Set(['requestId', 'instance', 'time', 'ms', 'status']);

/** The values of patients, the ids and the secrets that a log line or a problem body gives away; empty when it is discreet. */
export function findLeaks(json: string): string[] {
  const given: unknown = JSON.parse(json.replaceAll(buildPattern, ''));
  const said = JSON.stringify(given, (key, value) => (uncheckedFields.has(key) ? undefined : value));
  const found = [
    ...[patientPattern, ...otherPatterns].map((form) => form.exec(said)),
    ...tokenPatterns.map((form) => form.exec(json)),
  ];
  return found.flatMap((match) => match?.[0] ?? []);
}

/** Hears what a gateway says to its log, and to callers whom it refuses. */
export class LeakDetector {
  /** Where the log is to be written, as JSON. */
  readonly log = new Lines();
  readonly #refusals: string[] = [];

  /** Hears an answer, of which only problems count: what was asked for may name its patient. */
  readonly hearAnswer = ({ status, body }: Answer): void => {
    if (status >= 400) this.#refusals.push(body);
  };

  /**
   * @param metrics of the gateway, which may hold as little.
   * @throws Error when a log line, a problem body or a metric gave away what it must not.
   */
  expectNoLeaks(metrics = ''): void {
    const series = metrics.split('\n').map((line) => JSON.stringify(line.replace(/ \S+$/, '')));
    const said = { 'log line': this.log.all, 'problem body': this.#refusals, metric: series };
    const leaks = Object.entries(said).flatMap(([what, texts]) =>
      texts.flatMap((text) => findLeaks(text).map((leak) => `${JSON.stringify(leak)} in a ${what}: ${text}`)),
    );
    if (leaks.length > 0) throw new Error(`the gateway gave away\n${leaks.slice(0, 10).join('\n')}`);
  }
}
