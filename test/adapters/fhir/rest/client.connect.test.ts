import { createServer } from 'node:https';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { connect } from '../../../../adapters/fhir/rest/client.ts';
import { makeCertificate } from '../../../fault-server/certificate.ts';
import { ConfigFolder } from '../../../support/config-file.ts';
import { makeSettings } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { listen } from '../../../support/listen.ts';

const folder = new ConfigFolder();
const authority = makeCertificate();
const ours = makeCertificate();
process.env.FHIR_TEST_TLS_KEY = ours.key;
process.env.FHIR_TEST_SECRET = 'our secret';
const tls = {
  ca: folder.write('ca.pem', authority.cert),
  cert: folder.write('cert.pem', ours.cert),
  key: 'env:FHIR_TEST_TLS_KEY',
};

/** What each server was asked for, and whether it was shown a certificate. */
const shown: string[] = [];

/** The address of the server with that name. */
async function start(name: string): Promise<string> {
  const server = createServer({ ...authority, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const { socket } = request;
    const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
    const isOurs = certificate?.toString() === ours.cert;
    shown.push(`${name}${request.url}: ${isOurs ? 'our certificate' : 'none'}`);
    response.setHeader('Content-Type', 'application/json');
    response.end('{"resourceType":"Patient","id":"ana","access_token":"t","expires_in":300}');
  });
  return `https://127.0.0.1:${await listen(server)}`;
}

const fhir = await start('fhir');
const other = await start('other');

beforeEach(() => {
  shown.length = 0;
});
afterAll(() => folder.remove());

/** What is shown by a read, and by fetching a file from elsewhere. */
async function readAndFetch(changes: Record<string, unknown>): Promise<readonly string[]> {
  const settings = makeSettings({ url: `${fhir}/fhir` }, { tls, retries: 0, ...changes });
  const { client, elsewhere } = await connect(settings);
  expect(await client.read('Patient', 'ana', callNow())).toMatchObject({ id: 'ana' });
  expect((await elsewhere.get(`${other}/file`)).status).toBe(200);
  return [...shown];
}

describe('the client certificate', () => {
  test('goes to the FHIR server, and to no host of files', async () => {
    expect(await readAndFetch({})).toEqual(['fhir/fhir/Patient/ana: our certificate', 'other/file: none']);
  });

  test.each([
    ['another host', other, 'other/token: none'],
    ['the origin of the FHIR server', fhir, 'fhir/token: our certificate'],
  ])('goes to a token endpoint on %s only when that is the origin of the FHIR server', async (_, host, login) => {
    const tokenUrl = `${host}/token`;
    const auth = { kind: 'oauth2-secret', tokenUrl, clientId: 'us', clientSecret: 'env:FHIR_TEST_SECRET' };
    expect(await readAndFetch({ auth })).toEqual([login, 'fhir/fhir/Patient/ana: our certificate', 'other/file: none']);
  });
});
