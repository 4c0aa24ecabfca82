import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  buildExample,
  getPortName,
  groupA,
  groupB,
  isOffered,
  operation,
  operations,
  perform,
} from '../../src/api/index.ts';
import { referenceDay } from '../../src/api/openapi.ts';
import { applyRoutes, findRouteProblems } from '../../src/api/operation.ts';
import { capabilities } from '../../src/ports/index.ts';
import { isRecord } from '../../src/toolkit/records.ts';
import { findOperation } from '../support/fake-port.ts';
import { recordMethods } from '../support/record-methods.ts';
import { openSandbox } from '../support/sandbox.ts';

const findProblem = (operation: string, route: string): string | undefined =>
  findRouteProblems(groupA, groupB, { [operation]: route })[0]?.problem;

describe('a route that configuration gives to Group B', () => {
  test('replaces the default of that operation, and of no other', () => {
    const routed = applyRoutes(groupB, { createCoverage: 'POST /coberturas' });
    const changed = routed.filter(({ route }, i) => route !== groupB[i]?.route);
    expect(changed.map(({ name, route }) => [name, route])).toEqual([['createCoverage', 'POST /coberturas']]);
  });

  test.each([
    ['createCoverage', 'POST /coberturas'],
    ['editCoverage', 'PUT /coberturas/{coverageId}/'],
    ['getAppointment', 'POST /turnos'],
    ['getAppointment', 'GET /appointments'],
  ])('of %s may be %s', (operation, route) => {
    expect(findProblem(operation, route)).toBeUndefined();
  });

  test.each([
    ['createCoverage', '/coberturas', 'must be a method and a path, e.g. POST /coverages'],
    ['createCoverage', 'PATCH /coberturas', 'must be a method and a path, e.g. POST /coverages'],
    ['createCoverage', 'POST /coberturas?x=1', 'must be a method and a path, e.g. POST /coverages'],
    ['createCoverage', 'GET /coberturas', 'must be POST or PUT, since the operation has a body'],
    ['createCoverage', 'POST /coberturas/{id}', 'must have no parameter in its path'],
    ['editCoverage', 'PUT /c', 'must have {coverageId} in its path, once, and no other parameter'],
    [
      'editCoverage',
      'PUT /c/{coverageId}/{coverageId}',
      'must have {coverageId} in its path, once, and no other parameter',
    ],
    ['getPatient', 'GET /p', 'unknown operation of Group B'],
    ['getAppointment', 'GET /docs/turnos', 'starts with a path of the gateway: /docs'],
    ['getAppointment', 'GET /patients/turnos', 'conflicts with getPatient, which has the route GET /patients/{id}'],
    [
      'getAppointment',
      'GET /v1/insurance-carriers/',
      'conflicts with getInsuranceCarriers, which has the route GET /v1/insurance-carriers',
    ],
  ])('of %s may not be %s: %s', (operation, route, problem) => {
    expect(findProblem(operation, route)).toBe(problem);
  });

  test('may be what another operation has moved away from', () => {
    const swap = {
      getFrequentHcs: 'GET /v1/frequent-health-care-services/by-type',
      getFrequentHcsByType: 'GET /v1/by-type',
    };
    expect(findRouteProblems(groupA, groupB, swap)).toEqual([]);
  });
});

const call = {
  requestId: 'uses',
  client: 'uses',
  now: referenceDay.toISOString(),
  signal: new AbortController().signal,
  omit: () => undefined,
};

/** Fields that make a handler call a further method, and that its example does not need. */
const rareFields: Readonly<Record<string, object>> = { updatePatient: { status: 'Active' } };

describe('what an operation uses', () => {
  test.each(operations.map((each) => [each.name, each] as const))(
    'is what the handler of %s calls, and no more',
    async (_name, operation) => {
      const name = getPortName(operation);
      const used = new Set<string>();
      const port = recordMethods(openSandbox(referenceDay)[name], (method) => used.add(`${name}.${method}`));
      const { params = {}, query = {}, body } = buildExample(operation, referenceDay);
      const whole = isRecord(body) ? { ...body, ...rareFields[operation.name] } : body;
      await perform(operation, port, { params, query, body: whole }, call);
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
