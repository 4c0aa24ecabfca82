import { describe, expect, test } from '@jest/globals';
import { operations } from '../../src/api/index.ts';
import {
  type Case,
  cases,
  createPortsSubject,
  type PortsSubject,
  portCases,
  sandbox,
  startCases,
} from '../../src/contract/index.ts';
import { capabilities, type PortName } from '../../src/ports/index.ts';
import { expectPass, nameCases } from '../support/contract.ts';
import { recordMethods } from '../support/record-methods.ts';
import { openSandbox } from '../support/sandbox.ts';

const start = async () =>
  createPortsSubject({ ports: openSandbox(), operations, supports: capabilities, fixtures: sandbox });

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

const all: readonly Case<PortsSubject>[] = [...startCases, ...cases, ...portCases];

describe('the in-memory hospital keeps the contract in process', () => {
  test.each(nameCases(all))('%s: %s', async (_id, _title, one) => {
    const used = new Set<string>();
    await expectPass(one, async () => recordUse(await start(), used));
    // Otherwise the case would fail, instead of being skipped, where an institution does not offer it.
    expect([one.needs, ...(one.requires ?? [])]).toEqual(expect.arrayContaining([...used]));
  });
});
