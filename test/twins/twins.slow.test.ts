import { afterAll, describe, expect, test } from '@jest/globals';
import { operations } from '../../src/api/index.ts';
import { collectField, gaps } from './gaps.ts';
import { openHospitals } from './hospitals.ts';
import { knownDisagreements } from './known/index.ts';
import type { KnownDisagreement, Scenario } from './known/known.ts';
import { formatDistribution, formatFailure } from './report.ts';
import { type Plan, runSequences } from './run-sequences.ts';
import { scenes } from './scenes.ts';
import { settled } from './settled/index.ts';
import { Disagreement, type Exchange, Twin } from './twin.ts';
import { viewPractitioner } from './views.ts';

/** Few sequences, always the same, so that a change is judged by the same ones; `npm run test:twins` plays many others. */
const { TWINS_SEED: seed, TWINS_RUNS: runs = '8', TWINS_LENGTH: length = '10' } = process.env;
const isLong = Number(runs) >= 100;
const plan: Plan = {
  seed: Number(seed ?? (isLong ? Date.now() % 1_000_000 : 1)),
  runs: Number(runs),
  length: Number(length),
};

// Furnishing a hospital takes a second.
const all = await Promise.all(scenes.slice(0, isLong ? undefined : 2).map(openHospitals));
const [first] = all;
if (!first) throw new Error('there is no scene');
const exchanges: Exchange[] = [];

afterAll(async () => {
  for (const hospitals of all) await hospitals.stop();
  if (isLong) process.stdout.write(`${formatDistribution(exchanges, plan)}\n`);
});

describe('two adapters with the same hospital answer every sequence of requests alike', () => {
  test.each(all.map((hospitals, index) => [hospitals.scene.name, hospitals, index] as const))(
    '%s',
    async (name, hospitals, index) => {
      const own = { ...plan, seed: plan.seed + index, runs: Math.ceil(plan.runs / all.length) };
      const result = await runSequences(hospitals, own, knownDisagreements);
      exchanges.push(...result.exchanges);
      if (result.failure) throw new Error(formatFailure(result.failure, plan, name));
    },
    60_000 + plan.runs * plan.length * 1_000,
  );

  if (isLong) {
    test('and no operation is left out', () => {
      const asked = new Set(exchanges.map(({ request }): string => request.route));
      expect(operations.map(({ route }) => route).filter((route) => !asked.has(route))).toEqual([]);
    });
  }
});

/** What both answer to the requests of the scenario. */
const play = async (scenario: Scenario, known: readonly KnownDisagreement[]): Promise<readonly Exchange[]> => {
  const hospitals = all.find(({ scene }) => scene === scenario.scene) ?? first;
  const twin = new Twin(hospitals, known);
  for (const { times, days = 0, ...request } of scenario.example(hospitals.idOf)) {
    twin.wait(twin.now.getTime() + days * 86_400_000);
    await twin.ask(request, times).catch((error: unknown) => {
      if (!(error instanceof Disagreement)) throw error;
      throw new Error(formatFailure(twin.exchanges, plan, hospitals.scene.name));
    });
  }
  return twin.exchanges;
};

describe('what the two once disagreed on they answer alike', () => {
  test.each(settled.map((scenario) => [scenario.what, scenario] as const))('%s', async (_, scenario) => {
    const exchanges = await play(scenario, []);
    expect(exchanges.flatMap(({ differences }) => differences)).toEqual([]);
  });
});

describe('what the two are known to disagree on is still so, or it does not belong into the table', () => {
  test.each(knownDisagreements.map((known) => [known.what, known] as const))('%s', async (_, known) => {
    const exchanges = await play(known, knownDisagreements);
    expect(exchanges.flatMap((exchange) => exchange.known)).toContain(known);
  });

  test.each(gaps.map((gap) => [`${gap.field ?? 'everything'} of ${gap.route}: ${gap.reason}`, gap] as const))(
    '%s',
    async (_, { route, field }) => {
      const { memory, fhir, ids } = first.reset();
      const request = { ...viewPractitioner(first.idOf('Patient', 'ana')), route };
      const now = new Date(first.scene.now);
      const [here, there] = [await memory(ids.toMemory(request), now), await fhir(request, now)];
      expect(collectField(ids.toMemory(there.body), field)).not.toEqual(collectField(here.body, field));
    },
  );
});
