import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { createRemoteJWKSet, exportJWK, exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import { FaultServer } from '../fault-server/server.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { takeClocks } from '../support/clock.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { startFhirGateway } from '../support/fhir-gateway.ts';
import { startGateway } from '../support/gateway.ts';
import { ask, Realm, readKeycloak, say } from './keycloak.ts';

// A Keycloak of which only the address is known cannot be restarted: a server in front of it refuses connections for so long.
// KEYCLOAK_RESTART names a command that restarts the real one and returns when it answers again.
jest.setTimeout(400_000);
const { base, admin } = readKeycloak();
const { KEYCLOAK_RESTART: restart } = process.env;
const OUTAGE_MS = 10_000;
/** Of the tokens of the gateway: longer than twice the outage, since they are renewed from half of their time on. */
const LIFETIME_S = restart ? 60 : 30;

const realm = await Realm.create(base, admin);
const attributes = { 'access.token.lifespan': '3600' };
await realm.addClient('platform', ['patients:read'], 'puente', { secret: 's', attributes });
const { publicKey, privateKey } = await generateKeyPair('ES384', { extractable: true });
const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES384', use: 'sig' };
await realm.addKeyClient('gateway', [jwk], { 'access.token.lifespan': String(LIFETIME_S) });
const folder = new ConfigFolder();
const front = await FaultServer.start(base);
afterAll(async () => {
  jest.restoreAllMocks();
  await front.stop();
  await realm.remove();
  folder.remove();
});

const { server: hospital, id } = await startHospital();

/** The same address, through the server in front. */
const behind = (url: string): string => url.replace(base, front.url);
const keysUri = `${realm.issuer}/protocol/openid-connect/certs`;

describe('a Keycloak that is stopped', () => {
  test('for 15 simulated minutes keeps no token out, seen before or not, and is told at /readyz', async () => {
    const gateway = await startGateway({
      environment: {
        PUENTE_AUTH_JWT_PRESET: 'keycloak',
        PUENTE_AUTH_JWT_ISSUER: realm.issuer,
        PUENTE_AUTH_JWT_AUDIENCE: 'puente',
        PUENTE_AUTH_JWT_JWKS_URI: behind(keysUri),
      },
    });
    const tokens: string[] = [];
    for (let minute = 0; minute <= 16; minute++) tokens.push(await realm.getToken('platform', 's'));
    const [first = '', ...unseen] = tokens;
    expect((await ask(gateway, first)).status).toBe(200);
    await front.down();
    const moveClocks = takeClocks();
    const accepted: number[] = [];
    for (const token of unseen) {
      moveClocks(60_000);
      accepted.push((await ask(gateway, token)).status, (await ask(gateway, first)).status);
    }
    expect(accepted).toEqual(Array(32).fill(200));
    const impaired = await fetch(`${gateway.url}/readyz`);
    expect([impaired.status, await impaired.json()]).toMatchObject([200, { impairments: [{ code: 'jwks_stale' }] }]);
    await front.up();
    moveClocks(60_000);
    expect((await ask(gateway, first)).status).toBe(200);
    jest.restoreAllMocks();
    await gateway.stop();
    say(
      'stopped for 16 simulated minutes: 16 of 16 tokens not seen before accepted, and 16 of 16 that were; jwks_stale',
    );
  });
});

/** A FHIR server that accepts only tokens of the realm that are valid at that moment, and says how many it refused. */
async function guardFhirServer() {
  // As kept keys, so that it does not depend on Keycloak itself.
  const keys = createRemoteJWKSet(new URL(keysUri), { cacheMaxAge: Number.POSITIVE_INFINITY });
  await keys.reload();
  const counted = { accepted: 0, refused: 0 };
  const tokens = new Set<string>();
  const server = createServer(async (request, response) => {
    const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
    try {
      await jwtVerify(token, keys, { issuer: [realm.issuer, behind(realm.issuer)] });
      counted.accepted += 1;
      tokens.add(token);
    } catch {
      counted.refused += 1;
      response.writeHead(401).end();
      return;
    }
    try {
      const answer = await fetch(hospital.url + (request.url ?? '').replace(/^\/fhir/, ''));
      const headers = { 'content-type': answer.headers.get('content-type') ?? '' };
      response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
    } catch {
      request.socket.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/fhir`, counted, tokens, stop };
}

/** Takes Keycloak away for a while, and says for how long. */
async function restartKeycloak(): Promise<number> {
  const since = performance.now();
  if (restart) await promisify(execFile)('sh', ['-c', restart]);
  else {
    await front.down();
    await sleep(OUTAGE_MS);
    await front.up();
  }
  return Math.round((performance.now() - since) / 1000);
}

describe('a restart of Keycloak', () => {
  test('under steady load fails no request of an adapter that logs in with a key', async () => {
    const fhir = await guardFhirServer();
    const gateway = await startFhirGateway(
      { url: fhir.url, fileOrigin: hospital.fileOrigin },
      {
        PUENTE_ADAPTER_SETTINGS_AUTH: JSON.stringify({
          kind: 'oauth2-key',
          tokenUrl: behind(realm.tokenUrl),
          clientId: 'gateway',
          privateKey: `file:${folder.write('key', await exportPKCS8(privateKey))}`,
          keyId: 'k1',
          algorithm: 'ES384',
        }),
      },
      { lookEvery: 1_000 },
    );
    const statuses: number[] = [];
    const waiting: Promise<unknown>[] = [];
    let loaded = true;
    const load = (async () => {
      while (loaded) {
        waiting.push(gateway.ask('GET', `/patients/${id('Patient/ana')}`).then(({ status }) => statuses.push(status)));
        await sleep(50);
      }
    })();
    // It is taken away right before the token would be renewed.
    await sleep((LIFETIME_S * 1000) / 2 - 1_500);
    const before = fhir.tokens.size;
    const seconds = await restartKeycloak();
    const during = gateway.lines.filter((line) => line.includes('login_')).length;
    await sleep(LIFETIME_S * 700);
    loaded = false;
    await load;
    await Promise.all(waiting);
    const failed = statuses.filter((status) => status !== 200).length;
    say(
      `${restart ? 'Keycloak restarted' : 'connections refused'} for ${seconds} s under load: ${statuses.length} requests, ${failed} failed; ` +
        `${fhir.tokens.size} tokens of ${LIFETIME_S} s, ${fhir.counted.refused} refused by the server, ${during} lines about logins`,
    );
    expect(failed).toBe(0);
    expect(statuses.length).toBeGreaterThan(200);
    expect(fhir.tokens.size).toBeGreaterThan(before);
    expect(during).toBeGreaterThan(0);
    await gateway.stop();
    fhir.stop();
  });
});
