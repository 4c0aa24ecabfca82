import { describe, expect, test } from '@jest/globals';
import { groupA, groupB } from '../../src/api/index.ts';
import { applyRoutes, findRouteProblems } from '../../src/api/operation.ts';

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
