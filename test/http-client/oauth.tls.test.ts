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
const { cert: authority } = makeCertificate();
const damaged = folder.write('damaged.pem', `${own.cert}${authority.replace(/\n.{4}/, '\n!!!!')}`);
const cut = folder.write('cut.pem', `${own.cert}${authority.slice(0, 200)}`);
const weakPair = makeCertificate({ namedCurve: 'prime192v1' });
const weak = folder.write('weak.pem', weakPair.cert);
const weakKey = `file:${folder.write('weak-key.pem', weakPair.key)}`;

describe('the TLS files of a system', () => {
  test('are read when a connection can use them', () => {
    expect(readTls({ tls: { ca: cert, cert, key } })).toMatchObject({ key: own.key.trim() });
    const chain = folder.write('chain.pem', `# ours\n${own.cert}# its authority\n${authority}`);
    expect(readTls({ tls: { ca: chain, cert: chain, key } })).toMatchObject({ key: own.key.trim() });
    expect(readTls({ tls: {} })).toEqual({});
  });

  test.each([
    [{ ca: text }, 'tls.ca', 'must be a file with certificates in PEM'],
    [{ cert: text, key }, 'tls.cert', 'must be a file with certificates in PEM'],
    [
      { ca: damaged },
      'tls.ca',
      `the file ${damaged} must be a file with certificates in PEM: certificate 2 of 2 is damaged`,
    ],
    [{ ca: cut }, 'tls.ca', 'certificate 2 of 2 is damaged'],
    [{ cert: damaged, key }, 'tls.cert', 'certificate 2 of 2 is damaged'],
    [{ cert: weak, key: weakKey }, 'tls.cert', 'cannot be used for TLS (ERR_SSL_EE_KEY_TOO_SMALL)'],
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
