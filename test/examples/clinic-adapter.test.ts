import { test } from '@jest/globals';
import clinic from '../../examples/clinic-adapter/src/index.ts';
import { fixtures, institution } from '../../examples/clinic-adapter/test/fixtures.ts';
import { createPortsSubject, describeContract } from '../../src/contract/index.ts';

const start = async () =>
  createPortsSubject({ ports: await clinic.offer(clinic.settings.parse({}), institution, {}), fixtures });

await describeContract(test, start);
