import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigFolder } from '../../support/config-file.ts';
import { startGateway } from '../../support/gateway.ts';
import { createProvider, inSeconds } from '../../support/provider.ts';

const { keys } = await createProvider();
let isDown = false;
const forms: string[] = [];
const provider = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  if (isDown) return void request.socket.destroy();
  const token = new URLSearchParams(body).get('token');
  forms.push(`${request.headers.authorization} ${token}`);
  const active = token?.startsWith('active') === true;
  const person = { name: 'Ana Ferreyra', username: 'ana.ferreyra', client_id: 'platform', sub: 'x' };
  const claims = { iss: 'https://id.invalid', aud: 'puente', scope: 'patients:read', exp: inSeconds(60), ...person };
  response.end(JSON.stringify(active ? { active, ...claims } : { active }));
});
await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
const folder = new ConfigFolder();
const gateway = await startGateway({
  environment: {
    PUENTE_AUTH_JWT_ISSUER: 'https://id.invalid',
    PUENTE_AUTH_JWT_AUDIENCE: 'puente',
    PUENTE_AUTH_JWT_JWKS_FILE: folder.write('keys.json', JSON.stringify(keys)),
    PUENTE_AUTH_JWT_INTROSPECTION_ENDPOINT: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/introspect`,
    PUENTE_AUTH_JWT_INTROSPECTION_CLIENT_ID: 'gateway',
    PUENTE_AUTH_JWT_INTROSPECTION_CLIENT_SECRET: `file:${folder.write('secret', 'the-secret\n')}`,
    PUENTE_AUTH_JWT_INTROSPECTION_CACHE_SECONDS: '0',
  },
});
afterAll(async () => {
  folder.remove();
  await gateway.stop();
  provider.closeAllConnections();
  provider.close();
});

/** What the caller sees, and why, by the line of the log. */
async function ask(token: string) {
  const before = gateway.lines.length;
  const response = await fetch(`${gateway.url}/patients/ana`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  while (gateway.lines.length === before) await new Promise(setImmediate);
  const { cause, client, code } = JSON.parse(gateway.lines.at(-1) ?? '') as Record<string, unknown>;
  return { status: response.status, retryAfter: response.headers.get('retry-after'), cause, client, code };
}

describe('a gateway that asks its issuer about tokens', () => {
  test('accepts one that is active, refuses one that is not, and shows neither token nor person in the log', async () => {
    expect(await ask('active-opaque')).toMatchObject({ status: 200, client: 'platform' });
    expect(await ask('revoked-opaque')).toMatchObject({ status: 401, cause: 'inactive' });
    const basic = `Basic ${Buffer.from('gateway:the-secret').toString('base64')}`;
    expect(forms).toEqual([`${basic} active-opaque`, `${basic} revoked-opaque`]);
    expect(gateway.lines.join('\n')).not.toMatch(/opaque|ferreyra|the-secret/i);
  });

  test('answers 503 with Retry-After, not 401, when its issuer is down, and says so at /readyz', async () => {
    isDown = true;
    const answer = await ask('active-opaque');
    expect(answer).toMatchObject({ status: 503, retryAfter: '1', code: 'auth_provider_unavailable' });
    expect(answer.cause).toBe('ECONNRESET');
    const ready = await fetch(`${gateway.url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ impairments: [{ code: 'introspection_unavailable' }] });
    isDown = false;
    expect(await ask('active-opaque')).toMatchObject({ status: 200 });
  });
});
