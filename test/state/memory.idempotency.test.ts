import { describe } from '@jest/globals';
import { createMemoryState } from '../../src/state/memory.ts';
import { describeIdempotency } from '../support/idempotency-contract.ts';

describe('with state in memory', () => describeIdempotency(createMemoryState));
