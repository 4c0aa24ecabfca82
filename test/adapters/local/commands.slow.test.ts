import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { perform } from '../../../src/api/index.ts';
import { sandbox } from '../../../src/contract/fixtures.ts';
import { ConfigFolder } from '../../support/config-file.ts';
import { findOperation } from '../../support/fake-port.ts';
import { callNow } from '../../support/fhir-calls.ts';
import {
  catalogue,
  change,
  createSqliteSettings,
  localPorts,
  openBesideSandbox,
  runSql,
  ticket,
} from '../../support/local-adapter.ts';
import { runPuente } from '../../support/process.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

const { patients, ticketType, typedTicketType } = sandbox;
const settings = createSqliteSettings();
const environment = {
  PUENTE_CONFIG: folder.write(
    'puente.yaml',
    stringify({ adapters: { local: { settings: { ...settings, ...catalogue } } }, ports: localPorts }),
  ),
};
const local = (...args: readonly string[]) => runPuente(['local', ...args], environment, { compares: false });
const localJson = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await local(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

const ports = await openBesideSandbox(settings);
const first = await ports.tickets.open(patients.bare, ticketType.id, ticket, callNow());
const file = { id: typedTicketType.file, value: Buffer.from('an image').toString('base64') };
const second = await ports.tickets.open(
  patients.complete,
  typedTicketType.id,
  { observations: 'dos\nlíneas\u001b[2J', fields: [file] },
  callNow(),
);
const request = await ports.practitioners.requestChange(patients.bare, change, callNow());

describe('puente local tickets', () => {
  test('lists them without what the patients wrote, all or some', async () => {
    const { code, stdout } = await local('tickets', 'list');
    expect(code).toBe(0);
    expect(stdout).toContain(first.id);
    expect(stdout).not.toContain('viernes');
    const all: { id: string }[] = await localJson('tickets', 'list');
    expect(all.map(({ id }) => id).toSorted()).toEqual([first.id, second.id].toSorted());
    expect(await localJson('tickets', 'list', '--status', 'pending', '--patient', patients.bare)).toEqual([
      {
        id: first.id,
        status: 'pending',
        patientId: patients.bare,
        createdAt: first.createdAt,
        updatedAt: first.updatedAt,
        ticketTypeId: ticketType.id,
      },
    ]);
    expect(await localJson('tickets', 'list', '--limit', '1')).toHaveLength(1);
    expect((await local('tickets', 'list', '--status', 'completed')).stdout).toBe('There are none.\n');
  });

  test('shows one with what the patient wrote, and nothing of it controls a terminal', async () => {
    expect(await localJson('tickets', 'show', second.id)).toMatchObject({
      observations: 'dos\nlíneas\u001b[2J',
      fields: expect.arrayContaining([expect.objectContaining(file)]),
    });
    const { stdout } = await local('tickets', 'show', second.id);
    expect(stdout).toMatch(/^observations +dos líneas \[2J$/m);
    expect(stdout).toMatch(new RegExp(`^field ${file.id} +\\(a file of 8 bytes\\)$`, 'm'));
  });

  test('sets a status, which the patient sees', async () => {
    const { code, stdout } = await local('tickets', 'set-status', first.id, 'en revisión');
    expect([code, stdout]).toEqual([0, `ok  ${first.id}: pending -> en revisión\n`]);
    const [seen] = await ports.tickets.list(patients.bare, {}, callNow());
    expect(seen).toMatchObject({ id: first.id, status: 'en revisión' });
    expect(Date.parse(seen!.updatedAt)).toBeGreaterThan(Date.parse(first.updatedAt));
  });

  test.each([
    ['of 100 characters', 'x'.repeat(100)],
    ['with a combining accent', 'en revisio\u0301n'],
  ])('sets a status %s, by which the platform finds the ticket', async (_, status) => {
    expect((await local('tickets', 'set-status', first.id, status)).code).toBe(0);
    const [seen] = await ports.tickets.list(patients.bare, {}, callNow());
    const raw = { params: { id: patients.bare }, query: { status: seen?.status }, body: undefined };
    const { body } = await perform(findOperation('listTickets'), ports.tickets, raw, callNow());
    expect(body).toEqual([expect.objectContaining({ uid: first.id, status })]);
  });

  test('says that its list has not all of them', async () => {
    const [all, limited] = [await local('tickets', 'list'), await local('tickets', 'list', '--limit', '1')];
    expect(all.stdout).not.toContain('more');
    expect(limited.stdout).toMatch(/^There are more: raise --limit\.$/m);
    expect(await localJson('tickets', 'list', '--limit', '1')).toHaveLength(1);
  });

  test('says of an id that there is none, and of a wrong argument what it must be', async () => {
    for (const args of [['show'], ['set-status', 'completed']]) {
      const [name = '', ...rest] = args;
      const { code, stderr } = await local('tickets', name, 'nobody', ...rest);
      expect([code, stderr]).toEqual([1, 'there is no ticket with this id\n']);
    }
    expect((await local('tickets', 'list', '--limit', '0')).stderr).toContain('from 1 to 10000');
    const { code, stderr } = await local('tickets', 'set-status', first.id, ' ');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/visible characters[\s\S]*Usage: puente local tickets/)]);
  });

  test('says that a ticket cannot be decrypted, and lists it all the same', async () => {
    const { id } = await ports.tickets.open(patients.child, ticketType.id, ticket, callNow());
    await runSql(settings, `UPDATE puente_local_tickets SET content = x'00', created_at = -1 WHERE id = '${id}'`);
    const { code, stderr } = await local('tickets', 'show', id);
    expect([code, stderr]).toEqual([1, 'the ticket cannot be decrypted, or has a time that is none\n']);
    expect(await localJson('tickets', 'list', '--patient', patients.child)).toMatchObject([{ id, createdAt: null }]);
  });
});

