import type { Case } from '../../../src/contract/case.ts';
import {
  cases,
  fixtureChangeCases,
  gatewayCases,
  lostRequestCases,
  outageCases,
  portCases,
} from '../../../src/contract/cases/index.ts';
import { describedFixtures, ruleNames, rules } from '../../../src/contract/fixtures.ts';
import { formatTable, quote, quoteAll } from './markdown.ts';

const listRules = ({ rule = [] }: Case): readonly string[] => [rule].flat();

/** The title without the route or the method that it is about. */
const generalize = ({ title, needs }: Case): string => {
  const [route] = /\b(?:GET|POST|PUT|DELETE) \/\S*[^\s,]/.exec(title) ?? [];
  const text = route === undefined ? title : title.replaceAll(route, 'the operation');
  return text.replaceAll(needs, route === undefined ? 'the method' : 'its method');
};

/** The cases that every operation, or every method, has: one row for each kind, with the number of its cases. */
function formatKinds(kinds: readonly Case[]): string {
  const byTitle = Object.entries(Object.groupBy(kinds, generalize));
  const rows = byTitle.map(([title, same = []]) => [
    quote(same[0]?.id.split('.').at(-1) ?? ''),
    title,
    [...new Set(same.map(({ level }) => level))].join(', '),
    String(same.length),
  ]);
  return formatTable(['Ends in', 'Sentence', 'Level', 'Cases'], rows);
}

/** True if further methods have a case with this sentence. */
const isOfEveryMethod = (own: Case): boolean =>
  own.id.startsWith('ports.') && portCases.some((each) => each !== own && generalize(each) === generalize(own));

const isOfEveryOperation = ({ id }: Case): boolean => id.startsWith('document.');

const formatCases = (own: readonly Case[]): string =>
  own
    .map((each) => {
      const names = listRules(each);
      const skipped = names.length === 0 ? '' : `; skipped by ${quoteAll(names)}`;
      return `- ${quote(each.id)} (${each.level}${skipped}): ${each.title}`;
    })
    .join('\n');

/** The parts about the contract, by name. */
export const contractParts: Readonly<Record<string, () => string>> = {
  'contract-rules': () =>
    formatTable(
      ['Rule', 'Reason of the skipped cases', 'Cases'],
      ruleNames.map((name) => [
        quote(name),
        rules[name],
        String([...cases, ...portCases].filter((each) => listRules(each).some((rule) => rule === name)).length),
      ]),
    ),
  'contract-fixtures': () =>
    formatTable(
      ['Fixture', 'What it names'],
      [...describedFixtures].map(([name, { description = '' }]) => [quote(name), description]),
    ),
  'contract-operations': () => formatKinds(cases.filter(isOfEveryOperation)),
  'contract-outages': () => formatKinds(outageCases),
  'contract-cases-A': () => formatCases(cases.filter((each) => !isOfEveryOperation(each) && each.section !== '4.B')),
  'contract-cases-B': () =>
    formatCases(
      [...cases, ...fixtureChangeCases].filter((each) => !isOfEveryOperation(each) && each.section === '4.B'),
    ),
  'contract-gateway': () => formatCases([...gatewayCases, ...lostRequestCases]),
  'contract-methods': () => formatKinds(portCases.filter(isOfEveryMethod)),
  'contract-ports': () => formatCases(portCases.filter((each) => !isOfEveryMethod(each))),
};
