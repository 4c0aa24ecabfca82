import {
  cases,
  createPortsSubject,
  outageCases,
  portCases,
  type Rule,
  runCases,
  sandbox,
} from '../../src/contract/index.ts';
import type { Offer } from '../../src/ports/index.ts';
import { openFailingSandbox } from './failing-system.ts';
import { groupBCases } from './group-b-cases.ts';

/** A difference of another hospital. */
export type Change = (ports: ReturnType<typeof openFailingSandbox>['ports']) => Offer;

/** The cases that run over ports in this process. */
export const all = [...cases, ...portCases, ...outageCases, ...groupBCases];

/** How the case ends over the sandbox hospital with something else in it, which an institution may have. */
export async function tryCase(id: string, change: Change, rules: readonly Rule[] = []) {
  const { ports, line } = openFailingSandbox();
  const subject = createPortsSubject({
    ports: { ...ports, ...change(ports) },
    fixtures: { ...sandbox, rules },
    fail: line.fail,
  });
  const found = all.filter((each) => each.id === id);
  return (await runCases(found, async () => subject)).map(({ outcome }) => outcome);
}
