import {
  cases,
  createPortsSubject,
  fixtureChangeCases,
  outageCases,
  type PartialFixtures,
  portCases,
  runCases,
  sandbox,
} from '../../src/contract/index.ts';
import { Failure, type Offer } from '../../src/ports/index.ts';
import { openFailingSandbox } from './failing-system.ts';
import { groupBCases } from './group-b-cases.ts';

/** A difference of another hospital. */
export type Change = (ports: ReturnType<typeof openFailingSandbox>['ports']) => Offer;

/** The cases that run over ports in this process. */
export const all = [...cases, ...fixtureChangeCases, ...portCases, ...outageCases, ...groupBCases];

/** Runs the case over the sandbox hospital with something else in it. */
export async function runWith(id: string, change: Change, fixtures: Partial<PartialFixtures> = {}) {
  const { ports, line } = openFailingSandbox();
  const subject = createPortsSubject({
    ports: { ...ports, ...change(ports) },
    fixtures: { ...sandbox, ...fixtures },
    fail: line.fail,
  });
  return runCases(
    all.filter((each) => each.id === id),
    async () => subject,
  );
}

/** The outcome of the case over the sandbox hospital with something else in it. */
export const tryCase = async (...given: Parameters<typeof runWith>) =>
  (await runWith(...given)).map(({ outcome }) => outcome);

/** The system refuses a value that it has no place for, at its field. */
export const refuse = (at: string): never => {
  throw new Failure('invalid', 'the system has no place for it', { at });
};
