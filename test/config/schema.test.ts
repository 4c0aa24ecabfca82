import { afterAll, describe, expect, test } from '@jest/globals';
import { adapters } from '../../adapters/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { findProblems, folder } from '../support/read-config.ts';

const read = (environment: Record<string, string>) => readConfig({ environment, adapters }).config.audit;

describe('the settings of the audit trail', () => {
  test('leave it to the state whether there is one', () => {
    expect(read({})).toEqual({
      whenUnavailable: 'refuseWrites',
      retentionDays: 3653,
      forward: { auth: { kind: 'none' } },
    });
  });

  test('can say that there is none', () => {
    expect(read({ PUENTE_AUDIT_ENABLED: 'false' })).toMatchObject({ enabled: false });
  });

  test('cannot ask for one that ends with the process', () => {
    expect(() => read({ PUENTE_AUDIT_ENABLED: 'true' })).toThrow(
      'PUENTE_AUDIT_ENABLED: needs a persistent state: set state.kind to sqlite or postgres',
    );
  });
});

afterAll(() => folder.remove());

const bulkheads = ['read', 'write', 'slotSearch', 'patientSearch'];

const find = (running: number, queued: number) =>
  findProblems(
    [
      'guard:',
      '  bulkheads:',
      ...bulkheads.map((name) => `    ${name}: { running: ${running}, queued: ${queued} }`),
      `  operations: { getPatient: { running: ${running}, queued: ${queued} } }`,
    ].join('\n'),
  );

describe('a problem in the guard', () => {
  test('is a bulkhead or an operation with too little or too much room, told with both ends', () => {
    const problems = [
      ...bulkheads.map((name, index) => [3 + index, `bulkheads.${name}`] as const),
      [7, 'operations.getPatient'] as const,
    ].flatMap(([line, path]) => [
      `x.yaml:${line} guard.${path}.running: must be a whole number between 1 and 10000`,
      `x.yaml:${line} guard.${path}.queued: must be a whole number between 0 and 100000`,
    ]);
    expect(find(0, -1)).toEqual(problems);
    expect(find(10_001, 100_001)).toEqual(problems);
    expect(find(1, 0)).toEqual([]);
    expect(find(10_000, 100_000)).toEqual([]);
  });

  test('is a circuit that could never open or close as it says', () => {
    const findInCircuit = (settings: string) => findProblems(`guard: { circuit: { ${settings} } }`);
    const problems = [
      'x.yaml:1 guard.circuit.window: must be a whole number between 100 and 3600000',
      'x.yaml:1 guard.circuit.minimum: must be a whole number between 1 and 100000',
      'x.yaml:1 guard.circuit.faultRate: must be a number above 0 and at most 1',
    ];
    expect(findInCircuit('window: 99, minimum: 0, faultRate: 0')).toEqual(problems);
    expect(findInCircuit('window: 3600001, minimum: 100001, faultRate: 1.01')).toEqual(problems);
    expect(findInCircuit('window: 100, minimum: 1, faultRate: 0.01')).toEqual([]);
    expect(findInCircuit('window: 3600000, minimum: 100000, faultRate: 1')).toEqual([]);
    expect(findInCircuit('openFor: 2001, longestOpen: 2000')).toEqual([
      'x.yaml:1 guard.circuit.openFor: must not be longer than guard.circuit.longestOpen',
    ]);
    expect(findInCircuit('openFor: 2000, longestOpen: 2000')).toEqual([]);
  });
});
