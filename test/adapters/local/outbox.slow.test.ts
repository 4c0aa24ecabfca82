import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { sign } from '../../../adapters/local/outbox.ts';
import { sandbox } from '../../../src/contract/fixtures.ts';
import { ConfigFolder } from '../../support/config-file.ts';
import { callNow } from '../../support/fhir-calls.ts';
import { findLeaks } from '../../support/leak-detector.ts';
import { listen } from '../../support/listen.ts';
import {
  catalogue,
  change,
  createPostgresSettings,
  createSqliteSettings,
  localPorts,
  openLocal,
  runSql,
  ticket,
} from '../../support/local-adapter.ts';
import { missing, startPostgres } from '../../support/postgres-server.ts';
import { serve, token } from '../../support/process.ts';
import { openSandbox } from '../../support/sandbox.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

const postgres = missing === undefined ? await startPostgres() : undefined;
const databases: readonly (readonly [string, () => Promise<object>])[] = [
  ['SQLite', async () => createSqliteSettings()],
  ...(postgres ? [['PostgreSQL', async () => createPostgresSettings(await postgres.createUrl())] as const] : []),
];

const { patients, ticketType } = sandbox;
const id = patients.bare;
const key = randomBytes(32);
const secret = `file:${folder.write('secret', `whsec_${key.toString('base64')}`)}`;

/** Somebody at the hospital who hears of what arrives, and answers as told: with a status, or `hang`. */
async function startReceiver() {
  const receiver = { respond: 200 as number | 'hang', url: '', received: [] as Received[], settings: {} };
  const server = createServer(async (request, response) => {
    receiver.received.push({ headers: request.headers, body: await text(request) });
    if (receiver.respond !== 'hang') response.writeHead(receiver.respond).end();
  });
  receiver.url = `http://127.0.0.1:${await listen(server)}/desk`;
  receiver.settings = { webhook: { url: receiver.url, secret } };
  return receiver;
}

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function waitFor(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}

const countWaiting = async (settings: object): Promise<number> => {
  const where = 'WHERE announce_at IS NOT NULL';
  const rows = await runSql(
    settings,
    `SELECT id FROM puente_local_tickets ${where} UNION SELECT id FROM puente_local_change_requests ${where}`,
  );
  return rows.length;
};
const findIds = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body).data.id);

describe.each(databases)(
  `the outbox in %s${missing === undefined ? '' : `, others skipped: ${missing}`}`,
  (_, create) => {
    test('announces what arrives, again until the receiver takes it, and the readiness says when it does not', async () => {
      const receiver = await startReceiver();
      const settings = { ...(await create()), ...receiver.settings };
      receiver.respond = 503;
      const { tickets, practitioners, readiness } = await openLocal(settings, openSandbox());
      await readiness.report();
      const filed = await tickets.open(id, ticketType.id, ticket, callNow());
      await waitFor(async () => (await readiness.report()).impairments.length > 0);
      expect((await readiness.report()).impairments).toEqual([
        expect.objectContaining({ code: 'webhook_unavailable', cause: 'HTTP_503' }),
      ]);
      receiver.respond = 200;
      const request = await practitioners.requestChange(id, change, callNow());
      await waitFor(async () => (await countWaiting(settings)) === 0);
      const ofTicket = receiver.received.filter(({ body }) => body.includes(filed.id));
      expect(ofTicket.length).toBeGreaterThan(1);
      expect(JSON.parse(ofTicket.at(-1)!.body)).toEqual({
        type: 'ticket.created',
        timestamp: filed.createdAt,
        data: { id: filed.id, patientId: id, ticketTypeId: ticketType.id },
      });
      const { reasonId, practitionerId } = change;
      const bodies = receiver.received.map(({ body }) => JSON.parse(body));
      expect(bodies).toContainEqual({
        type: 'change_request.created',
        timestamp: expect.any(String),
        data: { id: request.id, patientId: id, reasonId, practitionerId },
      });
      await waitFor(async () => (await readiness.report()).impairments.length === 0);

      for (const { headers, body } of receiver.received) {
        const { 'webhook-id': sent = '', ...others } = headers;
        expect(sent).toBe(JSON.parse(body).data.id);
        const signed = `${String(sent)}.${headers['webhook-timestamp']}.${body}`;
        expect(headers['webhook-signature']).toBe(sign(key, signed));
        expect(findLeaks(JSON.stringify({ url: receiver.url, ...others }))).toEqual([]);
        for (const written of ['viernes', 'Enalapril', 'tarde'])
          expect(body + JSON.stringify(headers)).not.toContain(written);
      }
    }, 120_000);

    test('of several gateways announces each ticket once', async () => {
      const receiver = await startReceiver();
      const settings = { ...(await create()), ...receiver.settings };
      const silent = await openLocal({ ...settings }, openSandbox());
      const filed: string[] = [];
      for (let i = 0; i < 40; i++) filed.push((await silent.tickets.open(id, ticketType.id, ticket, callNow())).id);
      expect(receiver.received).toEqual([]);
      const gateways = [silent, await openLocal(settings, openSandbox()), await openLocal(settings, openSandbox())];
      await Promise.all(gateways.map(({ readiness }) => readiness.report()));
      await waitFor(async () => (await countWaiting(settings)) === 0);
      expect(findIds(receiver.received).toSorted()).toEqual(filed.toSorted());
    }, 120_000);

    test('announces nothing of the time before there was a webhook, and nothing while somebody only looks', async () => {
      const receiver = await startReceiver();
      const settings = await create();
      const before = await openLocal(settings, openSandbox());
      await before.tickets.open(id, ticketType.id, ticket, callNow());
      const { tickets, readiness } = await openLocal({ ...settings, ...receiver.settings }, openSandbox());
      const { id: filed } = await tickets.open(id, ticketType.id, ticket, callNow());
      await readiness.report(undefined, { readsOnly: true });
      expect(await countWaiting(settings)).toBe(1);
      await readiness.report();
      await waitFor(async () => (await countWaiting(settings)) === 0);
      expect(findIds(receiver.received)).toEqual([filed]);
    }, 120_000);

    test('announces what a gateway was sending that was killed', async () => {
      const receiver = await startReceiver();
      const settings = { ...(await create()), ...catalogue, ...receiver.settings };
      const config = stringify({ adapters: { local: { settings } }, ports: localPorts });
      const environment = { PUENTE_CONFIG: folder.write('puente.yaml', config) };
      receiver.respond = 'hang';
      const gateway = await serve(environment);
      const { status } = await fetch(`${gateway.url}/patients/${id}/ticket_type/${ticketType.id}/ticket`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(ticket),
      });
      expect(status).toBe(201);
      await waitFor(() => receiver.received.length === 1);
      gateway.signal('SIGKILL');
      await gateway.ended;
      receiver.respond = 200;
      // As if its lease had ended, which takes longer than a test.
      await runSql(settings, 'UPDATE puente_local_tickets SET announce_at = 0 WHERE announce_at IS NOT NULL');
      const next = await serve(environment);
      await waitFor(async () => (await countWaiting(settings)) === 0);
      const [first, second] = receiver.received;
      expect(receiver.received).toHaveLength(2);
      expect(second?.body).toBe(first?.body);
      next.signal('SIGTERM');
      expect(await next.ended).toMatchObject({ code: 0 });
    }, 120_000);
  },
);
