import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { buildExample, getPortName, isOffered, operation, operations, perform } from '../../src/api/index.ts';
import { referenceDay } from '../../src/api/openapi.ts';
import { capabilities } from '../../src/ports/index.ts';
import { findOperation } from '../support/fake-port.ts';
import { recordMethods } from '../support/record-methods.ts';
import { openSandbox } from '../support/sandbox.ts';

const call = {
  requestId: 'uses',
  client: 'uses',
  now: referenceDay.toISOString(),
  signal: new AbortController().signal,
  omit: () => undefined,
};

describe('what an operation uses', () => {
  test.each(operations.map((each) => [each.name, each] as const))(
    'is what the handler of %s calls, and no more',
    async (_name, operation) => {
      const name = getPortName(operation);
      const used = new Set<string>();
      const port = recordMethods(openSandbox(referenceDay)[name], (method) => used.add(`${name}.${method}`));
      const { params = {}, query = {}, body } = buildExample(operation, referenceDay);
      await perform(operation, port, { params, query, body }, call);
      expect([...used].toSorted()).toEqual(operation.uses.toSorted());
    },
  );

  test('is all that it needs to be offered', () => {
    const open = findOperation('openTicket');
    expect(isOffered(open, new Set(capabilities))).toBe(true);
    for (const missing of open.uses) {
      expect(isOffered(open, new Set(capabilities.filter((capability) => capability !== missing)))).toBe(false);
    }
  });

  test('is all that its handler gets: another method, or another port beside it, does not compile', () => {
    const declared = {
      name: 'x',
      route: 'GET /x',
      summary: '',
      scope: 'tickets:read',
      example: {},
      returns: [200, z.unknown()],
    } as const;
    operation({ ...declared, uses: ['tickets.type'], handle: (tickets, _, call) => tickets.type('receta', call) });
    // @ts-expect-error: it names no method that lists tickets
    operation({ ...declared, uses: ['tickets.type'], handle: (tickets, _, call) => tickets.list('ana', {}, call) });
    const uses = ['tickets.type', 'patients.get'] as const;
    // @ts-expect-error: these are two ports
    operation({ ...declared, uses, handle: (port, _, call) => port.get('ana', call) });
    // @ts-expect-error: it names no method
    operation({ ...declared, uses: [], handle: async () => ({}) });
    // @ts-expect-error: there is no such method
    operation({ ...declared, uses: ['tickets.kinds'], handle: async () => ({}) });
  });
});
