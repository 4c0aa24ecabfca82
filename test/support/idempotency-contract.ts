import { describe, expect, test } from '@jest/globals';
import { Failure } from '../../src/ports/index.ts';
import type { State } from '../../src/state/state.ts';
import { type Answer, body, otherToken, useIdempotencyGateways } from './idempotency-gateway.ts';

const HOUR = 3_600_000;

const failOnce = (failure: () => unknown): (() => void) => {
  let failed = false;
  return () => {
    if (failed) return;
    failed = true;
    throw failure();
  };
};

const isReplayed = ({ headers }: Answer): boolean => headers.get('Idempotency-Replayed') === 'true';

/** What an Idempotency-Key promises over HTTP with any store of the gateway's state; the numbers are those of the design. */
export function describeIdempotency(open: () => Promise<State> | State): void {
  const start = useIdempotencyGateways(open);

  describe('a write with an Idempotency-Key', () => {
    test('T-IDEM-1: is executed once, and repeated byte by byte with its headers', async () => {
      const { backend, send } = await start();
      const first = await send('k');
      const second = await send('k');
      expect([first.status, isReplayed(first), isReplayed(second)]).toEqual([201, false, true]);
      expect(second).toMatchObject({ status: 201, text: first.text });
      expect(first.headers.get('location')).toContain('booking-1');
      for (const name of ['location', 'content-type', 'content-length', 'cache-control']) {
        expect(second.headers.get(name)).toBe(first.headers.get(name));
      }
      expect(backend.calls).toBe(1);
    });

    test('T-IDEM-2: that was refused stays refused in the same words, although it would succeed now', async () => {
      const { backend, send } = await start();
      backend.before = failOnce(() => new Failure('conflict', 'the slot is taken', { code: 'slot_taken' }));
      const first = await send('k');
      const second = await send('k');
      expect(first).toMatchObject({ status: 409, code: 'slot_taken' });
      expect(second).toMatchObject({ status: 409, text: first.text });
      expect(second.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(isReplayed(second)).toBe(true);
      expect(backend.calls).toBe(1);
      expect((await send('another')).status).toBe(201);
    });

    test('T-IDEM-3: is 422 with another body, for another patient and for another operation', async () => {
      const { backend, send } = await start();
      await send('k');
      const others = [
        { text: JSON.stringify({ ...body, date: '2099-01-05T09:30:00' }) },
        { path: '/patients/bruno/appointments' },
        { path: '/patients/ana/appointments/a', method: 'PUT', text: '{"status":"canceled"}' },
      ];
      for (const other of others) {
        const answer = await send('k', other);
        expect(answer).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
        expect(JSON.parse(answer.text)).toMatchObject({ errors: [{ in: 'header', at: '/Idempotency-Key' }] });
      }
      expect(await send('k')).toMatchObject({ status: 201 });
      expect(backend.calls).toBe(1);
    });

    test('T-IDEM-4: is the same with its fields in another order and with other white space', async () => {
      const { backend, send } = await start();
      await send('k');
      const text = JSON.stringify(Object.fromEntries(Object.entries(body).toReversed()), undefined, 3);
      expect(await send('k', { text })).toMatchObject({ status: 201 });
      expect(backend.calls).toBe(1);
    });

    test('T-IDEM-5: is executed once when it comes fifty times at once', async () => {
      const { backend, send } = await start();
      backend.before = () => new Promise((resolve) => setTimeout(resolve, 50));
      const answers = await Promise.all(Array.from({ length: 50 }, () => send('k')));
      const executed = answers.filter((answer) => answer.status === 201 && !isReplayed(answer));
      const others = answers.filter((answer) => !executed.includes(answer) && !isReplayed(answer));
      expect(executed).toHaveLength(1);
      // On a busy machine, all others may come after the write.
      for (const { status, code, headers } of others) {
        expect([status, code, headers.get('retry-after')]).toEqual([409, 'idempotency_key_in_use', '1']);
      }
      expect([backend.calls, backend.booked.size]).toEqual([1, 1]);
      expect(isReplayed(await send('k'))).toBe(true);
    });

    test('T-IDEM-6: whose outcome was never stored is asked for when its lease is over', async () => {
      const { backend, time, store, send, events } = await start();
      store.settles = false;
      const first = await send('k');
      expect(first.status).toBe(201);
      expect(events()).toContain('outcome not stored');
      store.settles = true;
      expect(await send('k')).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
      time.now += 6_000;
      expect(await send('k')).toMatchObject({ status: 201, text: first.text });
      expect([backend.calls, backend.booked.size]).toEqual([2, 1]);
      expect(isReplayed(await send('k'))).toBe(true);
    });

    test('T-IDEM-7: whose answer was lost is 504, and then has the answer, and happened once', async () => {
      const { backend, send } = await start();
      backend.after = failOnce(() => new Failure('outcome_unknown', 'the connection was reset'));
      expect(await send('k')).toMatchObject({ status: 504, code: 'backend_outcome_unknown' });
      const second = await send('k');
      expect(second.headers.get('location')).toContain('booking-1');
      expect(await send('k')).toMatchObject({ status: 201, text: second.text });
      expect([backend.calls, backend.booked.size]).toEqual([2, 1]);
    });

    test('T-IDEM-8: is another one after its time', async () => {
      const { backend, time, send } = await start();
      await send('k');
      time.now += 25 * HOUR;
      expect(await send('k', { text: JSON.stringify({ ...body, date: '2099-01-05T09:30:00' }) })).toMatchObject({
        status: 201,
      });
      expect(backend.calls).toBe(2);
    });

    test('T-IDEM-9: of two clients is two writes', async () => {
      const { backend, send } = await start();
      const answers = [await send('k'), await send('k', { token: otherToken })];
      expect(answers.map((answer) => [answer.status, isReplayed(answer)])).toEqual([
        [201, false],
        [201, false],
      ]);
      expect(backend.booked.size).toBe(2);
    });

    test('T-IDEM-10: is not executed while the store is down, which lets others pass', async () => {
      const { backend, store, send } = await start();
      store.claims = false;
      const refused = await send('k');
      expect(refused).toMatchObject({ status: 503, code: 'idempotency_store_unavailable' });
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(backend.calls).toBe(0);
      expect((await send(undefined)).status).toBe(201);
      store.claims = true;
      expect((await send('k')).status).toBe(201);
    });

    test('T-IDEM-11: keeps the outcome of the later attempt when the earlier one ends after it', async () => {
      const { backend, time, send, events } = await start();
      const [started, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let attempts = 0;
      backend.before = async () => {
        attempts++;
        if (attempts > 1) return;
        started.resolve();
        await late.promise;
        throw new Failure('conflict', 'the slot is taken', { code: 'slot_taken' });
      };
      const zombie = send('k');
      await Promise.race([started.promise, zombie]);
      time.now += 7_000;
      const second = await send('k');
      expect(second.status).toBe(201);
      late.resolve();
      expect(await zombie).toMatchObject({ status: 409, code: 'slot_taken' });
      expect(events()).toContain('attempt overtaken');
      expect(await send('k')).toMatchObject({ status: 201, text: second.text });
    });

    test('T-IDEM-12: is the same with its key quoted and bare', async () => {
      const { backend, send } = await start();
      await send('a-key');
      expect(isReplayed(await send('"a-key"'))).toBe(true);
      await send('a\\b');
      expect(isReplayed(await send('"a\\\\b"'))).toBe(true);
      expect(backend.calls).toBe(2);
    });

    test('T-IDEM-13: has a key of 1 to 255 visible characters, quotes not counted', async () => {
      const { backend, send } = await start();
      for (const key of ['k'.repeat(255), `"${'q'.repeat(255)}"`, '~']) expect((await send(key)).status).toBe(201);
      for (const key of ['k'.repeat(256), `"${'q'.repeat(256)}"`, '', '""', 'a b', '"a b"', 'a"b', '"a', 'é']) {
        expect(await send(key)).toMatchObject({ status: 400, code: 'malformed_request' });
      }
      expect(backend.calls).toBe(3);
    });

    test('T-IDEM-14: has no lease that lives again when the clock is set back', async () => {
      const { backend, time, store, send } = await start();
      store.settles = false;
      await send('k');
      store.settles = true;
      time.now -= HOUR;
      expect(await send('k')).toMatchObject({ status: 201 });
      expect([backend.calls, backend.booked.size]).toEqual([2, 1]);
    });

    test('that is resolved late keeps its key while it runs, and its answer from then on', async () => {
      const { backend, time, send } = await start();
      backend.after = failOnce(() => new Failure('outcome_unknown', 'reset'));
      expect(await send('k')).toMatchObject({ status: 504, code: 'backend_outcome_unknown' });
      backend.booked.clear();
      time.now += 24 * HOUR + 5_000;
      const [started, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      backend.before = () => {
        started.resolve();
        return late.promise;
      };
      const second = send('k');
      await Promise.race([started.promise, second]);
      time.now += 2_000;
      expect(await send('k')).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
      late.resolve();
      expect((await second).status).toBe(201);
      time.now += 23 * HOUR;
      expect(isReplayed(await send('k'))).toBe(true);
      expect(backend.calls).toBe(2);
    });

    test('that was refused is repeated for ten minutes, and then is another one', async () => {
      const { backend, time, send } = await start();
      backend.before = failOnce(() => new Failure('not_found', 'no such practitioner'));
      expect(await send('k')).toMatchObject({ status: 404 });
      time.now += 599_000;
      expect(await send('k')).toMatchObject({ status: 404 });
      time.now += 2_000;
      expect(await send('k', { path: '/patients/bruno/appointments' })).toMatchObject({ status: 201 });
      time.now += 601_000;
      expect(isReplayed(await send('k', { path: '/patients/bruno/appointments' }))).toBe(true);
      expect(backend.booked.size).toBe(1);
    });

    test('whose repetition is refused stays refused for as long as the first attempt is not known', async () => {
      const { backend, time, send } = await start();
      backend.after = failOnce(() => new Failure('outcome_unknown', 'reset'));
      expect(await send('k')).toMatchObject({ status: 504 });
      backend.booked.clear();
      backend.before = failOnce(() => new Failure('conflict', 'the slot is taken', { code: 'slot_taken' }));
      expect(await send('k')).toMatchObject({ status: 409 });
      time.now += 601_000;
      expect(await send('k')).toMatchObject({ status: 409 });
      expect(backend.calls).toBe(2);
    });

    test('that changed nothing can be sent again, with another content too', async () => {
      const { backend, send } = await start();
      const failures = [
        new Failure('unavailable', 'refused'),
        new Failure('overloaded', 'too much'),
        new Failure('timeout', 'not sent'),
      ];
      for (const failure of failures) {
        backend.before = failOnce(() => failure);
        expect((await send('k')).status).toBeGreaterThanOrEqual(502);
      }
      expect((await send('k', { text: '{"date":1}' })).status).toBe(422);
      expect((await send('k', { token: 'unknown' })).status).toBe(401);
      expect(await send('k', { path: '/patients/bruno/appointments' })).toMatchObject({ status: 201 });
      expect(backend.booked.size).toBe(1);
    });

    test('stays unknown while the backend cannot be asked', async () => {
      const { backend, send } = await start();
      backend.after = failOnce(() => new Failure('outcome_unknown', 'reset'));
      await send('k');
      const asked = [...backend.booked];
      backend.booked.clear();
      backend.before = failOnce(() => new Failure('unavailable', 'down'));
      expect((await send('k')).status).toBe(502);
      expect(await send('k', { path: '/patients/bruno/appointments' })).toMatchObject({ status: 422 });
      for (const [key, id] of asked) backend.booked.set(key, id);
      expect((await send('k')).headers.get('location')).toContain('booking-1');
    });

    test('is never told that nothing was changed while its first attempt is unresolved', async () => {
      const { backend, store, send } = await start();
      backend.after = failOnce(() => new Failure('outcome_unknown', 'the connection was reset'));
      expect(await send('k')).toMatchObject({ status: 504, code: 'backend_outcome_unknown' });
      backend.booked.clear();
      const answers: Answer[] = [];
      for (const kind of ['unavailable', 'timeout', 'overloaded', 'unsupported'] as const) {
        backend.before = failOnce(() => new Failure(kind, 'not now'));
        answers.push(await send('k'));
      }
      store.claims = false;
      answers.push(await send('k'), await send('k', { token: 'unknown' }), await send('k', { text: '{' }));
      expect(answers.map(({ code }) => code)).toEqual([
        'backend_unavailable',
        'backend_timeout',
        'overloaded',
        'not_implemented',
        'idempotency_store_unavailable',
        'unauthenticated',
        'malformed_request',
      ]);
      for (const { text } of answers) {
        expect(text).not.toMatch(/nothing was changed/i);
        expect(text).toContain('This request changed nothing.');
      }
      expect(backend.booked.size).toBe(0);
    });

    test('is not sent again when the adapter cannot tell what became of it', async () => {
      const { backend, time, store, send } = await start({ retryable: false });
      backend.after = failOnce(() => new Failure('outcome_unknown', 'reset'));
      expect(await send('k')).toMatchObject({ status: 504, code: 'backend_outcome_unknown' });
      expect(await send('k')).toMatchObject({ status: 504, code: 'outcome_unresolved' });
      store.settles = false;
      await send('crashed');
      store.settles = true;
      time.now += 7_000;
      expect(await send('crashed')).toMatchObject({ status: 504, code: 'outcome_unresolved' });
      expect(backend.calls).toBe(2);
    });

    test('that ends after its deadline has its answer from then on', async () => {
      const { backend, send } = await start({ more: { PUENTE_HTTP_WRITE_DEADLINE: '50' } });
      const late = Promise.withResolvers<void>();
      backend.before = () => late.promise;
      // On a busy machine a repetition passes its deadline too.
      const repeat = async (status: number) => {
        let answer = await send('k');
        for (let i = 0; i < 100 && answer.status !== status; i++) answer = await send('k');
        return answer;
      };
      expect(await send('k')).toMatchObject({ status: 504, code: 'backend_outcome_unknown' });
      expect(await repeat(409)).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
      late.resolve();
      const repeated = await repeat(201);
      expect([repeated.status, isReplayed(repeated), backend.calls]).toEqual([201, true, 1]);
    });
  });
}
