export type { Case, Level } from './case.ts';
export { cases, portCases, startCases } from './cases/index.ts';
export { type DescribeOptions, describeContract, type Test } from './describe.ts';
export { type Fixtures, sandbox } from './fixtures.ts';
export { createHttpSubject, type HttpOptions } from './http-subject.ts';
export { createPortsSubject, type PortsOptions, type PortsSubject } from './ports-subject.ts';
export { formatReport } from './report.ts';
export { type CaseResult, type Plan, planCase, runCase, runCases } from './run.ts';
export type { Request, Response, Subject } from './subject.ts';
