import { describe } from '@jest/globals';
import { describeIdempotency } from '../support/idempotency-contract.ts';
import { createOpen } from '../support/sqlite-state.ts';

describe('with state in SQLite', () => describeIdempotency(createOpen()));
