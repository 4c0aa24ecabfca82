import { describe, expect, test } from '@jest/globals';
import { AxiosError } from 'axios';
import { toNetworkFailure } from '../../../adapters/http-client/failures.ts';

const fail = (code: string, sent: boolean) => Object.assign(new AxiosError('no complete answer came', code), { sent });

describe('a write that ends without an answer', () => {
  test.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ERR_CANCELED', 'UNKNOWN'])(
    'by %s may have been executed when it was sent, and was not when it was not',
    (code) => {
      expect(toNetworkFailure(fail(code, true), true).kind).toBe('outcome_unknown');
      expect(toNetworkFailure(fail(code, false), true).kind).toMatch(/^(unavailable|timeout)$/);
    },
  );

  test('by an error that does not say whether it was sent may have been executed', () => {
    expect(toNetworkFailure(new AxiosError('canceled', 'ERR_CANCELED'), true).kind).toBe('outcome_unknown');
    expect(toNetworkFailure(new Error('a bug'), true).kind).toBe('outcome_unknown');
  });
});
