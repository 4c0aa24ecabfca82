import { afterAll, expect, test } from '@jest/globals';
import { openSources } from '../../../../../adapters/mapping/sources/open-sources.ts';
import { database } from '../../../../../adapters/mapping/sources/sql/schema.ts';
import { makeCertificate } from '../../../../fault-server/certificate.ts';
import { ConfigFolder } from '../../../../support/config-file.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

const open = (url: string, kind = url.split(':')[0]) => {
  process.env.ADDRESS_TEST = url;
  return openSources({ system: 'his', database: database.parse({ kind, url: 'env:ADDRESS_TEST' }) });
};

test.each([
  ['sqlserver', 'mssql://his'],
  ['sqlserver', 'sqlserver://'],
  ['sqlserver', 'Server=his;Database=x'],
  ['sqlserver', 'sqlserver:///x'],
  ['mysql', 'mysql://puente:s3c/ret@his/x'],
  ['mysql', 'his'],
  ['postgres', 'postgres://puente:s3c/ret@his/x'],
])(
  'an address of %s that is none, %s, is a problem of the configuration with an example, and is not repeated',
  async (kind, url) => {
    await expect(open(url, kind)).rejects.toMatchObject({
      setting: 'database.url',
      problems: [
        `must be an address such as ${kind}://user:password@host/database, with each : / ? # @ of a password percent-encoded`,
      ],
    });
  },
);

test.each(['mysql', 'postgres', 'sqlserver'])(
  'the missing file of sslrootcert is a problem of the configuration for %s',
  async (kind) => {
    await expect(open(`${kind}://puente:secret@his/x?sslmode=verify-full&sslrootcert=/none.pem`)).rejects.toMatchObject(
      {
        setting: 'database.url',
        problems: ['the file /none.pem does not exist: correct the path'],
      },
    );
  },
);

test.each([
  ['sslcert=/none.pem&sslkey=KEY', 'the file /none.pem does not exist: correct the path'],
  ['sslcert=CERT&sslkey=/none.pem', 'the file /none.pem does not exist: correct the path'],
  ['sslcert=CERT', 'sslkey is missing: add it to sslcert'],
  ['sslcert=CERT&sslkey=OTHER', 'sslkey is no private key in PEM of the certificate in sslcert, or it has a password'],
])(
  'a client certificate of an address that no login can use is a problem of the configuration (%s)',
  async (query, problem) => {
    const { cert, key } = makeCertificate();
    const files: Readonly<Record<string, string>> = {
      CERT: folder.write('cert.pem', cert),
      KEY: folder.write('key.pem', key),
      OTHER: folder.write('other.pem', makeCertificate().key),
    };
    const named = query.replaceAll(/[A-Z]{3,}/g, (name) => files[name] ?? name);
    await expect(open(`postgres://puente:secret@127.0.0.1:1/x?sslmode=verify-full&${named}`)).rejects.toMatchObject({
      setting: 'database.url',
      problems: [problem],
    });
  },
);

test('a server that nobody runs is asked at the first question alone', async () => {
  const sources = await open('sqlserver://puente:secret@127.0.0.1:1/his');
  const call = { signal: new AbortController().signal, requestId: 'test' };
  await expect(sources.reach(call)).rejects.toMatchObject({ kind: 'unavailable', cause: { code: 'ESOCKET' } });
  await sources.close();
});
