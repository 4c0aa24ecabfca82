import { test } from '@jest/globals';
import { createPortsSubject, describeContract, sandbox } from '../../src/contract/index.ts';
import { openFailingSandbox } from '../support/failing-system.ts';

await describeContract(test, () => createPortsSubject({ ...openFailingSandbox(), fixtures: sandbox }), {
  complete: true,
});
