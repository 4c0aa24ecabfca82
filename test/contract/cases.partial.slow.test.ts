import { describe, expect, test } from '@jest/globals';
import { type Case, planCase, runCase } from '../../src/contract/index.ts';
import { type Capability, capabilities, type PortName, ports, splitCapability } from '../../src/ports/index.ts';
import { allCases } from '../support/all-cases.ts';
import { createPartialSubject } from '../support/partial-subject.ts';
import { openSandbox } from '../support/sandbox.ts';

const unchanged = openSandbox();

const alone = (Object.keys(ports) as PortName[]).map((name) => [name]);
/** What institutions would claim first. */
const together: readonly PortName[][] = [
  ['patients', 'appointments'],
  ['care-services', 'appointments'],
];

/** Named for the writes of those who register nobody; no fixture beyond these is. */
const fixtures = ['patients.spare'];

describe.each([...alone, ...together].map((names) => [names.join(' and '), names] as const))(
  'an adapter that offers %s and nothing else',
  (_names, names) => {
    const offered = capabilities.filter((capability) => names.includes(splitCapability(capability)[0]));
    const subject = createPartialSubject(unchanged, { offered, fixtures });
    const planned = allCases.map((each) => ({ each, plan: planCase(each, subject) }));
    const proved = planned.filter(({ each, plan }) => plan.skipped === undefined && plan.title === each.title);
    const refused = planned.filter(({ each, plan }) => plan.skipped === undefined && plan.title !== each.title);

    test('passes', async () => {
      const results = [];
      for (const { each } of [...proved, ...refused]) {
        const start = async () =>
          each.level === 'safe' ? subject : createPartialSubject(openSandbox(), { offered, fixtures });
        results.push(await runCase(each, start));
      }
      expect(results.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
    });

    test('is proved on each of its methods', () => {
      const needed = new Set(proved.map(({ each }) => each.needs));
      expect(offered.filter((capability) => !needed.has(capability))).toEqual([]);
    });

    test('is skipped only for what it lacks, and told so', () => {
      const skipped = planned.filter(({ plan }) => plan.skipped !== undefined);
      for (const { each, plan } of skipped) expect(listReasons(each, offered)).toContain(plan.skipped);
      expect(skipped.length + proved.length + refused.length).toBe(allCases.length);
    });

    test('answers 501 for the operations of other ports, and for none of its own', () => {
      for (const { each, plan } of refused) {
        expect(offered).not.toContain(each.needs);
        expect(plan.title).toMatch(new RegExp(` answers 501 if ${each.needs} is not offered$`));
      }
    });
  },
);

/** Every true reason to skip a case where this much is offered. */
function listReasons({ needs, requires, fixtures: named }: Case, offered: readonly Capability[]): string[] {
  if (!offered.includes(needs)) return [`${needs} is not offered`];
  const missing = requires.filter((capability) => !offered.includes(capability));
  if (missing.length > 0) return missing.map((capability) => `it requires ${capability}, which is not offered`);
  return named.map((name) => `the fixtures do not name ${name}`);
}
