import { afterAll, expect, jest, test } from '@jest/globals';
import { startGateway } from '../support/gateway.ts';
import { send } from '../support/raw-request.ts';

const gateway = await startGateway();
afterAll(() => gateway.stop());

test('a body whose length is announced is read into one buffer, and never copied as a whole', async () => {
  const concat = jest.spyOn(Buffer, 'concat');
  const file = Buffer.alloc(2_000_000, 'x').toString('base64');
  const headers = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' };
  const ticket = JSON.stringify({ fields: [{ id: 'comprobante', value: file }] });
  const { status } = await send(gateway.url, 'POST', '/patients/ana/ticket_type/reintegro/ticket', headers, ticket);
  const longest = Math.max(0, ...concat.mock.results.map(({ value }) => (value as Buffer).length));
  concat.mockRestore();
  expect(status).toBe(201);
  expect(longest).toBeLessThan(10_000);
});
