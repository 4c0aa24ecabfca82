import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Container } from 'inversify';
import { adapters } from '../../../adapters/index.ts';
import { memory } from '../../../adapters/memory/index.ts';
import { operations } from '../../../src/api/index.ts';
import { createOwnRecord } from '../../../src/audit/record.ts';
import { AuditWriter } from '../../../src/audit/writer.ts';
import { readConfig } from '../../../src/config/read.ts';
import { listen } from '../../../src/http/server.ts';
import { WinstonLog } from '../../../src/observe/log.ts';
import { Failure } from '../../../src/ports/index.ts';
import { parts } from '../../../src/runtime/parts.ts';
import { openAuditedState } from '../../support/audited-gateway.ts';
import { type RunningGateway, type StartGatewayOptions, startGateway } from '../../support/gateway.ts';
import { send } from '../../support/raw-request.ts';

let gateway: RunningGateway;
let ops: string;
let server: Server | undefined;
let container: Container | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await gateway.stop();
});

/** A gateway with a port for operators. */
async function start({ environment, ...options }: StartGatewayOptions = {}): Promise<void> {
  gateway = await startGateway({
    ...options,
    environment: { PUENTE_OPS_PORT: '1', ...environment },
    rebind: (given) => {
      container = given;
    },
  });
  server = await container?.getAsync(parts.opsServer);
  ops = `http://127.0.0.1:${await listen(server!, { host: '127.0.0.1', port: 0 })}`;
}

const read = async (): Promise<string> => (await send(ops, 'GET', '/', {})).text;

/** The text of the rows that have this word, without marks of HTML. */
const listRows = (html: string, word: string): string[] =>
  html
    .split(/<tr>|<dt>|<\/table>|<\/dl>/)
    .filter((row) => row.includes(word))
    .map((row) =>
      row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );

const listWarnings = async (): Promise<string[]> => {
  const [row = ''] = listRows(await read(), 'Warnings<');
  return row.split(' ✖ ').slice(1).toSorted();
};

/** A request is counted when its connection has taken the response. */
async function waitFor(word: string): Promise<string[]> {
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    const rows = listRows(await read(), word);
    if (rows.length > 0) return rows;
  }
  return [];
}

