import { expect, test } from '@jest/globals';
import { operations } from '../../src/api/index.ts';
import {
  cases,
  createPortsSubject,
  type PortsSubject,
  portCases,
  runCase,
  sandbox,
  startCases,
} from '../../src/contract/index.ts';
import type { PortName } from '../../src/ports/index.ts';
import { recordMethods } from '../support/record-methods.ts';
import { openSandbox } from '../support/sandbox.ts';

/** The subject, which notes in `used` the capabilities that it is asked for. */
const recordUse = (subject: PortsSubject, used: Set<string>): PortsSubject => ({
  ...subject,
  send: (request) => {
    const operation = operations.find(({ route }) => route === request.route);
    for (const capability of operation?.uses ?? []) used.add(capability);
    return subject.send(request);
  },
  getPort: <N extends PortName>(name: N) =>
    recordMethods(subject.getPort(name), (method) => used.add(`${name}.${method}`)),
});

const all = [...startCases, ...cases, ...portCases];

test.each(all.map((each) => [each.id, each] as const))('%s uses nothing but what it requires', async (_id, each) => {
  const used = new Set<string>();
  const start = async () => recordUse(createPortsSubject({ ports: openSandbox(), fixtures: sandbox }), used);
  expect(await runCase(each, start)).toMatchObject({ outcome: 'pass' });
  // Otherwise the case would fail, instead of being skipped, where an institution does not offer it.
  expect([each.needs, ...(each.requires ?? [])]).toEqual(expect.arrayContaining([...used]));
});
