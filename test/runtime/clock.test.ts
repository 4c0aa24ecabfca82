import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createByteClient } from '../../src/http-client/axios.ts';
import { ClockWatch } from '../../src/runtime/clock.ts';
import { listen } from '../support/listen.ts';

const HOUR = 3_600_000;
const advice = 'synchronize all machines with a time server (NTP)';

let watch: ClockWatch;
afterEach(() => watch.close());

/** A system that the gateway asks, whose clock is as many milliseconds ahead. */
async function startSystem() {
  let ahead: number | undefined = 0;
  const server = createServer((_req, res) => {
    res.sendDate = false;
    if (ahead !== undefined) res.setHeader('Date', new Date(Date.now() + ahead).toUTCString());
    res.end();
  });
  const host = `127.0.0.1:${await listen(server)}`;
  const client = createByteClient({ timeout: 10_000, maxBytes: 1_000, tls: {} });
  const answer = async (ms: number | undefined) => {
    ahead = ms;
    await client.get(`http://${host}/`);
  };
  return { host, answer };
}

describe('the clock of this machine', () => {
  test('is impaired while it is more than ten seconds from that of the database', () => {
    let offset = 9_000;
    watch = new ClockWatch({ clockOffset: () => offset });
    expect(watch.list()).toEqual([]);
    offset = -HOUR;
    const detail = `the clock of the database is 60 minutes behind this machine’s clock: ${advice}`;
    expect(watch.list()).toEqual([{ code: 'clock', detail }]);
    offset = 0;
    expect(watch.list()).toEqual([]);
  });

  test('is impaired while the header Date of a system is another, until it agrees', async () => {
    watch = new ClockWatch({});
    const { host, answer } = await startSystem();
    await answer(2_000);
    expect(watch.list()).toEqual([]);
    await answer(HOUR);
    const detail = `the clock of ${host} is 60 minutes ahead of this machine’s clock: ${advice}`;
    expect(watch.list()).toEqual([{ code: 'clock', detail }]);
    await answer(undefined);
    expect(watch.list()).toHaveLength(1);
    await answer(0);
    expect(watch.list()).toEqual([]);
  });

  test('is one impairment, however many disagree', async () => {
    watch = new ClockWatch({ clockOffset: () => HOUR });
    for (let i = 0; i < 2; i++) await (await startSystem()).answer(HOUR);
    expect(watch.list()).toHaveLength(1);
    expect(watch.list()[0]!.detail.split('; ')).toHaveLength(3);
  });
});
