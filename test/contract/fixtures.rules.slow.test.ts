import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ruleNames } from '../../src/contract/fixtures.ts';
import {
  cases,
  createPortsSubject,
  type PartialFixtures,
  portCases,
  type Rule,
  runCase,
  sandbox,
} from '../../src/contract/index.ts';
import { openSandbox } from '../support/sandbox.ts';
import { systemsWithRules } from '../support/systems-with-rules.ts';

/** The fixtures of the sandbox without those. */
const omitFixtures = (names: readonly string[], prefix = '', whole: object = sandbox): PartialFixtures =>
  Object.fromEntries(
    Object.entries(whole).flatMap(([key, value]) => {
      if (names.includes(`${prefix}${key}`)) return [];
      const isGroup = names.some((name) => name.startsWith(`${key}.`));
      return [[key, isGroup ? omitFixtures(names, `${key}.`, value) : value]];
    }),
  ) as unknown as PartialFixtures;

test.each(systemsWithRules.map((system) => [system.name, system] as const))(
  'a system %s is blamed for nothing',
  async (_name, { rules = [], lacks = [], change }) => {
    const fixtures = { ...omitFixtures(lacks), rules };
    const unchanged = createPortsSubject({ ports: change(openSandbox()), fixtures });
    const failed: string[] = [];
    let passed = 0;
    for (const each of [...cases, ...portCases]) {
      const start = async () =>
        each.level === 'safe' ? unchanged : createPortsSubject({ ports: change(openSandbox()), fixtures });
      let { outcome, reason = '' } = await runCase(each, start);
      // The pattern of a ticket has its time by the clock, and the machine may be busy.
      for (let again = 0; outcome === 'fail' && again < 3; again++) {
        await wait(200);
        ({ outcome, reason = '' } = await runCase(each, start));
      }
      if (outcome === 'fail') failed.push(`${each.id}: ${reason}`);
      if (outcome === 'pass') passed++;
    }
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThan(320);
  },
);

test('there are 24 of them, and each rule that a system can name is one’s', () => {
  expect(systemsWithRules).toHaveLength(24);
  const shown = systemsWithRules.flatMap(({ rules = [] }) => rules);
  const refused: readonly Rule[] = [
    'one-document-per-person',
    'one-practitioner',
    'one-slot',
    'free-slots-alone',
    'search-by-document',
    'fewer-patient-fields',
  ];
  expect([...new Set([...shown, ...refused])].toSorted()).toEqual(ruleNames.toSorted());
});
