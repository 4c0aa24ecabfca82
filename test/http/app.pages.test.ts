import { expect, test } from '@jest/globals';
import { startGateway } from '../support/gateway.ts';

const pages = ['/', '/docs', '/problems', '/problems/slot_taken', '/openapi.json'];

test.each([
  ['on', 200],
  ['off', 404],
] as const)(
  'with http.docs: %s the pages and the OpenAPI document are %i, and the operations are there',
  async (docs, expected) => {
    const gateway = await startGateway({ environment: { PUENTE_HTTP_DOCS: docs } });
    try {
      for (const path of pages) expect([path, (await gateway.ask('GET', path)).status]).toEqual([path, expected]);
      expect((await gateway.ask('GET', '/patients/ana')).status).toBe(200);
    } finally {
      await gateway.stop();
    }
  },
);
