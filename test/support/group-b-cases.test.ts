import { test } from '@jest/globals';
import { createPortsSubject, describeContract, sandbox } from '../../src/contract/index.ts';
import { groupBCases } from './group-b-cases.ts';
import { openSandbox } from './sandbox.ts';

await describeContract(test, () => createPortsSubject({ ports: openSandbox(), fixtures: sandbox }), {
  cases: groupBCases,
  complete: true,
});
