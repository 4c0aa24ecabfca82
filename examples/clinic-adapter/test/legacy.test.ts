import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { Call, OmittedRecord } from 'puente/adapter';
import adapter from '../src/index.ts';
import { institution } from './fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'clinic-'));
after(() => rmSync(folder, { recursive: true }));

/** The adapter on a file of its own, the clinic's own programs on the same file, and what the lists left out. */
async function open() {
  const file = join(folder, `${randomUUID()}.db`);
  const ports = await adapter.offer(adapter.settings.parse({ file, lockTimeout: 20 }), institution, {});
  const legacy = new DatabaseSync(file);
  const omitted: OmittedRecord[] = [];
  const call: Call = {
    requestId: randomUUID(),
    client: 'test',
    now: new Date().toISOString(),
    signal: new AbortController().signal,
    omit: (record) => omitted.push(record),
  };
  const close = async () => {
    legacy.close();
    await ports.close();
  };
  return { ports, legacy, omitted, call, close };
}

test('an appointment whose time does not exist is left out of the list, and told', async () => {
  const { ports, legacy, omitted, call, close } = await open();
  const list = async () => (await ports.appointments.list('1001', { order: 'ascending' }, call)).total;
  const before = await list();
  legacy.exec(`UPDATE turnos SET inicio = '2026-02-30 09:00' WHERE nro_turno = 900001`);
  assert.equal(await list(), before - 1);
  assert.deepEqual(omitted, [{ resourceType: 'turnos', element: 'inicio' }]);
  await close();
});

test('a patient with a code that nobody knows is a bad answer alone, and keeps nobody else from being found', async () => {
  const { ports, legacy, omitted, call, close } = await open();
  legacy.exec(`UPDATE pacientes SET sexo = '?', fec_nac = '30/11/1985' WHERE id_paciente = 1002`);
  const found = await ports.patients.search({ birthDate: '1985-11-30' }, call);
  assert.deepEqual(
    found.map(({ id }) => id),
    ['1001'],
  );
  assert.deepEqual(omitted, [{ resourceType: 'pacientes', element: 'sexo' }]);
  await assert.rejects(ports.patients.get('1002', call), { kind: 'bad_answer' });
  await close();
});

test('a slot that another program takes meanwhile is taken, and while it writes the clinic is overloaded', async () => {
  const { ports, legacy, call, close } = await open();
  const {
    items: [slot],
  } = await ports.appointments.slots({ serviceId: '501' }, call);
  assert.ok(slot);
  const booking = { serviceId: '501', practitionerIds: [slot.practitionerId], start: slot.start, slotId: slot.id };
  const book = () => ports.appointments.book('1002', booking, call);
  legacy.exec('BEGIN IMMEDIATE');
  await assert.rejects(book, { kind: 'overloaded' });
  legacy
    .prepare(
      `UPDATE turnos SET id_paciente = 1003, estado = 'R', nro_ppal = nro_turno WHERE cod_agenda = ? AND inicio = ?`,
    )
    .run(slot.id.split('.')[0] ?? '', slot.start.slice(0, 16).replace('T', ' '));
  legacy.exec('COMMIT');
  await assert.rejects(book, { kind: 'conflict', code: 'slot_taken' });
  await close();
});

test('what was booked is in the tables of the clinic, as its own programs write it', async () => {
  const { ports, legacy, call, close } = await open();
  const {
    items: [slot],
  } = await ports.appointments.slots({ serviceId: '501' }, call);
  assert.ok(slot);
  const booking = { serviceId: '501', practitionerIds: [slot.practitionerId], start: slot.start, authorization: true };
  const { id } = await ports.appointments.book('1002', booking, call);
  const row = {
    ...legacy.prepare('SELECT inicio, estado, id_paciente, autorizado FROM turnos WHERE nro_turno = ?').get(id),
  };
  assert.deepEqual(row, {
    inicio: slot.start.slice(0, 16).replace('T', ' '),
    estado: 'R',
    id_paciente: 1002,
    autorizado: 'S',
  });
  await close();
});
