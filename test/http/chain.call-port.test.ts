import { afterEach, describe, expect, test } from '@jest/globals';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { wait } from '../support/guarded-gateway.ts';

let gateway: RunningGateway | undefined;
let letGo: () => void;
afterEach(async () => {
  letGo();
  await gateway?.stop();
});

/** Changes a patient in an adapter that does not end before it is let go. */
async function start(environment: Record<string, string>) {
  const hanging = Promise.withResolvers<never>();
  hanging.promise.catch(() => undefined);
  letGo = () => hanging.reject(new Error('so it is'));
  let calls = 0;
  const update = () => {
    calls += 1;
    return hanging.promise;
  };
  const running = await startGateway({
    environment: { PUENTE_HTTP_MAX_BODY_BYTES: '1048576', ...environment },
    replacePort: () => ({ update }),
  });
  gateway = running;
  const change = async (length: number, signal?: AbortSignal): Promise<number> => {
    const response = await fetch(`${running.url}/patients/ana`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${running.token}`, 'Content-Type': 'application/json' },
      body: '{"phone":"+54 11 5555-0000"}'.padEnd(length, ' '),
      ...(signal && { signal }),
    });
    return response.status;
  };
  /** Hangs up as soon as the adapter works, so often, and waits until the gateway knows. */
  const leave = async (times: number, length: number) => {
    for (let i = 1; i <= times; i++) {
      const caller = new AbortController();
      const left = change(length, caller.signal).catch(() => undefined);
      await wait(() => calls === i);
      caller.abort();
      await left;
      await wait(() => running.lines.filter((line) => line.includes('"status":499')).length === i);
    }
  };
  return { change, leave };
}

describe('a write whose caller has hung up', () => {
  test('keeps its place among those of its client until it ends', async () => {
    const { change, leave } = await start({ PUENTE_LIMITS_CLIENTS_WRITE_CONCURRENT: '2' });
    await leave(2, 100);
    expect(await change(100)).toBe(429);
    letGo();
    await new Promise(setImmediate);
    expect(await change(100)).toBe(500);
  });

  test('gives its place back at its deadline, though its adapter never ends', async () => {
    const { change, leave } = await start({
      PUENTE_LIMITS_CLIENTS_WRITE_CONCURRENT: '1',
      PUENTE_HTTP_WRITE_DEADLINE: '2000',
    });
    await leave(1, 100);
    expect(await change(100)).toBe(429);
    let status = 429;
    while (status === 429) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      status = await change(100);
    }
    expect(status).toBe(504);
  });

  test('keeps the bytes of its body until it ends', async () => {
    const { change, leave } = await start({});
    await leave(16, 65_536);
    expect(await change(65_536)).toBe(503);
    letGo();
    await new Promise(setImmediate);
    expect(await change(65_536)).toBe(500);
  });
});

test('the bytes of a write that is not over at its deadline are kept until it ends', async () => {
  const { change } = await start({ PUENTE_HTTP_WRITE_DEADLINE: '1500' });
  const changes = await Promise.all(Array.from({ length: 16 }, () => change(65_536)));
  expect(new Set(changes)).toEqual(new Set([504]));
  expect(await change(65_536)).toBe(503);
  letGo();
  await new Promise(setImmediate);
  expect(await change(65_536)).toBe(500);
});
