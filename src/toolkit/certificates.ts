import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { getErrorCode } from './failures.ts';
import { SettingsProblem } from './problems.ts';
import { readContent } from './secret.ts';

/**
 * Reads the certificates in PEM of a file that a setting names.
 * @throws SettingsProblem when it cannot be read, or a certificate in it is damaged.
 */
export function readCertificates(path: string, setting: string): string {
  const pem = readContent(path, setting);
  const fault = findCertificateFault(pem);
  if (fault === undefined) return pem;
  throw new SettingsProblem(setting, [`the file ${path} ${fault}`]);
}

/** The beginning of each certificate, in the three forms that OpenSSL reads. */
const beginning = /^(?=-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----)/m;

/** Explains why the text is no list of certificates in PEM. Text before the first one is a comment. */
export function findCertificateFault(pem: string): string | undefined {
  const certificates = pem.split(beginning).filter((part) => beginning.test(part));
  if (certificates.length === 0) return 'must be a file with certificates in PEM';
  // OpenSSL ignores a damaged authority and all those after it.
  const damaged = certificates.findIndex((each) => !isCertificate(each));
  if (damaged === -1) return undefined;
  return `must be a file with certificates in PEM: certificate ${damaged + 1} of ${certificates.length} is damaged`;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** A client certificate with its key, in PEM. A login needs both. */
interface ClientCertificate {
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/**
 * Checks that a connection could use the certificate and its key.
 * @param names of both for an operator.
 * @throws the problem of the one to correct.
 */
export function requireClientCertificate(
  { cert, key }: ClientCertificate,
  names: Readonly<Record<keyof ClientCertificate, string>>,
  createProblem: (name: string, what: string) => SettingsProblem,
): void {
  if ((cert === undefined) !== (key === undefined)) {
    const [missing, given] = cert === undefined ? [names.cert, names.key] : [names.key, names.cert];
    throw createProblem(missing, `is missing: add it to ${given}`);
  }
  try {
    createSecureContext({ cert });
  } catch (error) {
    throw createProblem(names.cert, `cannot be used for TLS (${getErrorCode(error)}): ask for another certificate`);
  }
  try {
    createSecureContext({ cert, key });
  } catch {
    throw createProblem(
      names.key,
      `is no private key in PEM of the certificate in ${names.cert}, or it has a password`,
    );
  }
}

/** The certificates and the key that the address of a database names, in PEM. */
export interface AddressCertificates extends ClientCertificate {
  readonly ca: string | undefined;
}

/**
 * Reads the files of `sslrootcert`, `sslcert` and `sslkey` in the address of a database.
 * @throws SettingsProblem when a connection could not use them.
 */
export function readAddressCertificates(address: string, setting: string): AddressCertificates {
  const searchParams = URL.parse(address)?.searchParams ?? new URLSearchParams();
  const find = (name: string, read: (path: string, setting: string) => string): string | undefined => {
    const path = searchParams.get(name);
    return path === null ? undefined : read(path, setting);
  };
  const found = {
    ca: find('sslrootcert', readCertificates),
    cert: find('sslcert', readCertificates),
    key: find('sslkey', readContent),
  };
  const names = { cert: 'sslcert', key: 'sslkey' };
  requireClientCertificate(found, names, (name, what) => new SettingsProblem(setting, [`${name} ${what}`]));
  return found;
}
