import { resolve } from 'node:path';
import { z } from 'zod';
import { isSection, listNames } from '../../config/keys.ts';
import { timeZone } from '../../config/schema.ts';
import { ruleNames } from '../../contract/fixtures.ts';
import type { Case, FixtureName } from '../../contract/index.ts';
import { promisedFixtures } from '../../contract/subject.ts';
import { type Capability, capabilities } from '../../ports/index.ts';
import { commandLine } from '../../toolkit/package.ts';
import { ConfigProblems, didYouMean, explainIssue, formatPath } from '../../toolkit/problems.ts';
import { YamlFile } from '../../toolkit/yaml-file.ts';
import { wrap } from '../terminal.ts';

const text = z.string('must be text: put a number between quotation marks').min(1);

/** A fixture that may be left out, with what a person who fills in the map has to know of it, and what it looks like. */
const describe = <T extends z.ZodType>(schema: T, description: string, example?: string) =>
  schema.exactOptional().meta({ description, ...(example !== undefined && { example }) });

const id = (description: string) => describe(text, description);

const records = (description: string) =>
  describe(
    z.array(z.looseObject({ id: text })),
    `${description} Drafted from what it shows today: look each up in the system itself, and correct what is wrong.`,
  );

/** A fixture map: the fixtures of the contract, each of which may be left out, and what is offered. */
export const mapSchema = z.strictObject({
  offers: z.array(z.enum(capabilities)).optional(),
  timeZone: timeZone.optional(),
  locale: z.string().min(1).optional(),
  unknown: z.string().min(1).optional(),
  rules: z.array(z.enum(ruleNames)).exactOptional(),
  bookingHorizonDays: describe(z.int().min(1), 'How many days ahead slots are offered.', '60'),
  cancelUntilHours: describe(
    z.int().min(0),
    'How many hours before its start an appointment can be canceled at the latest. Leave it out where there is no rule.',
    '24',
  ),
  patients: z
    .strictObject({
      complete: id(
        'A woman of age with all that is offered: main practitioner, request for another one, ticket with the status completed, coverages, relatives, and appointments, past, canceled and far enough ahead to be canceled.',
      ),
      bare: id('A man of age without main practitioner, request for another one, ticket, appointment and relatives.'),
      child: id('Too young for services.bookable.'),
      passportHolder: id('Is identified by a passport.'),
      payer: id('Has an appointment with a payment. Leave it out where nobody pays online.'),
      spare: describe(
        z.array(z.string()).min(3),
        'People of age for whom the contract may write where nobody can be registered: at least three, not related, without a request for another practitioner.',
        '["101", "102", "103"]',
      ),
    })
    .exactOptional(),
  identity: describe(
    z.strictObject({
      identifierType: z.literal('DNI'),
      identifier: z.int(),
      birthDate: z.iso.date(),
      gender: z.enum(['Male', 'Female', 'Other']),
    }),
    'Who patients.complete is.',
    '{ identifierType: DNI, identifier: 12345678, birthDate: 1980-01-31, gender: Female }',
  ),
  passport: id('The number of the passport of patients.passportHolder, with letters.'),
  coverages: z
    .strictObject({
      active: id('Of patients.complete.'),
      inactive: id('Of patients.complete.'),
      ofBare: id('Of patients.bare.'),
      ofChild: id('Of patients.child.'),
    })
    .exactOptional(),
  plans: z
    .strictObject({
      accepted: id('A plan that services.bookable and services.restricted accept.'),
      another: id('Another such plan.'),
      refused: id('A plan that services.restricted does not accept.'),
      withdrawn: id('A plan that is no longer sold.'),
    })
    .exactOptional(),
  carriers: z
    .strictObject({
      withPlans: describe(
        z.strictObject({ id: z.string(), name: z.string() }),
        'A carrier with plans, and its name.',
        '{ id: "7", name: OSDE }',
      ),
      withoutPlans: id('A carrier that has no plan.'),
    })
    .exactOptional(),
  owner: id('An institution that has contracts with some carriers, but not with all.'),
  services: z
    .strictObject({
      bookable: id(
        'A consultation for adults and every plan, with free slots at two locations in the coming two to four weeks.',
      ),
      second: id('Has free slots at the same times as services.bookable, with practitioners.second.'),
      virtual: id('Is given over video, by practitioners.bookable.'),
      womenOnly: id('A service for women, with free slots.'),
      childrenOnly: id('A service for those who are too young for services.bookable.'),
      restricted: id(
        'A PRACTICA for some plans only, which needs an authorisation, with free slots. Leave it out where nobody is insured.',
      ),
      walkIn: id('A service for everybody that needs no appointment.'),
      inactive: id('A service that is no longer offered. The API does not show it.'),
      frequent: describe(
        z.tuple([z.string(), z.string()]),
        'What patients.complete booked in the last 24 months, most often first, each a different number of times: two services.',
        '["11", "12"]',
      ),
    })
    .exactOptional(),
  practitioners: z
    .strictObject({
      bookable: id('Gives services.bookable and services.virtual.'),
      second: id('Gives services.second, and not services.bookable.'),
    })
    .exactOptional(),
  locations: z
    .strictObject({
      first: id('Where services.bookable and services.second are given.'),
      another: id('Where services.bookable is given too.'),
    })
    .exactOptional(),
  ticketType: describe(
    z.strictObject({
      id: z.string(),
      checked: z.strictObject({ id: z.string(), fits: z.string(), misfit: z.string() }),
      date: z.string(),
    }),
    'A type of ticket, a field whose pattern takes one text and not another, and a field for a date.',
    '{ id: "3", checked: { id: "31", fits: some text, misfit: "%&!" }, date: "32" }',
  ),
  typedTicketType: describe(
    z.strictObject({ id: z.string(), file: z.string(), number: z.string(), boolean: z.string() }),
    'A type of ticket with a field of each of these types; the number can be 3.',
    '{ id: "4", file: "41", number: "42", boolean: "43" }',
  ),
  inactiveTicketType: id('A type that takes no tickets any more. The API does not show it.'),
  changeReason: id('A reason to ask for another main practitioner.'),
  records: z
    .strictObject({
      patients: records('What the API has to show of some patients.'),
      practitioners: records('The same of practitioners.'),
      services: records('The same of services.'),
      appointments: records('The same of appointments that are past; of date the local time alone will do, T09:30:00.'),
      coverages: records('The same of coverages, active and inactive.'),
      places: records('The same of places of the medical directory, with latitude and longitude.'),
    })
    .exactOptional(),
});

