import { describe, expect, test } from '@jest/globals';
import {
  type Answer,
  countStatuses,
  patient,
  throwFailure,
  times,
  update,
  useGuardedGateway,
  wait,
} from '../support/guarded-gateway.ts';

const { ask, startActing, startHanging } = useGuardedGateway();
const overloaded: Answer = { status: 503, code: 'overloaded', retryAfter: 1 };

describe('a bulkhead', () => {
  test('runs 32 reads of a port, lets 64 wait, and answers 503 to the others of 500 before any of them ends', async () => {
    const { waiting, letGo } = await startHanging({
      PUENTE_LIMITS_CLIENTS_READ_CONCURRENT: '500',
      PUENTE_HTTP_MAX_CONNECTIONS_PER_ADDRESS: '1000',
    });
    const answered: Answer[] = [];
    const all = times(500, async () => answered.push(await ask('/patients/ana')));
    await wait(() => answered.length === 404);
    expect(answered).toEqual(times(404, () => overloaded));
    expect(waiting).toHaveLength(32);
    letGo();
    await wait(() => waiting.length === 32);
    letGo();
    await wait(() => waiting.length === 32);
    letGo();
    await Promise.all(all);
    expect(countStatuses(answered)).toEqual({ 200: 96, 503: 404 });
  });

  test('that is full rejects nothing of another port, another class of its port, and a search', async () => {
    const { waiting, letGo } = await startHanging({ PUENTE_GUARD_BULKHEADS_READ_QUEUED: '0' });
    const hanging = times(32, () => ask('/patients/ana'));
    await wait(() => waiting.length === 32);
    const others = await Promise.all([
      ask('/patients/ana'),
      ask('/practitioner/'),
      ask('/patients/ana', update),
      ask('/patients/search?identifier=31465466&identifier_type=DNI'),
      ask('/patients/ana/health_insurances'),
    ]);
    letGo();
    await Promise.all(hanging);
    expect(others.map(({ status }) => status)).toEqual([503, 200, 200, 200, 200]);
  });

  test('lets go of a read at its deadline that its adapter never ends', async () => {
    const environment = { PUENTE_HTTP_READ_DEADLINE: '100', PUENTE_GUARD_BULKHEADS_READ_RUNNING: '1' };
    const { waiting } = await startHanging(environment);
    expect((await ask('/patients/ana')).code).toBe('backend_timeout');
    expect((await ask('/patients/ana')).code).toBe('backend_timeout');
    expect(waiting).toHaveLength(2);
  });

  test('answers 503 to what waits until a quarter before the deadline, and does not execute it afterwards', async () => {
    // A quarter of it: what runs must not end while the other, which may come late on a busy machine, still waits.
    const environment = { PUENTE_HTTP_READ_DEADLINE: '6000', PUENTE_GUARD_BULKHEADS_READ_RUNNING: '1' };
    const { waiting, letGo } = await startHanging(environment);
    const running = ask('/patients/ana');
    await wait(() => waiting.length === 1);
    expect((await ask('/patients/ana')).code).toBe('overloaded');
    expect(waiting).toHaveLength(1);
    letGo();
    expect((await running).status).toBe(200);
    await ask('/practitioner/');
    expect(waiting).toHaveLength(0);
  });

  test('that is full rejects a write before its body is checked, and repeats what was done under its key', async () => {
    let hangs = false;
    const ended = Promise.withResolvers<typeof patient>();
    const { countCalls } = await startActing(() => (hangs ? ended.promise : patient), {
      PUENTE_GUARD_BULKHEADS_WRITE_RUNNING: '1',
      PUENTE_GUARD_BULKHEADS_WRITE_QUEUED: '0',
    });
    expect((await ask('/patients/ana', { ...update, key: 'k' })).status).toBe(200);
    expect((await ask('/patients/ana', { method: 'PUT', body: { phone: 5 } })).status).toBe(422);
    hangs = true;
    const hanging = ask('/patients/ana', update);
    await wait(() => countCalls() === 2);
    expect(await ask('/patients/ana', { method: 'PUT', body: { phone: 5 } })).toEqual(overloaded);
    expect((await ask('/patients/ana', { ...update, key: 'k' })).status).toBe(200);
    ended.resolve(patient);
    expect((await hanging).status).toBe(200);
  });

  test('that rejects a write leaves its Idempotency-Key free', async () => {
    let fails = true;
    await startActing(() => (fails ? throwFailure('overloaded') : patient));
    expect((await ask('/patients/ana', { ...update, key: 'k' })).status).toBe(503);
    fails = false;
    expect((await ask('/patients/ana', { ...update, key: 'k' })).status).toBe(200);
  });
});
