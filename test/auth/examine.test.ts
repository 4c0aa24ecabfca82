import { describe, expect, jest, test } from '@jest/globals';
import { examineIssuer, listImpairments, lookAtIssuer } from '../../src/auth/examine.ts';
import type { ProviderAnswer } from '../../src/auth/remote-keys.ts';
import { RemoteKeys } from '../../src/auth/remote-keys.ts';
import { createProvider, inSeconds, toIssuer } from '../support/provider.ts';

const { keys } = await createProvider();
const given = { issuer: 'https://id.example.org/realms/hospital', audience: 'puente' };

const answer = (body: object, secondsAhead = 0): ProviderAnswer => {
  const now = Date.now();
  const date = new Date(now + secondsAhead * 1000).toUTCString();
  return { body: { ...body }, headers: { date }, sentAt: now, receivedAt: now };
};
const refuse = (code: string) => () => Promise.reject(new Error('no', { cause: { code } }));

/** What is found at an issuer that answers like this. */
async function look(respond: () => Promise<ProviderAnswer>, more: object = {}) {
  const remote = new RemoteKeys(new URL('https://id.example.org/keys'), respond);
  const settings = toIssuer({ ...given, ...more }, remote);
  await lookAtIssuer(settings);
  return { findings: examineIssuer(settings), impairments: listImpairments(settings) };
}

describe('a look at an issuer', () => {
  test('finds one healthy that answers with keys of an accepted algorithm, and whose clock is ours', async () => {
    const { findings, impairments } = await look(async () => answer(keys));
    expect(findings.map(({ check, ok }) => [check, ok])).toEqual([
      ['issuer', true],
      ['keys of the issuer', true],
      ['clock of the issuer', true],
    ]);
    expect(impairments).toEqual([]);
  });

  test('has nothing to say before anybody looked', () => {
    const remote = new RemoteKeys(new URL('https://id.example.org/keys'), refuse('ECONNREFUSED'));
    expect(listImpairments(toIssuer(given, remote))).toEqual([]);
  });

  test.each([
    ['ECONNREFUSED', /start the provider, open the firewall/],
    ['ENOTFOUND', /correct the host/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /set ca to a PEM file/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /set ca to a PEM file/],
    ['HTTP_404', /correct issuer, jwksUri/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /the port has no TLS/],
    ['HTTP_503', /check the provider’s log/],
    ['wrong_issuer', /set issuer to exactly the "issuer" in its document/],
    ['no_jwks_uri', /set jwksUri/],
    ['not_json', /another service answers there/],
  ])('that fails with %s says what to do', async (code, fix) => {
    const { findings, impairments } = await look(refuse(code));
    expect(findings[0]).toMatchObject({ ok: false, detail: expect.stringContaining(`id.example.org (${code})`) });
    expect(findings[0]?.fix).toMatch(fix);
    expect(impairments).toMatchObject([{ code: 'issuer_unavailable', cause: code, host: 'id.example.org' }]);
  });

  test.each([
    ['RS256', ['ES256'], /its keys are for RS256/],
    ['ES384', ['ES256', 'RS256'], /its keys are for ES384/],
  ])('finds keys for %s of no use for %j', async (alg, algorithms, detail) => {
    const published = (await createProvider(alg)).keys;
    const { findings, impairments } = await look(async () => answer(published), { algorithms });
    expect(findings[1]).toMatchObject({ ok: false, detail: expect.stringMatching(detail) });
    expect(findings[1]?.fix).toMatch(/add the provider’s algorithm to algorithms/);
    expect(impairments).toMatchObject([{ code: 'issuer_no_usable_key' }]);
  });

  test('finds none in an empty key set, nor among keys for encryption', async () => {
    const forEncryption = { keys: keys.keys.map((key) => ({ ...key, use: 'enc' })) };
    for (const published of [{ keys: [] }, forEncryption]) {
      expect((await look(async () => answer(published))).findings[1]).toMatchObject({ ok: false });
    }
  });

  test.each([
    [9, true],
    [60, false],
    [-60, false],
  ])('finds a clock that is %i seconds ahead right: %s', async (seconds, ok) => {
    const { findings, impairments } = await look(async () => answer(keys, seconds));
    expect(findings[2]).toMatchObject({ check: 'clock of the issuer', ok });
    expect(impairments.map(({ code }) => code)).toEqual(ok ? [] : ['issuer_clock']);
  });

  test.each([
    [8, 30, []],
    [20, 30, ['issuer_clock']],
    [8, 5, ['issuer_clock']],
    [315_360_000, 30, ['issuer_clock']],
  ])('finds a clock by a token issued in %i seconds, with %i of tolerance: %j', (seconds, clockTolerance, codes) => {
    const settings = toIssuer({ ...given, clockTolerance }, keys);
    settings.clock.see({ iat: inSeconds(seconds) }, inSeconds(0));
    settings.clock.see({ iat: inSeconds(-60) }, inSeconds(0));
    expect(listImpairments(settings).map(({ code }) => code)).toEqual(codes);
  });

  test('forgets such a token after ten minutes', () => {
    const settings = toIssuer(given, keys);
    settings.clock.see({ iat: inSeconds(3_600) }, inSeconds(0));
    const { now } = performance;
    jest.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 600_000);
    expect(listImpairments(settings)).toEqual([]);
    jest.restoreAllMocks();
  });

  test('asks the provider once in a moment, however often it is looked at', async () => {
    let asked = 0;
    const remote = new RemoteKeys(new URL('https://id.example.org/keys'), async () => {
      asked += 1;
      return answer(keys);
    });
    const settings = toIssuer(given, remote);
    for (let i = 0; i < 20; i++) await lookAtIssuer(settings);
    expect(asked).toBe(1);
  });

  test('asks one that is down twice at first, and then not for a moment', async () => {
    let asked = 0;
    const remote = new RemoteKeys(new URL('https://id.example.org/keys'), () => {
      asked += 1;
      return refuse('ECONNREFUSED')();
    });
    const settings = toIssuer(given, remote);
    for (let i = 0; i < 20; i++) await lookAtIssuer(settings);
    expect(asked).toBe(2);
  });

  test('finds out that no key of a file is for an accepted algorithm', () => {
    const findings = examineIssuer(toIssuer({ ...given, algorithms: ['EdDSA'] }, keys));
    expect(findings).toMatchObject([
      { ok: false, detail: expect.stringMatching(/^no key of the file verifies EdDSA/) },
    ]);
  });
});