/** What a map says, checked. */
export type FixtureMap = z.infer<typeof mapSchema>;

/** Every fixture with its description, in the order of the map. */
export const fixtures = new Map(listDescribed(mapSchema)) as ReadonlyMap<FixtureName, z.core.GlobalMeta>;

/** The described fields of a schema, and of the sections in it, e.g. `patients.bare`. */
function listDescribed(schema: z.ZodObject, prefix = ''): [string, z.core.GlobalMeta][] {
  return Object.entries(schema.shape).flatMap(([name, field]): [string, z.core.GlobalMeta][] => {
    const meta = z.globalRegistry.get(field);
    if (meta) return [[`${prefix}${name}`, meta]];
    const inner = field instanceof z.ZodExactOptional ? field.unwrap() : field;
    return inner instanceof z.ZodObject ? listDescribed(inner, `${name}.`) : [];
  });
}

/**
 * Reads a fixture map; a key without a value counts as left out.
 * @throws ConfigProblems with the line of each problem.
 */
export function readMap(file: string): FixtureMap {
  const source = openMap(file);
  const { data, error } = mapSchema.safeParse(dropEmpty(source.toJS()), { error: explainIssue });
  if (data) return data;
  const format = (path: readonly PropertyKey[], what: string): string =>
    `${source.findPlace(path)} ${formatPath(path).slice(1)}: ${what}`;
  throw new ConfigProblems(
    error.issues.flatMap((issue) => {
      if (issue.code !== 'unrecognized_keys') return [format(issue.path, issue.message)];
      const known = listNames(mapSchema, issue.path);
      return issue.keys.map((key) => format([...issue.path, key], `unknown fixture${didYouMean(key, known)}`));
    }),
  );
}

const openMap = (file: string): YamlFile =>
  new YamlFile(resolve(file), { option: '--map', example: `what ${commandLine} contract init writes` });

/**
 * All that stands in a fixture map, also keys whose values are still to come.
 * @throws ConfigProblems as `readMap`.
 */
export function readKeys(file: string): Record<string, unknown> {
  readMap(file);
  return openMap(file).toJS();
}

/** Without the keys whose values are still to come. */
const dropEmpty = (section: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(section).flatMap(([key, value]) => {
      if (value === null) return [];
      return [[key, isSection(value) ? dropEmpty(value) : value]];
    }),
  );

/** What is known of an institution. */
export interface Draft {
  /** What its configuration says. */
  readonly known: ReadonlyMap<string, unknown>;
  /** Undefined where it does not say what it offers. */
  readonly offered: ReadonlySet<Capability> | undefined;
}

/** The fixtures that cases of these capabilities can use, in the order of the map. */
export function listUsed(offered: ReadonlySet<Capability>, cases: readonly Case[]): readonly FixtureName[] {
  const used = new Set<FixtureName>([...offered].flatMap((capability) => promisedFixtures[capability]));
  for (const { needs, requires, fixtures: own } of cases) {
    if ([needs, ...requires].every((capability) => offered.has(capability))) for (const name of own) used.add(name);
  }
  if (!offered.has('patients.register')) used.add('patients.spare');
  return [...fixtures.keys()].filter((name) => used.has(name));
}

