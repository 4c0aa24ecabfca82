import { X509Certificate } from 'node:crypto';
import type { Finding } from '../ports/index.ts';
import { readRegularFile } from '../toolkit/regular-file.ts';

const DAY_MS = 86_400_000;
/** Days before its end when a certificate is warned of. */
const RENEWAL_DAYS = 30;
const pemPattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** What is to be said of the certificates in a file: that of the first to end, when it has ended or does so within a month. */
export function examineCertificates(file: string): Omit<Finding, 'check'> | undefined {
  const end = Math.min(...readEnds(file));
  const days = Math.floor((end - Date.now()) / DAY_MS);
  if (!(days < RENEWAL_DAYS)) return undefined;
  const ended = end <= Date.now();
  const day = new Date(end).toISOString().slice(0, 10);
  return {
    ok: ended ? false : null,
    detail: `a certificate in ${file} ${ended ? `ended on ${day}` : `ends on ${day}, in ${days} days`}`,
    fix: 'renew it, or remove it if another one in the file takes its place',
  };
}

/** When they end, in milliseconds since 1970. A file that cannot be used is the concern of who needs it. */
function readEnds(file: string): number[] {
  try {
    const found = readRegularFile(file).toString().match(pemPattern) ?? [];
    return found.map((pem) => Date.parse(new X509Certificate(pem).validTo));
  } catch {
    return [];
  }
}
