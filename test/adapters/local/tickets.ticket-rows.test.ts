import { describe, expect, test } from '@jest/globals';
import { sandbox } from '../../../src/contract/fixtures.ts';
import { Cipher, parseEncryptionKey } from '../../../src/database/cipher.ts';
import type { OmittedRecord } from '../../../src/ports/index.ts';
import { readSecret } from '../../../src/toolkit/secret.ts';
import type { Ports } from '../../support/faults/port-fault.ts';
import { callNow, matchFailure } from '../../support/fhir-calls.ts';
import { createSqliteSettings, openBesideSandbox, runSql } from '../../support/local-adapter.ts';

const id = sandbox.patients.bare;
const { id: type, file, number } = sandbox.typedTicketType;

const toFile = (bytes: number, of = 'x') => Buffer.from(of.repeat(bytes)).toString('base64');

/** Files tickets with a file of each of these sizes, one after another. */
async function fileTickets({ tickets }: Ports, sizes: readonly number[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const [minute, bytes] of sizes.entries()) {
    const fields = [
      { id: number, value: '3' },
      { id: file, value: toFile(bytes) },
    ];
    const now = new Date(Date.UTC(2026, 10, 1, 10, minute)).toISOString();
    ids.push((await tickets.open(id, type, { observations: 'con orden', fields }, callNow({ now }))).id);
  }
  return ids;
}

/** How many bytes each listed ticket shows of its file. */
async function listFileSizes({ tickets }: Ports): Promise<readonly number[]> {
  const listed = await tickets.list(id, {}, callNow());
  return listed.map(({ fields }) => Buffer.from(fields.find((field) => field.id === file)!.value, 'base64').length);
}

describe('a list of tickets with files', () => {
  test('shows the files of the newest tickets for which there is room, and the others as empty', async () => {
    const ports = await openBesideSandbox({ ...createSqliteSettings(), ticketFiles: { bytes: 100 } });
    await fileTickets(ports, [10, 60, 50, 30]);
    expect(await listFileSizes(ports)).toEqual([30, 50, 0, 10]);
    const listed = await ports.tickets.list(id, {}, callNow());
    expect(listed.map(({ observations }) => observations)).toEqual(Array(4).fill('con orden'));
    expect(listed[2]?.fields).toMatchObject([
      { id: number, dataType: 'string', value: '3' },
      { id: file, dataType: 'file', value: '' },
    ]);
  });

  test.each(['constructor', 'toString', 'valueOf'])('shows the value of a field called %s', async (name) => {
    const fields = [
      { id: name, type: 'string' },
      { id: 'archivo', type: 'file' },
    ];
    const ports = await openBesideSandbox({
      ...createSqliteSettings(),
      ticketTypes: [{ id: 'obra', title: 'Obra', fields }],
    });
    const values = [
      { id: name, value: 'Acme' },
      { id: 'archivo', value: toFile(3) },
    ];
    for (const filled of [values.slice(0, 1), values]) {
      const { id: ticketId } = await ports.tickets.open(id, 'obra', { observations: '', fields: filled }, callNow());
      const listed = (await ports.tickets.list(id, {}, callNow())).find((each) => each.id === ticketId);
      expect(listed?.fields.map(({ id, value }) => ({ id, value }))).toEqual(filled);
    }
  });

  test('shows no file where the institution wants none', async () => {
    const ports = await openBesideSandbox({ ...createSqliteSettings(), ticketFiles: { inline: false } });
    await fileTickets(ports, [10]);
    expect(await listFileSizes(ports)).toEqual([0]);
  });

  test('shows a ticket as its filing answered, also where its file has no room', async () => {
    const settings = { ...createSqliteSettings(), ticketFiles: { bytes: 5 } };
    const { tickets } = await openBesideSandbox(settings);
    const call = () => callNow({ idempotencyKey: 'k' });
    const fields = [{ id: file, value: toFile(6) }];
    const filed = await tickets.open(id, type, { observations: '', fields }, call());
    expect(filed.fields).toMatchObject([{ value: '' }]);
    expect(await tickets.list(id, {}, callNow())).toEqual([filed]);
    expect(await tickets.open(id, type, { observations: '', fields }, call())).toEqual(filed);
  });

  test('reads no file that it does not show', async () => {
    const settings = { ...createSqliteSettings(), ticketFiles: { bytes: 20 } };
    const ports = await openBesideSandbox(settings);
    const [small, large] = await fileTickets(ports, [10, 30]);
    await runSql(settings, `UPDATE puente_local_tickets SET files = x'00' WHERE id = '${large}'`);
    expect(await listFileSizes(ports)).toEqual([0, 10]);
    await runSql(settings, `UPDATE puente_local_tickets SET files = x'00' WHERE id = '${small}'`);
    const omitted: OmittedRecord[] = [];
    const call = callNow({ omit: (record) => void omitted.push(record) });
    expect((await ports.tickets.list(id, {}, call)).map((each) => each.id)).toEqual([large]);
    expect(omitted).toEqual([{ resourceType: 'ticket', element: 'content' }]);
  });

  test('shows files that a version before this one kept with the rest', async () => {
    const settings = createSqliteSettings();
    const ports = await openBesideSandbox({ ...settings, ticketFiles: { bytes: 15 } });
    const [older, newer] = await fileTickets(ports, [1, 1]);
    const cipher = new Cipher(parseEncryptionKey(readSecret(settings.encryptionKey, 'encryptionKey'))!);
    for (const ticketId of [older, newer]) {
      const fields = [{ id: file, dataType: 'file', value: toFile(10), tooltip: 'Orden' }];
      const content = cipher.encrypt(JSON.stringify({ observations: '', fields }), `ticket:${ticketId}`);
      await runSql(
        settings,
        `UPDATE puente_local_tickets SET files = NULL, content = x'${content.toString('hex')}' WHERE id = '${ticketId}'`,
      );
    }
    expect(await listFileSizes(ports)).toEqual([10, 0]);
  });
});

describe('a long list of tickets', () => {
  test.each([
    ['are many', 401, 0],
    ['hold much', 40, 4_000 * 50],
  ])('is whole and in order when they %s', async (_, count, length) => {
    const ports = await openBesideSandbox(createSqliteSettings());
    const filed: string[] = [];
    // Several of one moment, as it comes to pass.
    for (let turn = 0; turn < count; turn++) {
      const now = new Date(Date.UTC(2026, 10, 1, 10, Math.floor(turn / 7))).toISOString();
      const ticket = { observations: 'x'.repeat(length), fields: [] };
      filed.push((await ports.tickets.open(id, type, ticket, callNow({ now }))).id);
    }
    const listed = await ports.tickets.list(id, {}, callNow());
    expect(listed.map((each) => each.id)).toEqual(filed.toReversed());
  });

  test('ends as the call of whoever waits for it', async () => {
    const ports = await openBesideSandbox(createSqliteSettings());
    await fileTickets(ports, [1, 1]);
    const ending = new AbortController();
    const listed = ports.tickets.list(id, {}, callNow({ signal: ending.signal }));
    ending.abort();
    await expect(listed).rejects.toEqual(matchFailure('timeout'));
  });
});