/** The map as YAML: what is known filled in, and the rest marked with TODO. */
export function formatMap({ known, offered }: Draft, used: readonly FixtureName[]): string {
  const lines = [
    ...comment(
      'What the contract may find at this institution, for puente contract --map. Every value is an id there unless it says otherwise. Fill in what is marked TODO, as far as there is such a thing: a case whose fixture has no value is skipped, and says which one. Remove the marks when you have looked at them.',
    ),
    '',
    ...(offered ? [] : [...formatOffers(), '']),
    ...comment('IANA name of the time zone, and the language in which names are sorted.'),
    formatEntry('timeZone', known.get('timeZone'), 'America/Argentina/Buenos_Aires'),
    formatEntry('locale', known.get('locale'), 'es-AR'),
    ...comment('An id that nothing has.'),
    'unknown: "puente-contract-unknown"',
    ...comment(
      `What the system refuses by rules of its own: ${ruleNames.join(', ')}. Remove the # and name those that it has.`,
    ),
    '# rules: []',
    ...formatFixtures(used, known),
  ];
  return `${lines.join('\n')}\n`;
}

/** Lines of fixtures in their sections, each with what it is. */
function formatFixtures(names: readonly FixtureName[], known: Draft['known']): string[] {
  const lines: string[] = [];
  let section = '';
  for (const name of names) {
    const [group = '', member] = name.split('.');
    if (group !== section) lines.push('', ...(member === undefined ? [] : [`${group}:`]));
    section = group;
    lines.push(...formatFixture(name, known, member === undefined ? '' : '  '));
  }
  return lines;
}

function formatFixture(name: FixtureName, known: Draft['known'], indent: string): string[] {
  const { description = '', example } = fixtures.get(name) ?? {};
  const key = name.split('.').at(-1) ?? name;
  const value = known.get(name);
  if (name.startsWith('records.') && Array.isArray(value)) {
    const records = value.map((each) => `${indent}  - ${JSON.stringify(each)}`);
    return [...comment(`${description} TODO`, indent), `${indent}${key}:`, ...records];
  }
  return [...comment(description, indent), indent + formatEntry(key, value, example)];
}

/** A map with more in it. */
interface Additions {
  readonly text: string;
  readonly added: readonly FixtureName[];
  /** What only a person can add, to a section in braces. */
  readonly left: readonly FixtureName[];
}

/**
 * Adds fixtures that a map lacks; every line of it stays as it is.
 * @param content what the text says.
 */
export function addFixtures(
  text: string,
  content: Readonly<Record<string, unknown>>,
  names: readonly FixtureName[],
  known: Draft['known'],
): Additions {
  const lacking = names.filter((name) => {
    const [group = '', member] = name.split('.');
    return member === undefined ? !(group in content) : !(member in Object(content[group]));
  });
  const isInSection = (name: FixtureName) => name.includes('.') && name.slice(0, name.indexOf('.')) in content;
  const left: FixtureName[] = [];
  let whole = text.endsWith('\n') || text === '' ? text : `${text}\n`;
  for (const name of lacking.filter(isInSection).toReversed()) {
    const section = new RegExp(
      `^${name.split('.')[0]}:[ \\t]*(#.*)?\\r?\\n(?=(?:[ \\t]*(?:#.*)?\\r?\\n)*( *))`,
      'm',
    ).exec(whole);
    if (!section) left.unshift(name);
    else {
      const lines = formatFixture(name, known, section[2] || '  ');
      const end = section.index + section[0].length;
      whole = `${whole.slice(0, end)}${lines.join('\n')}\n${whole.slice(end)}`;
    }
  }
  const others = formatFixtures(
    lacking.filter((name) => !isInSection(name)),
    known,
  );
  return {
    text: others.length > 0 ? `${whole}${others.join('\n')}\n` : whole,
    added: lacking.filter((name) => !left.includes(name)),
    left,
  };
}
const comment = (text: string, indent = ''): string[] =>
  wrap(text, 96 - indent.length).map((line) => `${indent}# ${line}`);

/** `key: value`, or a key whose value is to come. JSON is YAML, too. */
function formatEntry(key: string, value: unknown, example: unknown): string {
  if (value !== undefined) return `${key}: ${JSON.stringify(value)}`;
  return `${key}: # TODO${example === undefined ? '' : ` e.g. ${example}`}`;
}

const formatOffers = (): string[] => [
  ...comment('What this institution offers: remove the # before it.'),
  'offers:',
  ...capabilities.map((each) => `  # - ${each} # TODO`),
];
