import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { local, openStore } from '../../../adapters/local/index.ts';
import { createRequestWorklist, createTicketWorklist } from '../../../adapters/local/worklist.ts';
import { sandbox } from '../../../src/contract/fixtures.ts';
import { FaultServer } from '../../fault-server/server.ts';
import { callNow, matchFailure } from '../../support/fhir-calls.ts';
import {
  change,
  createPostgresSettings,
  createSqliteSettings,
  openBesideSandbox,
  openLocal,
  relative,
  runSql,
  ticket,
} from '../../support/local-adapter.ts';
import { missing, startPostgres } from '../../support/postgres-server.ts';
import { openSandbox } from '../../support/sandbox.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

const server = missing === undefined ? await startPostgres() : undefined;

const { patients, ticketType } = sandbox;

const id = patients.bare;

/** How many of the writes ended in which way. */
async function countOutcomes(writes: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const outcomes = (await Promise.allSettled(writes)).map((each) =>
    each.status === 'fulfilled' ? 'done' : String((each.reason as { readonly code?: string }).code),
  );
  return Object.fromEntries(
    Map.groupBy(outcomes, (each) => each)
      .entries()
      .map(([name, all]) => [name, all.length]),
  );
}

describe(`the local adapter in PostgreSQL${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  if (!server) return void test.skip('has a server of its own', () => undefined);

  const createSettings = async () => createPostgresSettings(await server.createUrl());

  /** Settings of a database that is reached through what may spoil the connection. */
  async function createSpoiltSettings() {
    const url = await server!.createUrl();
    const { port } = new URL(url);
    const faults = await FaultServer.start(`http://127.0.0.1:${port}/`);
    const direct = createPostgresSettings(url);
    const spoilt = createPostgresSettings(url.replace(`:${port}/`, `:${new URL(faults.url).port}/`));
    return { url, direct, spoilt, faults };
  }

  test('is shared by two gateways that start and write at the same moment, and each conflict is told once', async () => {
    const settings = await createSettings();
    const both = await Promise.all([openBesideSandbox(settings), openBesideSandbox(settings)]);
    const repeat = <T>(write: (ports: (typeof both)[number], turn: number) => Promise<T>) =>
      Array.from({ length: 20 }, (_, turn) => write(both[turn % 2] ?? both[0], turn));
    const requests = repeat(({ practitioners }) => practitioners.requestChange(id, change, callNow()));
    const relatives = repeat((ports) => ports['family-groups'].add(id, relative, callNow()));
    const keyed = repeat(({ tickets }) => tickets.open(id, ticketType.id, ticket, callNow({ idempotencyKey: 'k' })));
    const mixed = repeat(({ tickets }, turn) =>
      tickets.open(id, ticketType.id, { ...ticket, observations: `${turn % 2}` }, callNow({ idempotencyKey: 'l' })),
    );
    expect(await countOutcomes(requests)).toEqual({ done: 1, change_request_open: 19 });
    expect(await countOutcomes(relatives)).toEqual({ done: 1, relation_exists: 19 });
    expect(await countOutcomes(keyed)).toEqual({ done: 20 });
    expect(await countOutcomes(mixed)).toEqual({ done: 10, idempotency_key_reused: 10 });
    for (const ports of both) {
      expect(await ports.tickets.list(id, {}, callNow())).toHaveLength(2);
      expect(await ports['family-groups'].list(id, callNow())).toEqual([{ ...relative, id: expect.any(String) }]);
    }
  });

  test('makes one of many who bring back a relative who was not active the one who did', async () => {
    const settings = await createSettings();
    const ports = await openBesideSandbox(settings);
    const groups = ports['family-groups'];
    const { id: memberId } = await groups.add(id, { ...relative, active: false }, callNow());
    const again = Array.from({ length: 10 }, () => groups.add(id, relative, callNow()));
    expect(await countOutcomes(again)).toEqual({ done: 1, relation_exists: 9 });
    expect(await groups.list(id, callNow())).toEqual([{ ...relative, id: memberId }]);
  });

  test('cannot tell what became of a write whose answer got lost, until the same key comes again', async () => {
    const { url, direct, spoilt, faults } = await createSpoiltSettings();
    const { tickets, practitioners, 'family-groups': groups } = await openLocal(spoilt, openSandbox());
    const call = () => callNow({ idempotencyKey: 'k' });
    const writes = [
      () => tickets.open(id, ticketType.id, ticket, call()),
      () => practitioners.requestChange(id, change, call()),
      () => groups.add(id, relative, call()),
    ];
    // The reads before the write pass: what is lost is what PostgreSQL says after it has begun to write.
    for (const [i, write] of writes.entries()) {
      const table = ['tickets', 'change_requests', 'relatives'][i];
      const unlock = await server.lock(url, `puente_local_${table}`, 'SHARE');
      const lost = write();
      while ((await server.sql('SELECT count(*) FROM pg_locks WHERE NOT granted')) === '0');
      faults.set({ type: 'limit_data', bytes: 0 });
      await unlock();
      await expect(lost).rejects.toEqual(matchFailure('outcome_unknown'));
      faults.set();
      const { id: written } = await write();
      expect(await runSql(direct, `SELECT id FROM puente_local_${table}`)).toEqual([{ id: written }]);
    }
    await faults.stop();
  });

  test('gives a statement the time that its call has, and says of a write that was given up that it was not made', async () => {
    const url = await server.createUrl();
    const settings = createPostgresSettings(url);
    const { tickets } = await openBesideSandbox(settings);
    const open = (ms: number) => tickets.open(id, ticketType.id, ticket, callNow({ timeLeft: () => ms }));
    const unlock = await server.lock(url, 'puente_local_tickets', 'SHARE');
    const late = { cause: expect.objectContaining({ code: 'PG_57014' }) };
    await expect(open(50)).rejects.toEqual(matchFailure('timeout', late));
    const patient = open(600_000);
    while ((await server.sql('SELECT count(*) FROM pg_locks WHERE NOT granted')) === '0');
    await unlock();
    expect(await tickets.list(id, {}, callNow())).toEqual([await patient]);
  });

  test('lists ten tickets with files of 7 MiB, the newest file alone', async () => {
    const settings = await createSettings();
    const { tickets } = await openBesideSandbox(settings);
    const { id: type, file } = sandbox.typedTicketType;
    const value = Buffer.alloc(7 << 20, 'x').toString('base64');
    const call = () => callNow({ timeLeft: () => 600_000 });
    for (let turn = 0; turn < 10; turn++) {
      await tickets.open(id, type, { observations: `${turn}`, fields: [{ id: file, value }] }, call());
    }
    const listed = await tickets.list(id, {}, call());
    expect(listed.map(({ observations }) => observations)).toEqual([...'9876543210']);
    expect(listed.map(({ fields }) => fields[0]?.value.length)).toEqual([value.length, ...Array(9).fill(0)]);
  });

  test('is worked on beside the gateways, one request of a patient being in progress', async () => {
    const settings = await createSettings();
    const { tickets, practitioners } = await openBesideSandbox(settings);
    const filed = await tickets.open(id, ticketType.id, ticket, callNow());
    const request = await practitioners.requestChange(id, change, callNow());
    const store = await openStore(local.settings.parse(settings), {});
    const ofTickets = createTicketWorklist(store);
    expect(await ofTickets.list({ patient: id, status: 'pending', limit: 5 })).toMatchObject([{ id: filed.id }]);
    expect(await ofTickets.show(filed.id)).toMatchObject({ patientId: id, observations: ticket.observations });
    const ofRequests = createRequestWorklist(store);
    await ofRequests.setStatus(request.id, 'completed');
    expect(await ofRequests.find(request.id)).toMatchObject({ status: 'completed' });
    const later = await practitioners.requestChange(id, change, callNow());
    expect(await ofRequests.list({ limit: 5 })).toMatchObject([{ id: later.id }, { updatedAt: expect.any(String) }]);
    await expect(ofRequests.setStatus(request.id, 'in_progress')).rejects.toEqual(matchFailure('conflict'));
    await store.close();
  });

  test('that is away is unavailable, which its readiness tells, and serves when it is back', async () => {
    const { spoilt, faults } = await createSpoiltSettings();
    const { tickets, readiness } = await openLocal(spoilt, openSandbox());
    expect(await readiness.report()).toEqual({ backend: 'postgres', impairments: [] });
    expect(await Array.fromAsync(readiness.examine())).toMatchObject([{ check: 'database', ok: true }]);
    let surprises = 0;
    readiness.onSurprise(() => surprises++);
    await faults.down();
    const list = () => tickets.list(id, {}, callNow());
    await expect(list()).rejects.toEqual(matchFailure('unavailable'));
    expect(surprises).toBe(1);
    const refused = { cause: expect.objectContaining({ code: 'ECONNREFUSED' }) };
    await expect(tickets.open(id, ticketType.id, ticket, callNow())).rejects.toEqual(
      matchFailure('unavailable', refused),
    );
    expect(await readiness.report()).toMatchObject({
      impairments: [{ code: 'local_store_unavailable', detail: expect.stringContaining('ECONNREFUSED') }],
    });
    expect(await Array.fromAsync(readiness.examine())).toMatchObject([
      {
        check: 'database',
        ok: false,
        detail: expect.stringMatching(/^postgres does not answer \(ECONNREFUSED: connection refused/),
        stops: true,
      },
    ]);
    await faults.up();
    expect(await readiness.report()).toMatchObject({ impairments: [] });
    expect(await list()).toEqual([]);
    await faults.stop();
  });
});

