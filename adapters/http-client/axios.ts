import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import axios, { type AxiosInstance } from 'axios';

export interface HttpOptions {
  /** Milliseconds for one request, from the first byte sent to the last byte received. */
  readonly timeout: number;
  /** Where every path begins; without a slash at its end. Absent: only absolute URLs are sent. */
  readonly base?: string;
  /** Most bytes of an answer, unpacked. */
  readonly maxBytes: number;
  /** PEM. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** An axios that follows nothing, believes nothing and reads no more than it was told to. */
export function createHttpClient({ base, timeout, maxBytes, tls }: HttpOptions): AxiosInstance {
  const agent = { keepAlive: true, maxSockets: 64, maxFreeSockets: 16, timeout: 4_000 + timeout };
  return axios.create({
    adapter: 'http',
    ...(base !== undefined && { baseURL: base, allowAbsoluteUrls: false }),
    maxRedirects: 0,
    proxy: false,
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
