import { Axios } from 'axios';
import { createExchangeAdapter } from './exchange.ts';
import type { HttpOptions } from './http-options.ts';

/** An axios that follows no redirect, takes every status, leaves bodies as they are and limits their size. */
export function createHttpClient(options: HttpOptions): Axios {
  const { base, timeout } = options;
  // The bare class: `axios.create` merges defaults into every request that the exchange has no use for.
  return new Axios({
    adapter: createExchangeAdapter(options),
    timeout,
    ...(base !== undefined && { baseURL: base, allowAbsoluteUrls: false }),
  });
}
