import { afterAll, describe, expect, test } from '@jest/globals';
import { createStartingServer, listen } from '../../src/http/server.ts';

const server = createStartingServer('/api', () => [], { write: () => undefined });
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe('the listener of a gateway that still waits for its database', () => {
  test('serves a probe with a query as one without', async () => {
    const base = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}/api`;
    for (const query of ['', '?from=probe']) {
      const [live, ready] = await Promise.all(['livez', 'readyz'].map((each) => fetch(`${base}/${each}${query}`)));
      expect([live!.status, ready!.status]).toEqual([200, 503]);
      expect(await ready!.json()).toEqual({ status: 'starting', impairments: [] });
    }
  });
});
