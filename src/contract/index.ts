export type { Case, Level } from './case.ts';
export {
  cases,
  fixtureChangeCases,
  gatewayCases,
  lostRequestCases,
  outageCases,
  portCases,
  readCases,
  startCases,
} from './cases/index.ts';
export { type DescribeOptions, describeContract, formatCaseTable, type Test } from './describe.ts';
export { describeDriver } from './driver.ts';
export type { DriverColumn, DriverDialect, DriverOptions, DriverSubject } from './driver-subject.ts';
export { type FixtureName, type Fixtures, type PartialFixtures, type Rule, sandbox } from './fixtures.ts';
export type { Fail } from './line.ts';
export { type Line, type LineOptions, openLine } from './line.ts';
export { type CasePlan, type CaseResult, planCase, runCase, runCases } from './run.ts';
export type { Request, Response, Route, Subject } from './subject.ts';
export {
  createHttpSubject,
  createPortsSubject,
  type HttpOptions,
  type PortsOptions,
  type PortsSubject,
} from './subject.ts';
