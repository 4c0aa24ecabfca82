import { describe, expect, test } from '@jest/globals';
import { memory } from '../../adapters/memory/index.ts';
import { operations } from '../../src/api/index.ts';
import {
  type Case,
  cases,
  createPortsSubject,
  portCases,
  runCase,
  sandbox,
  startCases,
} from '../../src/contract/index.ts';
import { freshHospital } from '../support/sandbox.ts';

const start = async () =>
  createPortsSubject({ ports: freshHospital(), operations, supports: memory.supports, fixtures: sandbox });

type Here = Case<Awaited<ReturnType<typeof start>>>;
const all: readonly Here[] = [...startCases, ...cases, ...portCases];

describe('the in-memory hospital keeps the contract in process', () => {
  test.each(all.map((one) => [one.id, one.title, one] as const))('%s: %s', async (_id, _title, one) => {
    const { outcome, error, reason } = await runCase(one, start);
    if (error !== undefined) throw error;
    expect([outcome, reason]).toEqual(['pass', undefined]);
  });
});
