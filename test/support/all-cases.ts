import { type Case, cases, fixtureChangeCases, gatewayCases, portCases, startCases } from '../../src/contract/index.ts';

/** The cases of the contract over a system that works. */
export const allCases: readonly Case[] = [
  ...startCases,
  ...cases,
  ...fixtureChangeCases,
  ...gatewayCases,
  ...portCases,
];
