import { describe, expect, test } from '@jest/globals';
import {
  describeLoginFailure,
  findLoginReason,
  LoginFailure,
  type LoginReason,
} from '../../src/http-client/login-failure.ts';

// Keycloak: as version 26.4 answered to each mistake. The others: as their pages have it.
const answers: readonly [LoginReason, number, string | undefined, string | undefined][] = [
  ['login_wrong_client', 401, 'invalid_client', 'Invalid client or Invalid client credentials'],
  ['login_wrong_client', 401, 'unauthorized_client', 'Invalid client or Invalid client credentials'],
  ['login_wrong_client', 401, 'invalid_client', undefined],
  ['login_wrong_client', 400, 'invalid_request', 'Invalid secret'],
  ['login_wrong_client', 401, undefined, undefined],
  ['login_wrong_client', 401, 'invalid_client', 'AADSTS7000215: Invalid client secret provided.'],
  ['login_wrong_client', 400, 'unauthorized_client', 'AADSTS700016: Application was not found in the directory.'],
  ['login_wrong_client', 401, 'access_denied', 'Unauthorized'],
  ['login_wrong_client', 401, 'invalid_client', "Invalid value for 'client_id' parameter."],
  ['login_wrong_key', 400, 'invalid_client', 'Unable to load public key'],
  [
    'login_wrong_key',
    400,
    'invalid_client',
    'Client authentication with signed JWT failed: Signature on JWT token failed validation',
  ],
  ['login_wrong_key', 401, 'invalid_client', 'AADSTS700027: The certificate used to sign is not registered.'],
  ['login_wrong_key', 401, 'invalid_client', 'The client_assertion signature is invalid.'],
  ['login_wrong_scope', 400, 'invalid_scope', 'Invalid scopes: foo'],
  [
    'login_wrong_scope',
    400,
    'invalid_scope',
    'One or more scopes are not configured for the authorization server resource.',
  ],
  ['login_wrong_scope', 400, 'invalid_request', 'AADSTS70011: The provided value for the input scope is not valid.'],
  ['login_wrong_audience', 400, 'invalid_client', 'Invalid token audience'],
  ['login_wrong_audience', 403, 'access_denied', 'Service not found: https://fhir.example.org'],
  ['login_wrong_audience', 400, 'invalid_target', undefined],
  ['login_wrong_clock', 400, 'invalid_client', 'Token is not active'],
  ['login_wrong_clock', 400, 'invalid_client', 'Token was issued in the future'],
  ['login_wrong_clock', 400, 'invalid_client', 'Token was issued too far in the past to be used now'],
  ['login_wrong_clock', 401, 'invalid_client', 'AADSTS700024: Client assertion is not within its valid time range.'],
  ['login_not_allowed', 401, 'unauthorized_client', 'Client not enabled to retrieve service account'],
  ['login_not_allowed', 403, 'access_denied', 'Client is not authorized to access "https://fhir.example.org".'],
  ['login_refused', 400, 'invalid_request', undefined],
  ['login_unreachable', 503, undefined, undefined],
  ['login_unreachable', 429, 'slow_down', undefined],
  ['login_bad_answer', 404, undefined, undefined],
];

describe('the reason of a refused login', () => {
  test.each(answers)('is %s for %s %s "%s"', (reason, status, error, description) => {
    const refusal = { status, signed: false, ...(error && { error }), ...(description && { description }) };
    expect(findLoginReason(refusal)).toBe(reason);
  });

  test('is the clock when the server has another time, and a key was used', () => {
    const refusal = { status: 401, error: 'invalid_client', clockOffset: -45_000 };
    expect(findLoginReason({ ...refusal, signed: true })).toBe('login_wrong_clock');
    expect(findLoginReason({ ...refusal, signed: false })).toBe('login_wrong_client');
  });

  test('is one sentence with the host, the error and the fix', () => {
    const sentence = describeLoginFailure(new LoginFailure('login_wrong_key', 'login.invalid', 'invalid_client'));
    expect(sentence).toContain('login.invalid rejects the key of the client (invalid_client); register ');
  });
});
