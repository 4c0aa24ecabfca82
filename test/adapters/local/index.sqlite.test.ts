import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { localSchema } from '../../../adapters/local/store.ts';
import { decrypt } from '../../../examples/decrypt-local.js';
import { sandbox } from '../../../src/contract/fixtures.ts';
import type { Call } from '../../../src/ports/index.ts';
import { stateSchema } from '../../../src/state/keys.ts';
import { Omissions } from '../../../src/toolkit/omissions.ts';
import { type Ports, replace } from '../../support/faults/port-fault.ts';
import { callNow, matchFailure } from '../../support/fhir-calls.ts';
import {
  catalogue,
  change,
  createSqliteSettings,
  openBesideSandbox,
  openLocal,
  relative,
  runSql,
  saveKey,
  ticket,
} from '../../support/local-adapter.ts';
import { openSandbox } from '../../support/sandbox.ts';
import { openState } from '../../support/sqlite-state.ts';

const { patients, ticketType } = sandbox;
const id = patients.bare;

async function writeAll(ports: Ports, call: Call = callNow()) {
  const filed = await ports.tickets.open(id, ticketType.id, ticket, call);
  const member = await ports['family-groups'].add(id, relative, call);
  const requested = await ports.practitioners.requestChange(id, change, call);
  return { filed, member, requested };
}

const readAll = async (ports: Ports) => ({
  tickets: await ports.tickets.list(id, {}, callNow()),
  members: await ports['family-groups'].list(id, callNow()),
  request: await ports.practitioners.changeRequestOf(id, callNow()),
});

describe('the local adapter, after a patient was merged into another,', () => {
  const old = { patient: 'old-patient', related: 'old-related' };
  const survivors: ReadonlyMap<string, string> = new Map([
    [old.patient, id],
    [old.related, relative.relatedPatientId],
  ]);
  /** The ports of a hospital that answers for the old ids with the surviving records. */
  const openMerged = (settings: object) => {
    const others = openSandbox();
    const get: Ports['patients']['get'] = (given, call) => others.patients.get(survivors.get(given) ?? given, call);
    return openBesideSandbox(settings, { ...others, patients: replace(others.patients, { get }) });
  };
  const member = { ...relative, relatedPatientId: old.related };

  test('shows under both ids what is written under the old one, and writes it once', async () => {
    const ports = await openMerged(createSqliteSettings());
    const filed = await ports.tickets.open(old.patient, ticketType.id, ticket, callNow());
    const added = await ports['family-groups'].add(old.patient, member, callNow());
    const requested = await ports.practitioners.requestChange(old.patient, change, callNow());
    for (const each of [id, old.patient]) {
      expect(await ports.tickets.list(each, {}, callNow())).toEqual([filed]);
      expect(await ports['family-groups'].list(each, callNow())).toEqual([{ ...relative, id: added.id }]);
      expect(await ports.practitioners.changeRequestOf(each, callNow())).toEqual(requested);
      for (const again of [relative, member])
        await expect(ports['family-groups'].add(each, again, callNow())).rejects.toMatchObject({
          code: 'relation_exists',
        });
      await expect(ports.practitioners.requestChange(each, change, callNow())).rejects.toMatchObject({
        code: 'change_request_open',
      });
    }
    await ports['family-groups'].remove(old.patient, added.id, callNow());
    expect(await ports['family-groups'].list(id, callNow())).toEqual([]);
  });

  test('still shows under the old id what was written before', async () => {
    const settings = createSqliteSettings();
    const others = openSandbox();
    const get: Ports['patients']['get'] = async (given, call) => ({
      ...(await others.patients.get(survivors.get(given) ?? given, call)),
      id: given,
    });
    const before = await openBesideSandbox(settings, { ...others, patients: replace(others.patients, { get }) });
    const filed = await before.tickets.open(old.patient, ticketType.id, ticket, callNow());
    const added = await before['family-groups'].add(old.patient, member, callNow());
    const requested = await before.practitioners.requestChange(old.patient, change, callNow());
    const ports = await openMerged(settings);
    expect(await ports.tickets.list(old.patient, {}, callNow())).toEqual([filed]);
    expect(await ports['family-groups'].list(old.patient, callNow())).toEqual([{ ...member, id: added.id }]);
    expect(await ports.practitioners.changeRequestOf(old.patient, callNow())).toEqual(requested);
    const repeated = ports.practitioners.requestChange(old.patient, change, callNow());
    await expect(repeated).rejects.toMatchObject({ code: 'change_request_open' });
    await expect(ports['family-groups'].add(old.patient, member, callNow())).rejects.toMatchObject({
      code: 'relation_exists',
    });
    await ports['family-groups'].remove(old.patient, added.id, callNow());
    expect(await ports['family-groups'].list(old.patient, callNow())).toEqual([]);
  });
});

