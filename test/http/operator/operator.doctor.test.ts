import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serveOperator } from '../../../src/http/operator/operator.ts';
import type { DoctorCheck, OperatedGateway } from '../../../src/http/operator/page.ts';
import { listen } from '../../../src/http/server.ts';
import { send } from '../../support/raw-request.ts';

let found: Promise<readonly DoctorCheck[]> = Promise.resolve([]);
let examined = 0;
let hearSignal: ((signal: AbortSignal) => void) | undefined;

/** A gateway without anything. */
const gateway: OperatedGateway = {
  institution: { timeZone: 'America/Argentina/Buenos_Aires' },
  file: 'puente.yaml',
  warnings: () => [],
  notes: [],
  operations: [],
  supports: new Set(),
  findOwner: () => '',
  reasons: new Map(),
  impairments: () => [],
  drain: { started: false },
  guard: { occupancies: [] },
  recent: { list: () => [], listFailures: () => [] },
  audit: undefined,
  clientLimits: { listRemaining: async () => [] },
  examine: (signal) => {
    examined += 1;
    hearSignal?.(signal);
    return found;
  },
};

const server = createServer(async (req, res) => {
  const reply = await serveOperator(req, gateway);
  res.writeHead(reply?.status ?? 404, reply?.headers).end(reply?.body);
});
let base = '';
beforeAll(async () => {
  base = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const ask = (headers: Readonly<Record<string, string>> = { origin: base }) => send(base, 'POST', '/doctor', headers);

describe('what doctor says, on the page of the operator', () => {
  test('is each check, with what to do', async () => {
    found = Promise.resolve([
      { section: 'fhir', check: 'TLS certificate', ok: false, detail: 'it <does> not hold', fix: 'set tls.ca' },
      { section: 'gateway', check: 'state', ok: true, detail: 'answers' },
      { section: 'fhir', check: 'writes', ok: null, detail: 'the server does not say' },
    ]);
    const { status, text } = await ask();
    expect(status).toBe(200);
    expect(text).toMatch(/✖ TLS certificate<.*it &lt;does&gt; not hold<.*set tls\.ca</);
    expect(text).toMatch(/✔ state<.*answers</);
    expect(text).toMatch(/· writes<.*the server does not say</);
  });

  test('has no id of a record, which a terminal shows', async () => {
    found = Promise.resolve([
      { section: 'fhir', check: 'record left out', ok: false, detail: '1 record: ana-31465466', fix: 'mend it' },
      { section: 'fhir', check: 'references', ok: false, detail: 'of Patient/ana there is none' },
    ]);
    const { text } = await ask();
    expect(text).not.toMatch(/\bana\b|31465466/);
    expect(text.match(/run <code>puente doctor<\/code> on a terminal/g)).toHaveLength(2);
  });

  test('is asked by the button of the page alone', async () => {
    const before = examined;
    const refused = [
      {},
      { origin: 'http://attacker.example' },
      { origin: 'null' },
      { origin: base, 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
    ];
    for (const headers of refused) expect((await ask(headers)).status).toBe(403);
    expect((await ask({ host: 'attacker.example', origin: 'http://attacker.example' })).status).toBe(421);
    expect((await send(base, 'GET', '/doctor', {})).status).toBe(404);
    expect(examined).toBe(before);
    expect((await ask({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  test('is asked once at a time', async () => {
    const slow = Promise.withResolvers<readonly DoctorCheck[]>();
    found = slow.promise;
    const first = ask();
    let second = await ask();
    for (; second.status !== 409; second = await ask());
    expect(second.text).toContain('another examination is running');
    slow.resolve([]);
    expect((await first).status).toBe(200);
    found = Promise.resolve([]);
    expect((await ask()).status).toBe(200);
  });

  test('is looked for no longer than somebody waits for it, such as a page that is closed, or a gateway that ends', async () => {
    const slow = Promise.withResolvers<readonly DoctorCheck[]>();
    found = slow.promise;
    const begun = new Promise<AbortSignal>((resolve) => {
      hearSignal = resolve;
    });
    const asked = ask().catch(() => 'closed');
    const signal = await begun;
    expect(signal.aborted).toBe(false);
    const aborted = once(signal, 'abort');
    server.closeAllConnections();
    await aborted;
    expect(await asked).toBe('closed');
    slow.resolve([]);
    found = Promise.resolve([]);
    let next = await ask();
    for (; next.status === 409; next = await ask());
    expect(next.status).toBe(200);
  });
});
