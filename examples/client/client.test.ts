/**
 * The fifteen things that a client must survive, on a sandbox that this starts itself, without a configuration:
 *
 *     npx node --test examples/client/client.test.ts
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ask, bookFirst, type Gateway, Problem, readPages, type Slot, toMoment } from './client.ts';

const timeZone = 'Europe/Madrid';
let child: ChildProcess;
let gateway: Gateway;

before(async () => {
  const { PUENTE = 'npx --no puente', ...env } = process.env;
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

/** The next calls of the operation are answered requested by the scenario. */
const plan = (operation: string, scenario: string, calls = 1) => sandbox('scenarios', { operation, scenario, calls });

const listSlots = async (service: string): Promise<Slot[]> => {
  const path = `/available-appointments/search?health_care_service_id=${service}`;
  return ((await ask(gateway, 'GET', path)).body as { appointments: Slot[] }).appointments;
};
const listBooked = async (): Promise<string[]> => {
  const { body } = await ask(gateway, 'GET', '/patients/bruno/appointments');
  return (body as { appointments: { date: string }[] }).appointments.map(({ date }) => date);
};
const getName = async (of: Gateway = gateway) =>
  ((await ask(of, 'GET', '/patients/ana')).body as { last_name: string }).last_name;
/** Seconds that the work takes. */
const time = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
};

describe('a client', () => {
  test('1. sends a write whose answer was lost again under the same key', async () => {
    const [slot] = await listSlots('consulta-clinica');
    await plan('bookAppointment', 'drop');
    assert.deepEqual(await bookFirst(gateway, 'bruno', [slot!]), slot);
    assert.deepEqual(await listBooked(), [slot?.date]);
  });

  test('2. does the same when nobody knows whether the write was made', async () => {
    for (const scenario of ['backend_outcome_unknown=made', 'backend_outcome_unknown=lost']) {
      await sandbox('reset');
      const [slot] = await listSlots('consulta-clinica');
      await plan('bookAppointment', scenario);
      assert.deepEqual(await bookFirst(gateway, 'bruno', [slot!]), slot);
      assert.deepEqual(await listBooked(), [slot?.date]);
    }
  });

  test('3. waits for an earlier try that still runs, and has its answer', async () => {
    const [slot] = await listSlots('consulta-clinica');
    await plan('bookAppointment', 'idempotency_key_in_use');
    assert.deepEqual(await bookFirst(gateway, 'bruno', [slot!]), slot);
    assert.equal((await listBooked()).length, 1);
  });

  test('4. offers the next slot when somebody else took the first', async () => {
    const slots = await listSlots('consulta-clinica');
    await plan('bookAppointment', 'slot_taken');
    assert.deepEqual(await bookFirst(gateway, 'bruno', slots), slots[1]);
    assert.deepEqual(await listBooked(), [slots[1]?.date]);
  });

  test('5. tries again, more slowly each time, until an outage is over', async () => {
    await plan('getPatient', 'backend_unavailable', 2);
    const seconds = await time(async () => assert.equal(await getName(), 'Ferreyra'));
    assert.ok(seconds >= 1.2);
  });

  test('6. waits as long as a gateway says that has too much to do', async () => {
    await plan('getPatient', 'overloaded=2');
    assert.ok((await time(async () => assert.equal(await getName(), 'Ferreyra'))) >= 2);
  });

  test('7. waits as long as its limit says', async () => {
    await plan('getPatient', 'rate_limited=1');
    assert.ok((await time(async () => assert.equal(await getName(), 'Ferreyra'))) >= 1);
  });

  test('8. knows that a list lacks a record', async () => {
    const whole = await ask(gateway, 'GET', '/location/');
    await plan('listLocations', 'omitted');
    const partial = await ask(gateway, 'GET', '/location/');
    assert.deepEqual([whole.omitted, partial.omitted], [0, 1]);
  });

  test('9. takes the first of two moments that have one local time, as clocks go back', async () => {
    await sandbox('clock', { now: '2027-10-30T12:00:00' });
    const slots = await listSlots('guardia-nocturna');
    const inTheNight = slots.filter(({ date }) => date === '2027-10-31T02:30:00');
    const booked = await bookFirst(gateway, 'bruno', inTheNight);
    assert.equal(toMoment(booked!.date, timeZone)?.toISOString(), '2027-10-31T00:30:00.000Z');
  });

  test('10. knows that a local time does not exist, as clocks go forward', async () => {
    await sandbox('clock', { now: '2027-03-27T12:00:00' });
    const night = (await listSlots('guardia-nocturna')).filter(({ date }) => date.startsWith('2027-03-28T0'));
    assert.ok(night.every(({ date }) => toMoment(date, timeZone) !== undefined));
    assert.equal(toMoment('2027-03-28T02:30:00', timeZone), undefined);
    const [slot] = night;
    const skipped = bookFirst(gateway, 'bruno', [{ ...slot!, date: '2027-03-28T02:30:00' }]);
    await assert.rejects(skipped, new Problem(422, 'nonexistent_local_time'));
  });

  test('11. waits no longer than it means to, and tries again', async () => {
    await plan('getPatient', 'slow=5');
    const seconds = await time(async () => assert.equal(await getName({ ...gateway, timeout: 500 }), 'Ferreyra'));
    assert.ok(seconds < 4);
  });

  test('12. takes an answer that is cut or garbled for a lost one', async () => {
    for (const scenario of ['cut', 'garbled', 'wrong_length']) {
      const [slot] = await listSlots('consulta-clinica');
      await plan('bookAppointment', scenario);
      assert.deepEqual(await bookFirst(gateway, 'bruno', [slot!]), slot);
    }
    assert.equal((await listBooked()).length, 3);
  });

  test('13. reads the pages of a list again when rows moved between them', async () => {
    const [slot] = await listSlots('consulta-clinica');
    let isBooked = false;
    const ids = await readPages(
      gateway,
      '/v1/appointments?patientId=many-appointments&sortDirection=DESC&limit=100',
      async () => {
        if (!isBooked) isBooked = (await bookFirst(gateway, 'many-appointments', [slot!])) !== undefined;
      },
    );
    assert.deepEqual([ids.length, isBooked], [1201, true]);
  });

  test('14. lives with nulls, empty texts and fields that it does not know', async () => {
    await plan('getPatient', 'unknown_fields');
    assert.equal(await getName(), 'Ferreyra');
    const { body } = await ask(gateway, 'GET', '/patients/no-contact');
    assert.deepEqual([Object(body).email, Object(body).phone], ['', '']);
    const services = (await ask(gateway, 'GET', '/health-care-services/search')).body;
    assert.ok(Object(services).health_care_services.some((each: object) => Object(each).max_age === null));
  });

  test('15. does not try again what another try does not help', async () => {
    const seconds = await time(() =>
      assert.rejects(ask(gateway, 'GET', '/patients/nobody'), new Problem(404, 'not_found')),
    );
    assert.ok(seconds < 0.4);
  });
});
