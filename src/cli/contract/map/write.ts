import type { Case, FixtureName } from '../../../contract/index.ts';
import { promisedFixtures } from '../../../contract/promised-fixtures.ts';
import { ruleNames } from '../../../contract/rules.ts';
import { type Capability, capabilities } from '../../../ports/index.ts';
import { wrap } from '../../wrap.ts';
import { fixtures } from './schema.ts';

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
      `What the system refuses by rules of its own: ${ruleNames.join(', ')}. Remove the # and keep those that it has.`,
    ),
    `# rules: [${ruleNames.join(', ')}]`,
  ];
  let section = '';
  for (const name of used) {
    const [group = '', member] = name.split('.');
    if (group !== section) lines.push('', ...(member === undefined ? [] : [`${group}:`]));
    section = group;
    const indent = member === undefined ? '' : '  ';
    const { description = '', example } = fixtures.get(name) ?? {};
    lines.push(...comment(description, indent), indent + formatEntry(member ?? name, known.get(name), example));
  }
  return `${lines.join('\n')}\n`;
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
