import { Agent } from 'node:https';
import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import axios from 'axios';
import { connect } from '../../../../adapters/fhir/rest/connect.ts';
import { ConfigFolder } from '../../../support/config-file.ts';
import { makeSettings } from '../../../support/fhir-adapter.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());
afterEach(() => {
  jest.restoreAllMocks();
});

process.env.FHIR_TEST_TLS_KEY = 'our private key';
process.env.FHIR_TEST_SECRET = 'our secret';
const url = 'https://fhir.invalid/fhir';
const tls = {
  ca: folder.write('ca.pem', 'the authority'),
  cert: folder.write('cert.pem', 'our certificate'),
  key: 'env:FHIR_TEST_TLS_KEY',
};

/** What each client that the adapter makes shows to the hosts that it calls, in the order of their making. */
async function listCertificates(changes: Record<string, unknown>) {
  const create = jest.spyOn(axios, 'create');
  await connect(makeSettings({ url }, { tls, ...changes }));
  return create.mock.calls.map(([config]) => {
    const agent: unknown = config?.httpsAgent;
    if (!(agent instanceof Agent)) throw new Error('no agent');
    const { ca, cert, key } = agent.options;
    return { base: config?.baseURL, ca, cert, key };
  });
}

const toOthers = { base: undefined, ca: 'the authority', cert: undefined, key: undefined };
const toServer = { base: url, ca: 'the authority', cert: 'our certificate', key: 'our private key' };

describe('the client certificate', () => {
  test('goes to the FHIR server, and to no host of files', async () => {
    expect((await listCertificates({})).toSorted(byBase)).toEqual([toOthers, toServer]);
  });

  test.each([
    ['https://login.invalid/token', toOthers],
    ['https://fhir.invalid/oauth2/token', { ...toServer, base: undefined }],
  ])('goes to %s only when that is the origin of the FHIR server', async (tokenUrl, expected) => {
    const auth = { kind: 'oauth2-secret', tokenUrl, clientId: 'us', clientSecret: 'env:FHIR_TEST_SECRET' };
    const [first, ...others] = await listCertificates({ auth });
    expect(first).toEqual(expected);
    expect(others.toSorted(byBase)).toEqual([toOthers, toServer]);
  });
});

const byBase = (one: { base: string | undefined }, other: { base: string | undefined }): number =>
  (one.base ?? '').localeCompare(other.base ?? '');
