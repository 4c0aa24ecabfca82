import { readFileSync } from 'node:fs';

/** The encryption of a connection, and the verification of the server's certificate. */
export interface TlsOptions {
  readonly rejectUnauthorized: boolean;
  /** PEM. */
  readonly ca?: string;
}

/**
 * Splits `sslmode` and `sslrootcert` from an address, with the semantics of PostgreSQL's driver. Every mode except
 * `disable` and `no-verify` verifies the server's certificate and its name.
 * @throws the system's error if the file of `sslrootcert` cannot be read.
 */
export function readTls(address: string): { readonly address: string; readonly tls?: TlsOptions } {
  if (!URL.canParse(address)) return { address };
  const url = new URL(address);
  const mode = url.searchParams.get('sslmode');
  const root = url.searchParams.get('sslrootcert');
  url.searchParams.delete('sslmode');
  url.searchParams.delete('sslrootcert');
  if (mode === 'disable' || (mode === null && root === null)) return { address: url.href };
  const ca = root === null ? {} : { ca: readFileSync(root, 'utf8') };
  return { address: url.href, tls: { rejectUnauthorized: mode !== 'no-verify', ...ca } };
}
