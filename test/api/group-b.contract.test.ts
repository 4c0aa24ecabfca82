import { test } from '@jest/globals';
import { createPortsSubject, describeContract, sandbox } from '../../src/contract/index.ts';
import { openSandbox } from '../support/sandbox.ts';
import { groupBCases } from './group-b/cases/index.ts';

await describeContract(test, () => createPortsSubject({ ports: openSandbox(), fixtures: sandbox }), {
  cases: groupBCases,
  complete: true,
});
