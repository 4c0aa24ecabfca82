import { describe } from '@jest/globals';
import { createMemoryState } from '../../src/state/open.ts';
import { describeIdempotency } from '../support/idempotency-contract.ts';

describe('with state in memory', () => describeIdempotency(createMemoryState));
