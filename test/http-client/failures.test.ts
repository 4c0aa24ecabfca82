import { describe, expect, test } from '@jest/globals';
import { AxiosError, AxiosHeaders } from 'axios';
import { toNetworkFailure } from '../../src/http-client/failures.ts';

const fail = (code: string, sent: boolean) =>
  Object.assign(new AxiosError('no complete answer arrived', code), { sent });

describe('an answer with a status that was not expected', () => {
  const answer = (status: number) => {
    const response = { status, statusText: '', headers: {}, data: 'Ana', config: { headers: new AxiosHeaders() } };
    return new AxiosError('status', 'ERR_BAD_REQUEST', undefined, undefined, response);
  };

  test.each([
    [401, 'unavailable', 'unavailable'],
    [403, 'unavailable', 'unavailable'],
    [429, 'overloaded', 'overloaded'],
    [302, 'bad_answer', 'outcome_unknown'],
    [404, 'bad_answer', 'outcome_unknown'],
    [408, 'unavailable', 'outcome_unknown'],
    [503, 'unavailable', 'outcome_unknown'],
  ])('%d makes a read %s, and a write %s', (status, read, write) => {
    expect(toNetworkFailure(answer(status), false)).toMatchObject({ kind: read, cause: { code: `HTTP_${status}` } });
    expect(toNetworkFailure(answer(status), true)).toMatchObject({ kind: write, cause: { code: `HTTP_${status}` } });
  });
});

test('429 tells how long to wait, which the answer says in seconds or as a date, and at most five minutes', () => {
  const readWait = (retryAfter?: string) => {
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    const response = { status: 429, statusText: '', headers, data: '', config: { headers: new AxiosHeaders() } };
    return toNetworkFailure(new AxiosError('status', 'ERR_BAD_REQUEST', undefined, undefined, response), false)
      .retryAfter;
  };
  expect(['7', '0', '9999', 'soon', '', undefined].map(readWait)).toEqual([7, 1, 300, 1, 1, 1]);
  const wait = readWait(new Date(Date.now() + 60_000).toUTCString());
  expect(wait).toBeGreaterThan(30);
  expect(wait).toBeLessThanOrEqual(60);
});

describe('a write that ends without an answer', () => {
  test.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ERR_CANCELED', 'UNKNOWN'])(
    'by %s may have been executed when it was sent, and was not when it was not',
    (code) => {
      expect(toNetworkFailure(fail(code, true), true).kind).toBe('outcome_unknown');
      expect(toNetworkFailure(fail(code, false), true).kind).toMatch(/^(unavailable|timeout)$/);
    },
  );

  test.each(['EPROTO', 'ERR_SSL_BAD_RECORD_TYPE', 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR'])(
    'by %s may have been executed when it was sent, since TLS may fail after it',
    (code) => {
      expect(toNetworkFailure(fail(code, true), true).kind).toBe('outcome_unknown');
      expect(toNetworkFailure(fail(code, false), true).kind).toBe('unavailable');
    },
  );

  test.each(['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE'])(
    'by %s was not executed: the server rejected our certificate',
    (code) => expect(toNetworkFailure(fail(code, true), true).kind).toBe('unavailable'),
  );

  test('by an error that does not say whether it was sent may have been executed', () => {
    expect(toNetworkFailure(new AxiosError('canceled', 'ERR_CANCELED'), true).kind).toBe('outcome_unknown');
    expect(toNetworkFailure(new Error('a bug'), true).kind).toBe('outcome_unknown');
  });
});
