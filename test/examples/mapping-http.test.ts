import { expect, test } from '@jest/globals';
import { fixtures } from '../../examples/clinic-adapter/test/fixtures.ts';
import { startSigho } from '../../examples/mapping-http/system/server.js';
import { cases, createPortsSubject, describeContract, portCases } from '../../src/contract/index.ts';
import { capabilities, listOffered } from '../../src/ports/index.ts';
import { isOfMapping, lacksMapping, openHospital } from '../support/mapped-clinic.ts';