describe('the local adapter in SQLite', () => {
  test('keeps what it was told when it is closed and opened again', async () => {
    const settings = createSqliteSettings();
    const first = await openBesideSandbox(settings);
    const { filed, member, requested } = await writeAll(first);
    const before = await readAll(first);
    expect(before).toEqual({ tickets: [filed], members: [{ ...relative, id: member.id }], request: requested });
    expect(await readAll(await openBesideSandbox(settings))).toEqual(before);
  });

  test('writes once under a key also when it was closed in between, and refuses another content', async () => {
    const settings = createSqliteSettings();
    const call = () => callNow({ idempotencyKey: 'k' });
    const written = await writeAll(await openBesideSandbox(settings), call());
    const ports = await openBesideSandbox(settings);
    expect(await writeAll(ports, call())).toEqual(written);
    expect((await readAll(ports)).tickets).toHaveLength(1);
    const reused = matchFailure('invalid', { code: 'idempotency_key_reused', at: 'idempotencyKey' });
    const other = { ...ticket, observations: 'otra cosa' };
    await expect(ports.tickets.open(id, ticketType.id, other, call())).rejects.toEqual(reused);
    await expect(ports.practitioners.requestChange(patients.complete, change, call())).rejects.toEqual(reused);
    const ofAnother = { ...call(), client: 'another' };
    expect((await ports.tickets.open(id, ticketType.id, ticket, ofAnother)).id).not.toBe(written.filed.id);
  });

  test('answers under a key as before when the patient and the reason are gone since', async () => {
    const settings = createSqliteSettings();
    const call = () => callNow({ idempotencyKey: 'k' });
    const { filed, member, requested } = await writeAll(await openBesideSandbox(settings), call());
    const gone = {
      ...openSandbox(),
      patients: { ...openSandbox().patients, get: () => Promise.reject(new Error('gone')) },
    };
    const later = { ...settings, ticketTypes: [], changeReasons: [{ id: 'otro', label: 'Otro motivo' }] };
    const offer = await openLocal(later, gone);
    expect(await offer.tickets.open(id, ticketType.id, ticket, call())).toEqual(filed);
    expect(await offer['family-groups'].add(id, relative, call())).toEqual(member);
    expect(await offer.practitioners.requestChange(id, change, call())).toEqual(requested);
  });

  test('keeps no request for another practitioner of whom the record is closed, or for one who is listed no longer', async () => {
    const sandboxed = openSandbox();
    const others = {
      patients: { get: async () => ({ ...(await sandboxed.patients.get(id, callNow())), active: false }) },
      practitioners: { list: async () => [] },
    };
    const settings = createSqliteSettings();
    const closed = await openLocal(settings, others);
    await expect(closed.practitioners.requestChange(id, change, callNow())).rejects.toEqual(
      matchFailure('invalid', { message: 'the record of this patient is closed', at: 'patientId' }),
    );
    const retired = await openLocal(settings, { ...others, patients: sandboxed.patients });
    await expect(retired.practitioners.requestChange(id, change, callNow())).rejects.toEqual(
      matchFailure('invalid', { at: 'practitionerId' }),
    );
    await expect(retired.practitioners.changeRequestOf(id, callNow())).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('makes no patient their own relative by the id of a record that was merged into theirs', async () => {
    const sandboxed = openSandbox();
    const merged = {
      ...sandboxed.patients,
      get: (given: string, call: Call) => sandboxed.patients.get(given === 'old' ? id : given, call),
    };
    const { 'family-groups': groups } = await openLocal(createSqliteSettings(), { ...sandboxed, patients: merged });
    for (const [patientId, relatedPatientId] of [
      [id, id],
      ['old', id],
      [id, 'old'],
    ] as const) {
      await expect(groups.add(patientId, { ...relative, relatedPatientId }, callNow())).rejects.toEqual(
        matchFailure('invalid', { at: 'relatedPatientId' }),
      );
    }
  });

  test('holds nothing in its files that a patient wrote, and they are for their owner only', async () => {
    const settings = createSqliteSettings();
    await writeAll(await openBesideSandbox(settings), callNow({ client: 'patient-app', idempotencyKey: 'key-of-app' }));
    const folder = dirname(settings.file);
    const files = readdirSync(folder).filter((name) => name.startsWith(basename(settings.file)));
    expect(files.length).toBeGreaterThan(1);
    const stored = Buffer.concat(files.map((name) => readFileSync(join(folder, name))));
    expect(stored.includes(ticketType.id)).toBe(true);
    for (const text of ['viernes', 'Enalapril', 'sobrina', 'tarde', 'key-of-app', 'medicamento']) {
      expect([text, stored.includes(text)]).toEqual([text, false]);
    }
    for (const name of files) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  });

  test.each(['the state', 'the adapter'])('shares a file with the state, be %s the first', async (first) => {
    const settings = createSqliteSettings();
    const claim = { now: 0, leaseUntil: 1, client: 'a', fingerprint: 'a', expiresAt: 10 };
    const useState = async () => {
      // It has a key of its own.
      const state = await openState(settings.file);
      const record = await state.idempotency.claim('k', claim);
      await state.close();
      return record;
    };
    if (first === 'the state') expect(await useState()).toBeUndefined();
    await writeAll(await openBesideSandbox(settings));
    if (first === 'the adapter') expect(await useState()).toBeUndefined();
    expect(await useState()).toMatchObject({ state: 'running' });
    expect((await readAll(await openBesideSandbox(settings))).tickets).toHaveLength(1);
    const versions =
      'SELECT (SELECT count(*) FROM puente_migrations) AS state, count(*) AS local FROM puente_local_migrations';
    expect(await runSql(settings, versions)).toEqual([
      expect.objectContaining({ state: stateSchema.migrations.length, local: localSchema.migrations.length }),
    ]);
  });

  test('serves on tables that a later version has changed', async () => {
    const settings = createSqliteSettings();
    await openBesideSandbox(settings);
    await runSql(settings, 'ALTER TABLE puente_local_tickets ADD COLUMN something TEXT');
    await runSql(settings, 'INSERT INTO puente_local_migrations (version) VALUES (99)');
    await writeAll(await openBesideSandbox(settings));
  });

  test('lists tickets of a type that is configured no longer, with the tooltips of then', async () => {
    const settings = createSqliteSettings();
    const { filed } = await writeAll(await openBesideSandbox(settings));
    const ticketTypes = catalogue.ticketTypes.filter((type) => type.id !== ticketType.id);
    const ports = await openBesideSandbox({ ...settings, ticketTypes });
    expect(await ports.tickets.list(id, {}, callNow())).toEqual([filed]);
    expect(filed.fields).toEqual([expect.objectContaining({ tooltip: expect.stringMatching(/^Nombre/) })]);
    expect(await ports.tickets.list(id, { ticketTypeId: ticketType.id }, callNow())).toEqual([filed]);
    await expect(ports.tickets.type(ticketType.id, callNow())).rejects.toEqual(matchFailure('not_found'));
  });

  test('leaves out of lists what was moved or changed in the database, and says so', async () => {
    const settings = createSqliteSettings();
    const ports = await openBesideSandbox(settings);
    const { filed, member } = await writeAll(ports);
    const other = await ports.tickets.open(id, ticketType.id, { observations: '', fields: [] }, callNow());
    await runSql(
      settings,
      `UPDATE puente_local_tickets SET content = (SELECT content FROM puente_local_tickets WHERE id = '${other.id}')`,
    );
    await runSql(settings, `UPDATE puente_local_relatives SET content = x'0102'`);
    const omissions = new Omissions();
    const call = callNow({ omit: omissions.add });
    expect((await ports.tickets.list(id, {}, call)).map((each) => each.id)).toEqual([other.id]);
    expect(await ports['family-groups'].list(id, call)).toEqual([]);
    expect(omissions.list.map(({ record }) => record.resourceType)).toEqual(['ticket', 'relative']);
    expect(omissions.list.map((each) => each.id)).toEqual([filed.id, member.id]);
    expect(filed.id).not.toBe(other.id);
  });

  test.each([
    ['updated_at', `'2026-11-22 10:00'`],
    ['updated_at', '1790000000000000'],
    ['created_at', '-1'],
  ])('leaves out of a list the ticket alone whose %s somebody has set to %s, and says so', async (column, value) => {
    const settings = createSqliteSettings();
    const ports = await openBesideSandbox(settings);
    const { filed } = await writeAll(ports);
    const other = await ports.tickets.open(id, ticketType.id, { observations: '', fields: [] }, callNow());
    await runSql(settings, `UPDATE puente_local_tickets SET ${column} = ${value} WHERE id = '${filed.id}'`);
    const omitted: unknown[] = [];
    const call = callNow({ omit: (record, id) => void omitted.push({ ...record, id }) });
    expect(await ports.tickets.list(id, {}, call)).toEqual([other]);
    expect(omitted).toEqual([{ resourceType: 'ticket', element: column, id: filed.id }]);
  });

  test('leaves out a relative of whom nobody can say whether it is active, and does not add it again', async () => {
    const settings = createSqliteSettings();
    const ports = await openBesideSandbox(settings);
    const { member } = await writeAll(ports);
    await runSql(settings, `UPDATE puente_local_relatives SET active = 'yes'`);
    const omitted: unknown[] = [];
    const call = callNow({ omit: (record) => void omitted.push(record) });
    expect(await ports['family-groups'].list(id, call)).toEqual([]);
    expect(omitted).toEqual([{ resourceType: 'relative', element: 'active' }]);
    const again = ports['family-groups'].add(id, relative, callNow());
    await expect(again).rejects.toEqual(matchFailure('bad_answer'));
    await runSql(settings, 'UPDATE puente_local_relatives SET active = 1');
    expect(await ports['family-groups'].list(id, callNow())).toMatchObject([{ id: member.id }]);
  });

  test('can be worked on and read as docs/reference/local.md says', async () => {
    const key = randomBytes(32);
    const settings = { ...createSqliteSettings(), encryptionKey: saveKey(key) };
    const { requested } = await writeAll(await openBesideSandbox(settings));
    const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/local.md'), 'utf8');
    const statements = /```sql\n(.*?)```/s.exec(page)?.[1]?.trim().split(';\n') ?? [];
    expect(statements).toHaveLength(4);
    for (const statement of statements) await runSql(settings, statement);
    const [row] = await runSql(
      settings,
      `SELECT content FROM puente_local_change_requests WHERE id = '${requested.id}'`,
    );
    const content = Buffer.from(z.object({ content: z.instanceof(Uint8Array) }).parse(row).content);
    expect(decrypt('change_request', requested.id, content, key)).toEqual({ observations: change.observations });
  });

  test('lets a patient ask for a change again when the institution has worked on the first', async () => {
    const settings = createSqliteSettings();
    const ports = await openBesideSandbox(settings);
    const { requested } = await writeAll(ports);
    await expect(ports.practitioners.requestChange(id, change, callNow())).rejects.toEqual(
      matchFailure('conflict', { code: 'change_request_open' }),
    );
    await runSql(settings, `UPDATE puente_local_change_requests SET status = 'completed' WHERE id = '${requested.id}'`);
    expect(await ports.practitioners.changeRequestOf(id, callNow())).toEqual({ ...requested, status: 'completed' });
    const second = await ports.practitioners.requestChange(id, change, callNow());
    expect(await ports.practitioners.changeRequestOf(id, callNow())).toEqual(second);
  });
});
