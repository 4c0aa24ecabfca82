export type { Case, Level } from './case.ts';
export { cases, portCases, startCases } from './cases/index.ts';
export { type Fixtures, sandbox } from './fixtures.ts';
export { type HttpOptions, httpSubject } from './http-subject.ts';
export { type Ports, type PortsOptions, type PortsSubject, portsSubject } from './ports-subject.ts';
export { report } from './report.ts';
export { judge, run, type Verdict } from './run.ts';
export type { Request, Response, Subject } from './subject.ts';
