import { readAddressCertificates } from '../../../../src/toolkit/certificates.ts';
import { SettingsProblem } from '../../../../src/toolkit/problems.ts';

/** The encryption of a connection, and the verification of the server's certificate. */
export interface TlsOptions {
  readonly rejectUnauthorized: boolean;
  /** PEM. */
  readonly ca?: string;
}

/**
 * Splits `sslmode` and `sslrootcert` from an address, with the semantics of PostgreSQL's driver. Every mode except
 * `disable` and `no-verify` verifies the server's certificate and its name.
 * @param scheme of the address.
 * @throws SettingsProblem if the address is invalid, or the file of `sslrootcert` cannot be used.
 */
export function readTls(address: string, scheme: string): { readonly address: string; readonly tls?: TlsOptions } {
  if (!URL.canParse(address) || !/^\w+:\/\/[^/]/.test(address)) throw createAddressProblem(scheme);
  const url = new URL(address);
  const mode = url.searchParams.get('sslmode');
  const { ca: root } = readAddressCertificates(address, 'database.url');
  url.searchParams.delete('sslmode');
  url.searchParams.delete('sslrootcert');
  if (mode === 'disable' || (mode === null && root === undefined)) return { address: url.href };
  const ca = root === undefined ? {} : { ca: root };
  return { address: url.href, tls: { rejectUnauthorized: mode !== 'no-verify', ...ca } };
}

/** The problem of an invalid address. */
export function createAddressProblem(scheme: string): SettingsProblem {
  const example = `${scheme}://user:password@host/database`;
  const encoding = 'with each : / ? # @ of a password percent-encoded';
  return new SettingsProblem('database.url', [`must be an address such as ${example}, ${encoding}`]);
}
