import { describe, expect, test } from '@jest/globals';
import { memory } from '../../adapters/memory/index.ts';
import { operations } from '../../src/api/index.ts';
import {
  type Case,
  cases,
  createPortsSubject,
  type PortsSubject,
  portCases,
  runCase,
  sandbox,
  startCases,
} from '../../src/contract/index.ts';
import type { PortName } from '../../src/ports/index.ts';
import { openSandbox } from '../support/sandbox.ts';

const start = async () =>
  createPortsSubject({ ports: openSandbox(), operations, supports: memory.supports, fixtures: sandbox });

/** The subject, which notes in `used` the capabilities that it is asked for. */
const recordUse = (subject: PortsSubject, used: Set<string>): PortsSubject => ({
  ...subject,
  send: (request) => {
    const operation = operations.find(({ route }) => route === request.route);
    for (const capability of [operation?.uses ?? []].flat()) used.add(capability);
    return subject.send(request);
  },
  port: <N extends PortName>(name: N) =>
    new Proxy(subject.port(name), {
      get: (port, method) => {
        used.add(`${name}.${String(method)}`);
        const value = Reflect.get(port, method);
        return typeof value === 'function' ? value.bind(port) : value;
      },
    }),
});

const all: readonly Case<PortsSubject>[] = [...startCases, ...cases, ...portCases];

describe('the in-memory hospital keeps the contract in process', () => {
  test.each(all.map((one) => [one.id, one.title, one] as const))('%s: %s', async (_id, _title, one) => {
    const used = new Set<string>();
    const { outcome, error, reason } = await runCase(one, async () => recordUse(await start(), used));
    if (error !== undefined) throw error;
    expect([outcome, reason]).toEqual(['pass', undefined]);
    // Otherwise the case would fail, instead of being skipped, where an institution does not offer it.
    expect([one.needs, ...(one.requires ?? [])]).toEqual(expect.arrayContaining([...used]));
  });
});
