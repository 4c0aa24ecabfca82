import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sandbox } from '../../../src/contract/fixtures.ts';
import { callNow, matchFailure } from '../../support/fhir-calls.ts';
import { createSqliteSettings, openLocal, ticket } from '../../support/local-adapter.ts';
import { openSandbox } from '../../support/sandbox.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

const { patients, ticketType } = sandbox;
const id = patients.bare;
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
