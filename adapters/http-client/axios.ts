import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import axios, { type AxiosInstance, type AxiosProxyConfig } from 'axios';

export interface HttpOptions {
  /** Milliseconds that one request may take, from its first byte to the last byte of the answer. */
  readonly timeout: number;
  /** The URL that every path is below, without a slash at its end; without it requests have absolute URLs. */
  readonly base?: string;
  /** Most bytes of an answer, unpacked. */
  readonly maxBytes: number;
  /** PEM. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** The URL of an HTTP proxy; without it none is used, whatever the environment says. */
  readonly proxy?: string;
}

/** An axios instance that follows no redirect, leaves bodies as they are and limits their size. */
export function createHttpClient({ base, timeout, maxBytes, tls, proxy }: HttpOptions): AxiosInstance {
  // The guard bounds what is asked at once, for each port and class; one bound for all would let those that hang stop the rest.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 16, timeout: 4_000 + timeout };
  return axios.create({
    adapter: 'http',
    ...(base !== undefined && { baseURL: base, allowAbsoluteUrls: false }),
    maxRedirects: 0,
    proxy: proxy === undefined ? false : toProxy(new URL(proxy)),
    responseType: 'arraybuffer',
    maxContentLength: maxBytes,
    maxBodyLength: 32 << 20,
    decompress: true,
    validateStatus: () => true,
    transitional: { clarifyTimeoutError: true, silentJSONParsing: false },
    transformRequest: [(data: unknown) => data],
    transformResponse: [(data: unknown) => data],
    httpAgent: new HttpAgent(agent),
    httpsAgent: new HttpsAgent({ ...agent, ...tls, minVersion: 'TLSv1.2' }),
  });
}

const toProxy = ({ protocol, hostname, port, username, password }: URL): AxiosProxyConfig => ({
  protocol,
  host: hostname,
  port: Number(port || (protocol === 'https:' ? 443 : 80)),
  ...(username !== '' && { auth: { username: decodeURIComponent(username), password: decodeURIComponent(password) } }),
});
