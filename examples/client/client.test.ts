/**
 * What goes wrong most, on a sandbox that this starts itself, without a configuration:
 *
 *     npx node --test examples/client/client.test.ts
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ask, bookFirst, type Gateway, Problem, type Slot, toMoment } from './client.ts';

const timeZone = 'Europe/Madrid';
let child: ChildProcess;
let gateway: Gateway;

before(async () => {
  const { PUENTE = 'npx puente', ...env } = process.env;
  child = spawn(`${PUENTE} serve --sandbox --port 0`, {
    shell: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...env, PUENTE_INSTITUTION_TIME_ZONE: timeZone },
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  gateway = JSON.parse(line);
});
after(() => process.kill((gateway as Gateway & { pid: number }).pid));
beforeEach(() => sandbox('reset'));

/** Asks the sandbox itself. */
async function sandbox(what: string, body: object = {}): Promise<void> {
  const headers = { Authorization: `Bearer ${gateway.token}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${gateway.url}/sandbox/${what}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, await response.text());
}

/** The next call of the operation is answered as the scenario says. */
const plan = (operation: string, scenario: string) => sandbox('scenarios', { operation, scenario, calls: 1 });

const listSlots = async (service: string): Promise<Slot[]> => {
  const path = `/available-appointments/search?health_care_service_id=${service}`;
  return ((await ask(gateway, 'GET', path)).body as { appointments: Slot[] }).appointments;
};
const listBooked = async (): Promise<string[]> => {
  const { body } = await ask(gateway, 'GET', '/patients/bruno/appointments');
  return (body as { appointments: { date: string }[] }).appointments.map(({ date }) => date);
};

describe('a client', () => {
  test('books the next slot where somebody else took the first', async () => {
    const slots = await listSlots('consulta-clinica');
    await plan('bookAppointment', 'slot_taken');
    assert.deepEqual(await bookFirst(gateway, 'bruno', slots), slots[1]);
    assert.deepEqual(await listBooked(), [slots[1]?.date]);
  });

  for (const scenario of ['backend_outcome_unknown=made', 'backend_outcome_unknown=lost', 'drop']) {
    test(`books once although the answer was lost (${scenario})`, async () => {
      const [slot] = await listSlots('consulta-clinica');
      await plan('bookAppointment', scenario);
      assert.deepEqual(await bookFirst(gateway, 'bruno', [slot]), slot);
      assert.deepEqual(await listBooked(), [slot?.date]);
    });
  }

  test('waits as long as a gateway says that has too much to do', async () => {
    await plan('getPatient', 'overloaded');
    const startedAt = performance.now();
    const { body } = await ask(gateway, 'GET', '/patients/ana');
    assert.equal((body as { last_name: string }).last_name, 'Ferreyra');
    assert.ok(performance.now() - startedAt >= 1000);
  });

  test('knows that a list lacks a record', async () => {
    const whole = await ask(gateway, 'GET', '/location/');
    await plan('listLocations', 'omitted');
    const partial = await ask(gateway, 'GET', '/location/');
    assert.deepEqual([whole.omitted, partial.omitted], [0, 1]);
  });

  test('takes the first of two moments that have one local time, as clocks go back', async () => {
    await sandbox('clock', { now: '2027-10-30T12:00:00' });
    const slots = await listSlots('guardia-nocturna');
    const inTheNight = slots.filter(({ date }) => date === '2027-10-31T02:30:00');
    assert.equal(inTheNight.length, 1);
    const booked = await bookFirst(gateway, 'bruno', inTheNight);
    assert.equal(toMoment(booked!.date, timeZone)?.toISOString(), '2027-10-31T00:30:00.000Z');
    assert.equal(toMoment('2027-03-28T02:30:00', timeZone), undefined);
  });

  test('does not try again what another try does not help', async () => {
    await assert.rejects(ask(gateway, 'GET', '/patients/nobody'), new Problem(404, 'not_found'));
  });
});
