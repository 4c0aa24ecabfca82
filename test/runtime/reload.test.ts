import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { Container } from 'inversify';
import { stringify } from 'yaml';
import { adapters } from '../../adapters/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { hashToken } from '../../src/runtime/authentication.ts';
import { parts } from '../../src/runtime/parts.ts';
import { makeCertificate } from '../fault-server/certificate.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { createProvider, inSeconds } from '../support/provider.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());
let gateway: RunningGateway;
afterEach(() => gateway.stop());

const first = 'puente_00000001_the-first-token-of-a-client-of-these-tests';
const second = 'puente_00000002_the-second-token-of-a-client-of-these-tests';
const entry = (client: string, token: string) => ({ client, sha256: hashToken(token), scopes: 'all' });
const firstEntry = entry('first', first);
const secondEntry = entry('second', second);

const write = (config: object) => folder.write('puente.yaml', stringify(config));

/** Those of every gateway of the tests. */
const deadlines = { PUENTE_HTTP_READ_DEADLINE: '120000', PUENTE_HTTP_WRITE_DEADLINE: '120000' };

/** A gateway of that configuration, and what reads it again. */
async function start(config: object) {
  const file = write(config);
  let container: Container | undefined;
  const read = async () => readConfig({ file, environment: deadlines, adapters });
  gateway = await startGateway({
    file,
    adapters,
    rebind: (made) => {
      container = made;
      made.rebind(parts.readConfig).toConstantValue(read);
    },
  });
  return container!.getAsync(parts.reload);
}

const ask = async (token: string, path = '/practitioner/') =>
  (await gateway.ask('GET', path, undefined, { authorization: `Bearer ${token}` })).status;
const findEvents = (event: string) =>
  gateway.lines.filter((line) => line.includes(`"${event}"`)).map((line) => JSON.parse(line));

