import { afterAll, describe, expect, test } from '@jest/globals';
import { readTls } from '../../src/http-client/oauth.ts';
import { makeCertificate } from '../fault-server/certificate.ts';
import { ConfigFolder } from '../support/config-file.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

const own = makeCertificate();
const cert = folder.write('cert.pem', `Issued by the hospital\n${own.cert}`);
const key = `file:${folder.write('key.pem', own.key)}`;
const other = `file:${folder.write('other.pem', makeCertificate().key)}`;
const text = folder.write('text.pem', 'no PEM');

describe('the TLS files of a system', () => {
  test('are read when a connection can use them', () => {
    expect(readTls({ tls: { ca: cert, cert, key } })).toMatchObject({ key: own.key.trim() });
    expect(readTls({ tls: {} })).toEqual({});
  });

  test.each([
    [{ ca: text }, 'tls.ca', 'must be a file with certificates in PEM'],
    [{ cert: text, key }, 'tls.cert', 'must be a file with certificates in PEM'],
    [{ cert }, 'tls.key', 'is missing: add it to tls.cert'],
    [{ key }, 'tls.cert', 'is missing: add it to tls.key'],
    [{ cert, key: other }, 'tls.key', 'is no private key in PEM of the certificate in tls.cert'],
    [{ cert, key: `file:${text}` }, 'tls.key', 'is no private key in PEM of the certificate in tls.cert'],
  ])('are a problem of the configuration when no connection could use them (%#)', (tls, setting, problem) => {
    const read = () => readTls({ tls });
    expect(read).toThrow(problem);
    expect(read).toThrow(expect.objectContaining({ setting }));
    expect(read).not.toThrow('no PEM');
  });
});