const disk = mountSmallDisk(512);

describe(`the local adapter on a full disk${disk.obstacle === undefined ? '' : `, skipped: ${disk.obstacle}`}`, () => {
  const testOnDisk = disk.obstacle === undefined ? test : test.skip;

  testOnDisk('refuses what it cannot keep, keeps what it was told, says so, and recovers by itself', async () => {
    const settings = { ...createSqliteSettings(), file: join(disk.path, 'local.db') };
    const others = openSandbox();
    const { tickets, readiness } = await openLocal(settings, others);
    const filed = await tickets.open(id, ticketType.id, ticket, callNow());
    expect(await readiness.report()).toEqual({ backend: 'sqlite', impairments: [] });
    expect(await Array.fromAsync(readiness.examine())).toMatchObject([{ check: 'database', ok: true }]);
    let surprises = 0;
    readiness.onSurprise(() => surprises++);
    disk.fill();
    const full = { code: expect.stringMatching(/^SQLITE_(FULL|IOERR)$/) };
    const big = { observations: 'x'.repeat(300_000), fields: [] };
    const refused = matchFailure('unavailable', { cause: expect.objectContaining(full) });
    await expect(tickets.open(id, ticketType.id, big, callNow())).rejects.toEqual(refused);
    expect(surprises).toBe(1);
    // Until the room that the file has in itself is used up.
    for (let turn = 0; turn < 400 && (await readiness.report()).impairments.length === 0; turn++);
    expect(await readiness.report()).toMatchObject({
      impairments: [{ code: 'local_store_unavailable', detail: expect.stringMatching(/SQLITE_(FULL|IOERR)/) }],
    });
    await expect(tickets.open(id, ticketType.id, big, callNow())).rejects.toEqual(refused);
    expect(surprises).toBe(1);
    expect(await tickets.list(id, {}, callNow())).toEqual([filed]);
    disk.free();
    expect(await readiness.report()).toMatchObject({ impairments: [] });
    expect(await tickets.open(id, ticketType.id, ticket, callNow())).toMatchObject({ status: 'pending' });
  });
});
