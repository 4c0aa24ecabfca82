import { afterAll, describe, expect, test } from '@jest/globals';
import { examineCertificates } from '../../src/config/warnings.ts';
import { makeCertificate } from '../fault-server/certificate.ts';
import { ConfigFolder } from '../support/config-file.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** What is said of a file with certificates that end in so many days. */
function examine(...days: number[]) {
  const file = folder.write('certificates.pem', days.map((each) => makeCertificate({ days: each }).cert).join('\n'));
  return { file, found: examineCertificates(file) };
}

describe('the certificates in a file', () => {
  test.each([[[40]], [[40, 900]], [[31]]])('that end in %j days are not told of', (days) => {
    expect(examine(...days).found).toBeUndefined();
  });

  test('are warned of for a month before the first of them ends', () => {
    const { file, found } = examine(900, 12.5, 40);
    expect(found).toEqual({
      ok: null,
      detail: `a certificate in ${file} ends on ${inDays(12.5)}, in 12 days`,
      fix: expect.stringMatching(/^renew it/),
    });
    expect(examine(29.5).found?.ok).toBeNull();
  });

  test('are wrong when one has ended', () => {
    const { file, found } = examine(40, -1);
    expect(found).toMatchObject({ ok: false, detail: `a certificate in ${file} ended on ${inDays(-1)}` });
  });

  test.each([
    ['is no certificate', '-----BEGIN CERTIFICATE-----\nabcd\n-----END CERTIFICATE-----\n'],
    ['holds none', ''],
  ])('are the concern of who needs the file, when it %s', (_, content) => {
    expect(examineCertificates(folder.write('other.pem', content))).toBeUndefined();
    expect(examineCertificates(`${folder.path}/missing.pem`)).toBeUndefined();
  });
});
