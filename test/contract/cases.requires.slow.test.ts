import { describe, expect, test } from '@jest/globals';
import { type Case, createPortsSubject, planCase, runCase } from '../../src/contract/index.ts';
import { promisedFixtures } from '../../src/contract/subject.ts';
import { type Capability, capabilities } from '../../src/ports/index.ts';
import { allCases } from '../support/all-cases.ts';
import { createPartialSubject } from '../support/partial-subject.ts';
import { openSandbox } from '../support/sandbox.ts';

const rows = allCases.map((each) => [each.id, each] as const);
const unchanged = openSandbox();

/**
 * Runs the case where this much is offered. Returns the capabilities and the fixtures that it used, and the capabilities of
 * which it asked whether they are offered.
 */
async function run(each: Case, offered: readonly Capability[], fixtures: readonly string[]) {
  const used = new Set<string>();
  const asked = new Set<Capability>();
  const start = async () => {
    const ports = each.level === 'safe' ? unchanged : openSandbox();
    const subject = createPartialSubject(ports, { offered, fixtures, note: (name) => used.add(name) });
    const supports = (capability: Capability) => {
      asked.add(capability);
      return subject.supports(capability);
    };
    return { ...subject, supports };
  };
  expect(await runCase(each, start)).toMatchObject({ outcome: 'pass', title: each.title });
  return { used, asked };
}

/** Those that are not used, nor is a fixture that only they promise. */
const listUnused = (claimed: readonly Capability[], others: readonly Capability[], used: ReadonlySet<string>) =>
  claimed.filter((capability) => {
    const rest = new Set<string>(
      [...claimed, ...others].filter((other) => other !== capability).flatMap((other) => promisedFixtures[other]),
    );
    return !used.has(capability) && !promisedFixtures[capability].some((name) => used.has(name) && !rest.has(name));
  });

describe('with nothing but what it requires', () => {
  test.each(rows)('%s passes, and uses all of that', async (_id, each) => {
    const offered = [each.needs, ...each.requires];
    const { used } = await run(each, offered, ['patients.spare', ...each.fixtures]);
    expect(listUnused(each.requires, [each.needs], used)).toEqual([]);
    expect(each.fixtures.filter((name) => !used.has(name))).toEqual([]);
  });
});

describe('where everything is offered', () => {
  test.each(rows)('%s uses nothing but what it requires, or has asked for', async (_id, each) => {
    const { used, asked } = await run(each, capabilities, ['patients.payer', ...each.fixtures]);
    expect(capabilities.filter((capability) => used.has(capability) && !asked.has(capability))).toEqual([]);
  });
});

describe('a case is skipped, with the reason', () => {
  const required = allCases.flatMap((each) => each.requires.map((capability) => [each.id, capability, each] as const));

  test.each(required)('%s without %s', (_id, capability, each) => {
    const offered = capabilities.filter((other) => other !== capability);
    const subject = createPartialSubject(unchanged, { offered, fixtures: each.fixtures });
    const reason = `it requires ${capability}, which is not offered`;
    expect(planCase(each, subject)).toEqual({ title: each.title, skipped: reason });
  });

  const named = allCases.flatMap((each) => each.fixtures.map((name) => [each.id, name, each] as const));

  test.each(named)('%s without the fixture %s', (_id, name, each) => {
    const subject = createPartialSubject(unchanged, { offered: capabilities });
    expect(planCase(each, subject)).toEqual({ title: each.title, skipped: `the fixtures do not name ${name}` });
  });
});

describe('a case that reads a fixture which is not named is skipped, and says so, where it is promised by', () => {
  const rows = allCases.flatMap((each) => {
    const claimed = [each.needs, ...each.requires];
    return claimed.flatMap((capability) => {
      const others = claimed.filter((other) => other !== capability);
      const promised = new Set<string>([...others.flatMap((other) => promisedFixtures[other]), ...each.fixtures]);
      const missing = promisedFixtures[capability].filter((name) => !promised.has(name));
      return missing.length > 0 ? [[capability, each.id, { each, others }] as const] : [];
    });
  });

  test.each(rows)('%s: %s', async (_capability, _id, { each, others }) => {
    const named = { offered: others, fixtures: ['patients.spare', ...each.fixtures] };
    const { fixtures } = createPartialSubject(unchanged, named);
    const start = async () =>
      createPortsSubject({ ports: each.level === 'safe' ? unchanged : openSandbox(), fixtures });
    const { outcome, reason } = await runCase(each, start);
    if (outcome === 'skip') expect(reason).toMatch(/^the fixtures do not name [\w.]+$/);
    else expect(outcome).toBe('pass');
  });
});
