import type { Case, FixtureName } from '../../../contract/index.ts';
import { promisedFixtures } from '../../../contract/promised-fixtures.ts';
import { ruleNames } from '../../../contract/rules.ts';
import { type Capability, capabilities } from '../../../ports/index.ts';
import { wrap } from '../../wrap.ts';
import { fixtureNames, fixtures } from './about.ts';

/** A fixture that was found, and what a person should look at. */
export interface Finding {
  readonly value: unknown;
  readonly note?: string | undefined;
}

/** What was found out about an institution. */
export interface Draft {
  readonly timeZone: Finding;
  readonly locale: Finding;
  /** The lists that answered; undefined when the institution says itself what it offers. */
  readonly answered: readonly Capability[] | undefined;
  readonly findings: ReadonlyMap<FixtureName, Finding>;
}

/** The fixtures that cases of these capabilities can use, in the order of the map. */
export function listUsed(offered: ReadonlySet<Capability>, cases: readonly Case[]): readonly FixtureName[] {
  const used = new Set<FixtureName>(
    [...offered].flatMap((capability): readonly FixtureName[] => promisedFixtures[capability]),
  );
  for (const { needs, requires, fixtures: own } of cases) {
    if ([needs, ...requires].every((capability) => offered.has(capability))) for (const name of own) used.add(name);
  }
  if (!offered.has('patients.register')) used.add('patients.spare');
  return fixtureNames.filter((name) => used.has(name));
}

/** The map as YAML: what was found filled in, and the rest marked with TODO. */
export function formatMap({ timeZone, locale, answered, findings }: Draft, used: readonly FixtureName[]): string {
  const lines = [
    ...comment(
      'What the contract may find at this institution, for puente contract --map. Every value is an id there unless it says otherwise. Fill in what is marked TODO, as far as there is such a thing: a case whose fixture has no value is skipped, and says which one. Remove the marks when you have looked at them.',
    ),
    '',
    ...(answered ? [...formatOffers(answered), ''] : []),
    ...comment('IANA name of the time zone, and the language in which names are sorted.'),
    formatEntry('timeZone', timeZone),
    formatEntry('locale', locale),
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
    lines.push(
      ...comment(fixtures[name].about, indent),
      `${indent}${formatEntry(member ?? name, findings.get(name), fixtures[name].example)}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

const comment = (text: string, indent = ''): string[] =>
  wrap(text, 96 - indent.length).map((line) => `${indent}# ${line}`);

/** `key: value`, or a key whose value is to come. JSON is YAML, too. */
function formatEntry(key: string, finding: Finding | undefined, example?: string): string {
  if (!finding) return `${key}: # TODO${example === undefined ? '' : ` e.g. ${example}`}`;
  const note = finding.note === undefined ? '' : ` # TODO ${finding.note}`;
  return `${key}: ${JSON.stringify(finding.value)}${note}`;
}

const formatOffers = (answered: readonly Capability[]): string[] => [
  ...comment('What this institution offers. Only lists were tried: remove the # before all else that it offers.'),
  'offers:',
  ...capabilities.map((each) => (answered.includes(each) ? `  - ${each}` : `  # - ${each} # TODO`)),
];