describe('a reload', () => {
  test('revokes a token whose entry is gone, and accepts one whose entry is new', async () => {
    const reload = await start({ auth: { tokens: [firstEntry] } });
    expect([await ask(first), await ask(second)]).toEqual([200, 401]);
    write({ auth: { tokens: [secondEntry] } });
    expect(await reload()).toEqual({ problems: [], changed: ['auth.tokens'], restart: [] });
    expect([await ask(first), await ask(second)]).toEqual([401, 200]);
    expect(findEvents('configuration reloaded')).toMatchObject([{ level: 'info', changed: ['auth.tokens'] }]);
  });

  test('breaks no request of the others', async () => {
    const reload = await start({ auth: { tokens: [firstEntry, secondEntry] } });
    let isOver = false;
    const others = Array.from({ length: 4 }, async () => {
      const statuses = new Set<number>();
      while (!isOver) statuses.add(await ask(second));
      return [...statuses];
    });
    for (const tokens of [[secondEntry], [firstEntry, secondEntry], [secondEntry]]) {
      write({ auth: { tokens } });
      await reload();
      await ask(second);
    }
    isOver = true;
    expect(await Promise.all(others)).toEqual([[200], [200], [200], [200]]);
    expect(await ask(first)).toBe(401);
  });

  test('changes the limits of callers, and begins no window anew where they stay', async () => {
    const read = { requests: 2, seconds: 3_600 };
    const auth = { tokens: [firstEntry] };
    const reload = await start({ auth, limits: { clients: { read } } });
    expect([await ask(first), await ask(first), await ask(first)]).toEqual([200, 200, 429]);
    expect(await reload()).toEqual({ problems: [], changed: [], restart: [] });
    expect(await ask(first)).toBe(429);
    write({ auth, limits: { clients: { read: { ...read, requests: 3 } } } });
    expect((await reload()).changed).toEqual(['limits.clients.read.requests']);
    expect(await ask(first)).toBe(200);
  });

  test('takes over issuers, of which one that stays the same keeps what it knows', async () => {
    const { keys, sign } = await createProvider();
    const jwksFile = folder.write('keys.json', JSON.stringify(keys));
    const issuer = { issuer: 'https://id.invalid', audience: 'puente', typ: null, jwksFile };
    const token = await sign({}, { iss: issuer.issuer, aud: 'puente', client_id: 'a', exp: inSeconds(600) });
    const reload = await start({ auth: { tokens: [firstEntry] } });
    expect(await ask(token)).toBe(401);
    write({ auth: { tokens: [firstEntry], jwt: issuer } });
    expect((await reload()).changed).toEqual(['auth.jwt']);
    // It is known, and has no scope.
    expect(await ask(token)).toBe(403);
    write({ auth: { tokens: [firstEntry], jwt: { ...issuer, audience: 'another' } } });
    expect((await reload()).changed).toEqual(['auth.jwt']);
    expect(await ask(token)).toBe(401);
    write({ auth: { tokens: [firstEntry] } });
    await reload();
    expect(await ask(first)).toBe(200);
  });

  test('names what needs a restart each time until it is restarted, also a secret in a file', async () => {
    const secret = folder.write('key', 'one');
    const auth = { tokens: [firstEntry] };
    const state = { kind: 'sqlite', file: join(folder.path, 'state.db'), encryptionKey: `file:${secret}` };
    const reload = await start({ auth, state });
    writeFileSync(secret, 'two');
    write({ auth, state, http: { port: 9_999 }, guard: { operations: { openTicket: { deadline: 900 } } } });
    const restart = ['http.port', 'guard.operations.openTicket', 'state.encryptionKey'];
    expect(await reload()).toEqual({ problems: [], changed: [], restart });
    expect(await reload()).toEqual({ problems: [], changed: [], restart });
    // Lines are in the log when another request was answered.
    expect(await ask(first)).toBe(200);
    expect(findEvents('configuration reloaded')).toMatchObject([{ level: 'warn', restart }, { restart }]);
  });

  test('leaves all as it was when the configuration is invalid, and says the problems by their lines', async () => {
    const reload = await start({ auth: { tokens: [firstEntry] } });
    write({ auth: { tokens: [secondEntry] }, http: { port: second } });
    const { problems, changed } = await reload();
    expect(problems).toEqual([
      `${folder.formatPath('puente.yaml')}:7 http.port: must be a whole number between 0 and 65535`,
    ]);
    expect(changed).toEqual([]);
    expect([await ask(first), await ask(second)]).toEqual([200, 401]);
    expect(findEvents('configuration not reloaded')).toMatchObject([{ level: 'error', problems }]);
    folder.write('puente.yaml', `auth: { tokens: ['${second}'\n`);
    expect((await reload()).problems.join()).toContain('puente.yaml:2:1 is not valid YAML');
    expect(await ask(first)).toBe(200);
    expect(gateway.lines.join()).not.toContain(second);
  });

  test('keeps the tokens while the file is cut between two of them or empty, and takes over what is whole again', async () => {
    const text = stringify({ auth: { tokens: [firstEntry, secondEntry] } });
    const reload = await start({ auth: { tokens: [firstEntry, secondEntry] } });
    const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1).filter((end) => end < text.length);
    for (const end of [0, ...ends, text.length - 1]) {
      folder.write('puente.yaml', text.slice(0, end));
      const { problems, changed } = await reload();
      expect({ end, problems, changed }).toEqual({ end, problems: [expect.any(String)], changed: [] });
      expect([await ask(first), await ask(second)]).toEqual([200, 200]);
    }
    folder.write('puente.yaml', text.slice(0, text.indexOf('    - client: second')));
    expect((await reload()).problems).toEqual([
      `${folder.formatPath('puente.yaml')}: is truncated, like a file that is being written: if it is complete, add the line ... at its end, or replace the file`,
    ]);
    folder.write('puente.yaml', '');
    expect((await reload()).problems.join()).toMatch(/puente\.yaml: is empty but was not before/);
    expect(findEvents('configuration not reloaded')).not.toEqual([]);
    write({ auth: { tokens: [secondEntry] } });
    expect((await reload()).changed).toEqual(['auth.tokens']);
    expect([await ask(first), await ask(second)]).toEqual([401, 200]);
  });

  test('revokes the last token of a file that was replaced, or that says where it ends', async () => {
    const both = { auth: { tokens: [firstEntry, secondEntry] } };
    const one = stringify({ auth: { tokens: [firstEntry] } });
    const reload = await start(both);
    renameSync(folder.write('next.yaml', one), join(folder.path, 'puente.yaml'));
    expect((await reload()).changed).toEqual(['auth.tokens']);
    expect([await ask(first), await ask(second)]).toEqual([200, 401]);
    write(both);
    await reload();
    expect(await ask(second)).toBe(200);
    folder.write('puente.yaml', `${one}...\n`);
    expect((await reload()).changed).toEqual(['auth.tokens']);
    expect(await ask(second)).toBe(401);
  });

  test('keeps the certificates of an issuer while their file is cut between two of them', async () => {
    const [one, two] = [makeCertificate().cert, makeCertificate().cert];
    const ca = folder.write('ca.pem', one + two);
    const jwt = { issuer: 'https://id.invalid', audience: 'puente', jwksUri: 'https://id.invalid/keys', ca };
    const reload = await start({ auth: { tokens: [firstEntry], jwt } });
    folder.write('ca.pem', one);
    expect((await reload()).problems).toEqual([expect.stringMatching(/auth\.jwt\.ca: is truncated/)]);
    renameSync(folder.write('next.pem', one), ca);
    expect(await reload()).toMatchObject({ problems: [], changed: ['auth.jwt'] });
  });

  test('takes over secrets of an issuer, and leaves all as it was when one of them is gone', async () => {
    const secret = folder.write('secret', 'the-secret-of-the-client-one');
    const introspection = { endpoint: 'https://id.invalid/i', clientId: 'puente', clientSecret: `file:${secret}` };
    const { keys } = await createProvider();
    const jwksFile = folder.write('keys.json', JSON.stringify(keys));
    const jwt = { issuer: 'https://id.invalid', audience: 'puente', jwksFile, introspection };
    const reload = await start({ auth: { tokens: [firstEntry], jwt } });
    writeFileSync(secret, 'the-secret-of-the-client-two');
    expect(await reload()).toEqual({
      problems: [],
      changed: ['auth.jwt.introspection.clientSecret'],
      restart: [],
    });
    writeFileSync(secret, '');
    expect((await reload()).problems).toEqual([
      expect.stringMatching(/auth\.jwt\.introspection\.clientSecret: file:\S+ is not set or empty$/),
    ]);
    expect(await ask(first)).toBe(200);
    expect(gateway.lines.join()).not.toContain('the-secret-of');
  });
});
