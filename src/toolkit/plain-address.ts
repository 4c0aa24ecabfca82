import { readSecret } from './secret.ts';

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether it is this machine, by the `hostname` of a URL. */
export const isLoopback = (hostname: string): boolean => loopback.test(hostname);

/**
 * Why what is sent there can be read on the way, and how that is mended; undefined for this machine, for what is encrypted, and
 * for what is no address.
 * @param address a URL, or a reference to that of a database.
 */
export function explainPlainAddress(address: string): string | undefined {
  const isSecret = /^(env|file):/.test(address);
  const url = isSecret ? readUrl(address) : address;
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  if (host === '' || /^(\/|%2F)/i.test(host) || isLoopback(host)) return undefined;
  if (protocol === 'http:') return 'is plain http to another host: whoever is on the way reads what is sent; use https';
  const mode = searchParams.get('sslmode') ?? searchParams.get('ssl') ?? 'disable';
  if (!/^postgres(ql)?:$/.test(protocol) || !/^(disable|false|0)$/.test(mode)) return undefined;
  return 'is a database on another host without TLS: whoever is on the way reads what is kept; add ?sslmode=verify-full to its address';
}

/** Whether the secret is there is the concern of who needs it. */
function readUrl(reference: string): string | undefined {
  try {
    return readSecret(reference, '');
  } catch {
    return undefined;
  }
}
