import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigFolder } from '../support/config-file.ts';
import { serve, token } from '../support/process.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

const root = new URL('../..', import.meta.url).pathname;
const words = 'Ana Ferreyra 31465466';

/** An adapter of somebody else, whose methods leave behind what nobody catches, by the id that is asked for. */
const module = folder.write(
  'his.mjs',
  `import { EventEmitter } from 'node:events';
import { adapter } from '${root}adapters/adapter.ts';
import { Failure } from '${root}src/ports/index.ts';
import { z } from '${root}node_modules/zod/index.js';

const driver = new EventEmitter();
const later = (act) => void setTimeout(act, 5);
const faults = {
  'rejects': () => void lookUp(),
  'rejects-nothing': () => void Promise.reject(undefined),
  'emits': () => later(() => driver.emit('error', Object.assign(new Error('${words}'), { code: 'ECONNRESET' }))),
  'emits-text': () => later(() => driver.emit('error', '${words}')),
  'throws': () => later(() => { throw new TypeError('${words}\\n    at Ana.ts:1:1'); }),
  'throws-what-cannot-be-read': () => later(() => { throw Object.assign(new Error(), { stack: ['${words}'] }); }),
};
async function lookUp() {
  await null;
  throw new TypeError('${words}');
}
const get = async (id) => {
  faults[id]?.();
  throw new Failure('not_found', 'there is no such patient');
};
export default adapter({
  settings: z.strictObject({}),
  offer: () => ({ patients: { get, search: async () => [] } }),
});
`,
);
const PUENTE_CONFIG = folder.write('puente.yaml', JSON.stringify({ adapter: { module } }));

const gateway = await serve({ PUENTE_CONFIG });
afterAll(async () => {
  gateway.signal('SIGKILL');
  await gateway.ended;
});

/** The status of a request for a patient. */
async function ask(id: string): Promise<number> {
  const response = await fetch(`${gateway.url}/patients/${id}`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status;
}

/** The lines of the log about bugs. */
const listBugs = (): unknown[] =>
  gateway.stdout.split('\n').flatMap((line) => (line.includes('"unhandled error"') ? [JSON.parse(line)] : []));

describe('the gateway outlives a bug of an adapter, and logs its kind and its place', () => {
  const place = [expect.stringMatching(/^puente-\w+\/his\.mjs:\d+:\d+$/)];

  test.each([
    ['a promise that is rejected and that nobody waits for', 'rejects', 'TypeError', place],
    ['one that is rejected with nothing', 'rejects-nothing', 'ERR_UNHANDLED_REJECTION', []],
    ['an event “error” of a driver to which nobody listens', 'emits', 'ECONNRESET', place],
    ['such an event without an error', 'emits-text', 'ERR_UNHANDLED_ERROR', place],
    ['an error thrown out of a timer', 'throws', 'TypeError', place],
    ['an error whose stack is no text', 'throws-what-cannot-be-read', 'unreadable', []],
  ])('F51 %s', async (_, id, cause, stack) => {
    const before = listBugs().length;
    expect(await ask(id)).toBe(404);
    while (listBugs().length === before) await sleep(5);
    expect(listBugs().slice(before)).toEqual([
      { time: expect.any(String), level: 'error', event: 'unhandled error', cause, stack },
    ]);
    expect(await ask('another')).toBe(404);
    expect(gateway.stdout + gateway.stderr).not.toMatch(/Ana|Ferreyra|31465466/);
  });
});