describe('the page of the operator', () => {
  test('says in an empty gateway that nothing is wrong', async () => {
    await start({ environment: { PUENTE_INSTITUTION_NAME: 'Sanatorio <del> Puente' } });
    const html = await read();
    expect(html).toContain('<h1>Sanatorio &lt;del&gt; Puente</h1>');
    expect(html).toContain('✔ In service, not impaired');
    expect(listRows(html, '<dd><a href="#')).toEqual([
      'Failing ✔ none',
      'Limited clients ✔ none',
      'Not offered ✔ none',
      'Audit trail none is kept',
    ]);
    expect(listRows(html, '>getPatient<')).toEqual(['getPatient memory']);
  });

  test('says first which operations are not offered, and why', async () => {
    const notOffered = { 'patients.update': 'the file has no patients.update' };
    const get = async () => Promise.reject(new Failure('not_found', 'nobody'));
    const offer = () => ({ patients: { get }, notOffered, notes: ['dates are local'] });
    await start({ adapters: { ...adapters, memory: { ...memory, offer } } });
    const html = await read();
    const rows = listRows(html, '<td data-head="Why not">');
    expect(rows).toHaveLength(operations.length);
    expect(rows).toContain('bookAppointment 501 memory has no appointments.book');
    expect(rows).toContain('updatePatient 501 the file has no patients.update');
    expect(rows.at(-1)).toBe('getPatient memory');
    expect(listRows(html, 'Warnings<')).toEqual(['Warnings memory: dates are local']);
    expect(listRows(html, 'href="#operations"')).toEqual([
      `Not offered ${operations.length - 1} of ${operations.length} operations`,
    ]);
  });

  test('shows a note of an adapter as it is, whatever words it has', async () => {
    const notes = ['patients.get is not offered: it is night'];
    await start({ adapters: { ...adapters, memory: { ...memory, offer: () => ({ notes }) } } });
    const html = await read();
    expect(listRows(html, 'Warnings<')).toEqual([`Warnings memory: ${notes[0]}`]);
    expect(listRows(html, '>getPatient<')).toEqual(['getPatient 501 memory has no patients.get']);
  });

  test('has the warnings of what applies now: of tokens since the last reload, and of all else since the start', async () => {
    const sha256 = 'ab'.repeat(32);
    const token = { client: 'app', sha256, scopes: 'all', expires: '2020-01-01' };
    const read = (tokens: readonly object[], deadline: string) =>
      readConfig({
        environment: { PUENTE_AUTH_TOKENS: JSON.stringify(tokens), PUENTE_HTTP_READ_DEADLINE: deadline },
        adapters,
      });
    await start({ environment: { PUENTE_AUTH_TOKENS: JSON.stringify([token]), PUENTE_HTTP_READ_DEADLINE: '90' } });
    const hasty = expect.stringContaining('PUENTE_HTTP_READ_DEADLINE: is 90 milliseconds');
    expect(await listWarnings()).toEqual([
      'PUENTE_AUTH_TOKENS[0].expires: is in the past: the token of app is rejected',
      hasty,
    ]);
    let next = read([{ ...token, expires: undefined }], '9000');
    container!.rebind(parts.readConfig).toConstantValue(async () => next);
    const reload = await container!.getAsync(parts.reload);
    await reload();
    expect(await listWarnings()).toEqual([hasty]);
    next = read([{ ...token, client: 'portal' }], '80');
    await reload();
    expect(await listWarnings()).toEqual([
      'PUENTE_AUTH_TOKENS[0].expires: is in the past: the token of portal is rejected',
      hasty,
    ]);
  });

  test('is not on the port of the callers', async () => {
    await start();
    expect((await gateway.ask('GET', '/')).text).not.toContain('In service');
    expect((await gateway.ask('POST', '/doctor')).status).toBe(404);
  });

  test('says why bookings are refused: time, operation, kind, cause and request', async () => {
    const down = async () => {
      throw new Failure('unavailable', 'the host is away', {
        cause: Object.assign(new Error(), { code: 'EHOSTDOWN' }),
      });
    };
    await start({ replacePort: (name, port) => (name === 'patients' ? { get: down } : port) });
    for (let i = 0; i < 22; i++)
      await gateway.ask('GET', '/patients/ana', undefined, { 'x-request-id': `request-${i}` });
    await waitFor('trial</code> × 2<');
    const html = await read();
    expect(listRows(html, 'request-').length).toBe(10);
    // The circuit is open after 20 failures. What it rejects is counted, and does not push the causes out of sight.
    expect(listRows(html, 'request-19')).toEqual([
      expect.stringMatching(/^[-\d]+ [:\d]+ memory 502 getPatient backend_unavailable \(EHOSTDOWN\) request-19$/),
    ]);
    expect(listRows(html, '<td data-head="Code">')).toEqual([
      expect.stringMatching(/^backend_circuit_open .* port patients and the class read/),
    ]);
    expect(html).toContain('✖ Impairments: 1');
    expect(listRows(html, '<td data-head="Clients">')).toEqual([
      expect.stringMatching(
        /^[-\d]+ [:\d]+ 503 getPatient backend_circuit_open trial × 2 The institution’s system has failed/,
      ),
      expect.stringMatching(
        /^[-\d]+ [:\d]+ 502 getPatient backend_unavailable \(EHOSTDOWN\) trial × 20 The institution’s system cannot be/,
      ),
    ]);
  });

  test('names first the failure that occurred last, with its time, and how many it leaves out', async () => {
    const kinds = ['EHOSTDOWN', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'ECONNREFUSED', 'ECONNREFUSED'];
    let count = 0;
    const down = async () => {
      const code = kinds[count++];
      throw new Failure('unavailable', 'the host is away', { cause: Object.assign(new Error(), { code }) });
    };
    await start({ replacePort: (name, port) => (name === 'patients' ? { get: down } : port) });
    for (const [i] of kinds.entries()) {
      await gateway.ask('GET', '/patients/ana', undefined, { 'x-request-id': `request-${i}` });
      await waitFor(`request-${i}<`);
    }
    const [failing = ''] = listRows(await read(), 'href="#refused"');
    expect(failing.match(/ \([A-Z]+\) × \d/g)).toEqual(
      ['(ECONNREFUSED) × 2', '(ENOTFOUND) × 1', '(EPIPE) × 1', '(ETIMEDOUT) × 1', '(ECONNRESET) × 1'].map(
        (each) => ` ${each}`,
      ),
    );
    expect(failing).toMatch(/^Failing ✖ getPatient backend_unavailable .*, last at [-\d]+ [:\d]+ .* and 1 more$/);
  });

  test('says which client is limited, by which limit, and which tokens are refused', async () => {
    await start({ environment: { PUENTE_LIMITS_CLIENTS_PATIENT_SEARCH_REQUESTS: '2' } });
    const search = '/patients/search?identifier=31465466&identifier_type=DNI';
    for (let i = 0; i < 5; i++) await gateway.ask('GET', search);
    await gateway.ask('GET', '/patients/ana', undefined, { authorization: 'Bearer nobody' });
    const [row] = await waitFor('✖ trial');
    expect(row).toMatch(/^Limited clients ✖ trial: searchPatients rate_limited × 3, last at [-\d]+ [:\d]+$/);
    expect(listRows(await read(), 'data-head="Left of its limits"')).toContain('trial 5 3 patientSearch 0 of 2');
    expect(await waitFor('unknown_token')).toEqual([
      expect.stringMatching(/ 401 getPatient unauthenticated \(unknown_token\) without a valid token × 1 /),
    ]);
    expect(listRows(await read(), 'data-head="Refused"')).toContain('without a valid token 1 1');
  });

  test('shows no limits of one caller as those of all others who have no token either', async () => {
    await start({
      environment: {
        PUENTE_LIMITS_CLIENTS_READ_REQUESTS: '2',
        PUENTE_AUTH_GROUP_A: 'none',
        PUENTE_AUTH_ALLOW_ANONYMOUS_GROUP_A: 'true',
        PUENTE_HTTP_TRUSTED_PROXIES: '[127.0.0.1]',
      },
    });
    const ask = (address: string) => gateway.ask('GET', '/patients/ana', undefined, { 'x-forwarded-for': address });
    await ask('192.0.2.1');
    expect(await waitFor('<code>anonymous</code></td><td data-head="Requests">1<')).toEqual([
      'anonymous 1 0 read 1 of 2',
    ]);
    await ask('192.0.2.1');
    await ask('192.0.2.1');
    await ask('192.0.2.2');
    expect(await waitFor('<code>anonymous</code></td><td data-head="Requests">4<')).toEqual([
      'anonymous 4 1 several clients, each with its own limits',
    ]);
  });

  test('says of a client with too many requests at once that these are its limit', async () => {
    const slow = Promise.withResolvers<never>();
    await start({
      environment: { PUENTE_LIMITS_CLIENTS_READ_CONCURRENT: '1' },
      replacePort: (name, port) => (name === 'patients' ? { get: () => slow.promise } : port),
    });
    const asked = Array.from({ length: 2 }, () => gateway.ask('GET', '/patients/ana'));
    expect(await waitFor('✖ trial')).toEqual([
      expect.stringMatching(/^Limited clients ✖ trial: getPatient rate_limited \(too_many_at_once\) × 1, last at/),
    ]);
    slow.reject(new Failure('timeout', 'too slow'));
    await Promise.all(asked);
  });

  test('says how many calls run and wait while the system is slow', async () => {
    const slow = Promise.withResolvers<never>();
    await start({
      environment: { PUENTE_GUARD_BULKHEADS_READ_RUNNING: '2' },
      replacePort: (name, port) => (name === 'patients' ? { get: () => slow.promise } : port),
    });
    const asked = Array.from({ length: 3 }, () => gateway.ask('GET', '/patients/ana'));
    expect(await waitFor('">2</td><td data-head="Waiting">1<')).toEqual(['memory patients read 2 1']);
    slow.reject(new Failure('timeout', 'too slow'));
    await Promise.all(asked);
  });

  test('says whether the audit trail is whole, and where it ends', async () => {
    const state = await openAuditedState();
    await start({ state, environment: { PUENTE_AUDIT_CHAIN: 'north-1' } });
    await gateway.ask('GET', '/patients/ana');
    expect(await waitFor('north-1')).toEqual([expect.stringMatching(/^Head of the audit trail .*, in north-1$/)]);
    expect(await waitFor('record 1 at')).toHaveLength(1);
    expect(listRows(await read(), 'Audit trail<')).toEqual([
      'Audit trail ✔ no gap since the start; Run doctor verifies the stored records',
    ]);
  });

  test('says since when and why records may be missing from the audit trail', async () => {
    const state = await openAuditedState();
    const before = new AuditWriter({
      records: state.audit!,
      chain: 'north-1',
      log: new WinstonLog({ level: 'error', format: 'json' }),
    });
    await before.write([createOwnRecord('audit read')]);
    await start({ state, environment: { PUENTE_AUDIT_CHAIN: 'north-1' } });
    expect(await waitFor('1 gap ')).toEqual([
      expect.stringMatching(
        /^Audit trail ✖ 1 gap since the start; the last at [-\d]+ [:\d]+: the process before this one was killed: its last records may be missing$/,
      ),
    ]);
  });

  test('names no patient, whatever was asked', async () => {
    await start();
    await gateway.ask('GET', '/patients/search?identifier=31465466&identifier_type=DNI&name=Ferreyra');
    await gateway.ask('GET', '/patients/ana/ticket/');
    await gateway.ask('GET', '/patients/ana/nothing');
    await waitFor('searchPatients');
    expect(await read()).not.toMatch(/31465466|Ferreyra|\bana\b/);
  });

  test('is for addresses alone: a name may be another site that was bound to this address', async () => {
    await start();
    const ask = async (host: string) => (await send(ops, 'GET', '/', { host })).status;
    const { port } = server!.address() as AddressInfo;
    expect(await Promise.all([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`].map(ask))).toEqual([
      200, 200, 200,
    ]);
    expect(await Promise.all(['attacker.example', `localhost.attacker.example:${port}`].map(ask))).toEqual([421, 421]);
    expect((await send(ops, 'GET', '/livez', { host: 'puente.svc' })).status).toBe(200);
  });

  test('may load nothing from elsewhere, and stands in no frame', async () => {
    await start();
    const { headers } = await send(ops, 'GET', '/', {});
    const policy = "default-src 'none';script-src 'self';style-src 'self'";
    expect(headers['content-security-policy']).toContain(policy);
    expect(headers['content-security-policy']).toContain("form-action 'self';frame-ancestors 'none'");
    expect(headers['cache-control']).toBe('no-store');
  });
});
