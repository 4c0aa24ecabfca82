import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createWebhook, type Message, sign } from '../../../adapters/local/outbox.ts';
import { ConfigFolder } from '../../support/config-file.ts';
import { serve } from '../../support/listen.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

const message: Message = { type: 'ticket.created', timestamp: '2026-11-30T12:00:00.000Z', data: { id: 'a-1' } };
const { signal } = new AbortController();

describe('the webhook', () => {
  test('signs as the libraries of Standard Webhooks do', () => {
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const content = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}';
    expect(sign(key, content)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test('sends a signature for each of two secrets, over the id, the time and the body as they are sent', async () => {
    const received: { headers: Record<string, unknown>; body: string }[] = [];
    const url = await serve(async (request, response) => {
      received.push({ headers: request.headers, body: await text(request) });
      response.writeHead(204).end();
    });
    const keys = [randomBytes(32), randomBytes(24)];
    const secret = folder.write('secret', keys.map((key) => `whsec_${key.toString('base64')}`).join('\n'));
    const send = createWebhook({ url, secret: `file:${secret}`, timeout: 10_000 });
    expect(await send(message, signal)).toBeUndefined();
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    expect(JSON.parse(body)).toEqual(message);
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
    expect([id, headers['content-type']]).toEqual(['a-1', 'application/json']);
    expect(Math.abs(Number(timestamp) - Date.now() / 1_000)).toBeLessThan(300);
    expect(signature).toBe(keys.map((key) => sign(key, `${id}.${timestamp}.${body}`)).join(' '));
  });

  test.each([
    ['HTTP_500', 500],
    ['HTTP_302', 302],
    ['ECONNREFUSED', undefined],
  ])('says %s when the receiver does not take it', async (code, status) => {
    const url = status
      ? await serve((_, response) => void response.writeHead(status, { Location: '/elsewhere' }).end())
      : 'http://127.0.0.1:1/';
    const secret = folder.write('secret', `whsec_${randomBytes(32).toString('base64')}`);
    expect(await createWebhook({ url, secret: `file:${secret}`, timeout: 10_000 })(message, signal)).toBe(code);
  });
});
