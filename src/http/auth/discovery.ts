import { badAnswer } from '../../toolkit/http-client/failures.ts';
import type { AskProvider } from './provider-client.ts';

/** Where the issuer's endpoints are, by its own word. */
export interface Discovered {
  readonly jwksUri: URL | undefined;
  readonly introspectionEndpoint: URL | undefined;
}

/**
 * Reads the discovery document (OpenID Connect Discovery 1.0), which must be that of this very issuer.
 * @throws Failure as `ask` does.
 */
export async function discover(issuer: string, ask: AskProvider, signal: AbortSignal): Promise<Discovered> {
  const url = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const { issuer: named, jwks_uri: jwks, introspection_endpoint: introspection } = (await ask({ url, signal })).body;
  if (named !== issuer) throw badAnswer('wrong_issuer');
  return { jwksUri: toTrustworthyUrl(jwks), introspectionEndpoint: toTrustworthyUrl(introspection) };
}

/** Nobody on the way can change what is fetched there: by TLS, or on this machine. */
function toTrustworthyUrl(text: unknown): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isLocal = url.protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || isLocal ? url : undefined;
}