describe('puente local change-requests', () => {
  test('lists, shows and completes them', async () => {
    const [listed] = await localJson('change-requests', 'list');
    expect(listed).toMatchObject({ id: request.id, status: 'in_progress', reasonId: change.reasonId, updatedAt: null });
    const { observations, practitionerId } = change;
    expect(await localJson('change-requests', 'show', request.id)).toEqual({ ...listed, observations, practitionerId });
    expect((await local('change-requests', 'show', request.id)).stdout).toMatch(/^updatedAt +-$/m);
    expect(await localJson('change-requests', 'set-status', request.id, 'completed')).toEqual({
      id: request.id,
      status: 'completed',
      before: 'in_progress',
    });
    expect((await ports.practitioners.changeRequestOf(patients.bare, callNow())).status).toBe('completed');
  });

  test('leaves a patient with one in progress', async () => {
    await ports.practitioners.requestChange(patients.bare, change, callNow());
    const { code, stderr } = await local('change-requests', 'set-status', request.id, 'in_progress');
    expect([code, stderr]).toEqual([
      1,
      'the change request was removed, or another one of this patient is in progress\n',
    ]);
  });
});

describe('puente local', () => {
  test('says what is missing where no adapter keeps anything', async () => {
    const { code, stderr } = await runPuente(['local', 'tickets', 'list']);
    expect([code, stderr]).toEqual([78, expect.stringContaining('adapters: has no adapter local')]);
  });

  test('creates no file of SQLite, because only a gateway does', async () => {
    const missing = join(folder.path, 'missing.db');
    const file = folder.write(
      'missing.yaml',
      stringify({ adapters: { local: { settings: { ...settings, file: missing } } }, ports: localPorts }),
    );
    const { code, stdout, stderr } = await runPuente(['local', 'tickets', 'list', '--config', file]);
    const place = 'adapters.local.settings.file';
    const fix = 'correct the path, or start the gateway, which creates it';
    expect([code, stdout, stderr]).toEqual([78, '', expect.stringContaining(`${place}: does not exist: ${fix}`)]);
    expect(existsSync(missing)).toBe(false);
  });

  test('leaves in the audit trail who has seen and changed what, and changes nothing without it', async () => {
    const audited = {
      ...environment,
      PUENTE_STATE_KIND: 'sqlite',
      // Only a gateway creates it.
      PUENTE_STATE_FILE: folder.write('state.db', ''),
      PUENTE_STATE_ENCRYPTION_KEY: 'env:STATE_KEY',
      STATE_KEY: randomBytes(32).toString('base64'),
    };
    const query = 'status=pending&limit=50';
    const listed: { patientId: string }[] = await localJson('tickets', 'list', '--status', 'pending');
    const pending = [...new Set(listed.map(({ patientId }) => patientId))];
    expect(pending.length).toBeGreaterThan(1);
    await runPuente(['local', 'tickets', 'list', '--status', 'pending'], audited);
    await runPuente(['local', 'tickets', 'show', first.id], audited);
    await runPuente(['local', 'tickets', 'set-status', first.id, 'completed'], audited);
    const { stdout } = await runPuente(['audit', 'search'], audited);
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const of = { client: 'puente local', patient: patients.bare, ids: { id: first.id } };
    expect(records).toMatchObject([
      ...pending.map((patient) => ({ operation: 'local tickets list', interaction: 'search', patient, query })),
      { ...of, operation: 'local tickets show', interaction: 'read' },
      { ...of, operation: 'local tickets set-status', interaction: 'update', phase: 'begun' },
      { ...of, operation: 'local tickets set-status', interaction: 'update', phase: 'ended', status: 200 },
      { operation: 'audit search' },
    ]);
    const [begun, ended] = records.slice(-3);
    expect(begun.requestId).toBe(ended.requestId);
    expect(new Set(records.map(({ requestId }) => requestId)).size).toBe(4);
    const database = new DatabaseSync(audited.PUENTE_STATE_FILE);
    database.exec('DROP TABLE puente_audit');
    database.close();
    const { code, stderr } = await runPuente(['local', 'tickets', 'set-status', first.id, 'reopened'], audited);
    expect([code, stderr]).toEqual([1, 'the audit trail cannot be written (SQLITE_ERROR)\n']);
    expect(await localJson('tickets', 'show', first.id)).toMatchObject({ status: 'completed' });
  });
});
