import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Container } from 'inversify';
import { adapters } from '../../adapters/index.ts';
import { memory } from '../../adapters/memory/index.ts';
import { operations } from '../../src/api/index.ts';
import { createStartingServer, listen } from '../../src/http/server.ts';
import { Failure } from '../../src/ports/index.ts';
import { parts } from '../../src/runtime/parts.ts';
import { type RunningGateway, type StartGatewayOptions, startGateway } from '../support/gateway.ts';
import { Chromium, findChromium, listViolations, type Screen, type Tab } from './chromium.ts';

const command = findChromium();
if (command === undefined) {
  process.stdout.write('skipped: no Chromium in the path; CHROMIUM names one elsewhere\n');
}

const desk: Screen = { width: 1280, height: 900 };
/** A window of 1280 pixels at 200 %. */
const zoomed: Screen = { width: 640, height: 450 };
const telephone: Screen = { width: 360, height: 740, mobile: true, dark: true };
const screens = [desk, zoomed, telephone];

const says = (words: RegExp) => `${words}.test(document.querySelector('main').innerText)`;

(command === undefined ? describe.skip : describe)('the page of the operator in a browser', () => {
  let chromium: Chromium;
  let gateway: RunningGateway;
  let server: Server;
  let url: string;
  let tab: Tab;

  beforeAll(async () => {
    chromium = await Chromium.start(command ?? '');
  }, 300_000);
  afterAll(() => chromium.stop());
  afterEach(async () => {
    expect(tab.requests.filter((each) => !each.startsWith(url) && !/^(about|data):/.test(each))).toEqual([]);
    expect(tab.complaints).toEqual([]);
    server.closeAllConnections();
    await gateway.stop();
  });

  async function open(screen: Screen = desk, options: StartGatewayOptions = {}): Promise<void> {
    let container: Container | undefined;
    gateway = await startGateway({
      ...options,
      environment: { PUENTE_OPS_PORT: '1', PUENTE_INSTITUTION_NAME: 'Sanatorio del Puente', ...options.environment },
      rebind: (given) => {
        container = given;
      },
    });
    server = (await container?.getAsync(parts.opsServer))!;
    url = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`;
    tab = await chromium.openTab(screen);
    await tab.go(url);
  }

  const failing = (kind: 'unavailable' | 'timeout'): StartGatewayOptions => ({
    replacePort: (name, port) =>
      name === 'patients' ? { get: async () => Promise.reject(new Failure(kind, 'the system is unreachable')) } : port,
  });
  const ask = async (count: number) => {
    for (let i = 0; i < count; i++) await gateway.ask('GET', '/patients/ana');
  };

  /** The page is no wider than its screen, and axe finds nothing in it. */
  async function expectAccessible({ width }: Screen): Promise<void> {
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(await listViolations(tab)).toEqual([]);
  }

  test.each(screens)(
    'shows an empty gateway on a screen of %o, no wider than it, and nothing that axe complains about',
    async (screen) => {
      await open(screen);
      await tab.waitFor(says(/In service, not impaired/));
      await expectAccessible(screen);
      const [red = 255] =
        String(await tab.evaluate('getComputedStyle(document.body).backgroundColor')).match(/\d+/g) ?? [];
      expect(Number(red) < 60).toBe(screen.dark === true);
    },
    60_000,
  );

  test('follows an outage by itself: the failures, and then the open circuit', async () => {
    await open(desk, failing('unavailable'));
    await ask(1);
    await tab.waitFor(says(/Failing\s*✖ getPatient backend_unavailable × 1/));
    await ask(22);
    await tab.waitFor(says(/port patients and the class read/));
    expect(await tab.evaluate(says(/Impairments: 1/))).toBe(true);
  }, 60_000);

  test.each(screens)(
    'shows an outage and then an open circuit on a screen of %o, no wider than it, and nothing that axe complains about',
    async (screen) => {
      await open(screen, failing('unavailable'));
      await ask(1);
      await tab.go(url);
      await tab.waitFor(says(/Failing\s*✖ getPatient backend_unavailable × 1/));
      await expectAccessible(screen);
      await ask(22);
      await tab.go(url);
      await tab.waitFor(says(/port patients and the class read/));
      expect(await tab.evaluate(says(/Impairments: 1/))).toBe(true);
      expect(await tab.evaluate(says(/503 getPatient backend_circuit_open/))).toBe(true);
      await expectAccessible(screen);
    },
    60_000,
  );

  test.each(screens)(
    'shows on a screen of %o what runs while the system is slow',
    async (screen) => {
      const slow = Promise.withResolvers<never>();
      await open(screen, { replacePort: (name, port) => (name === 'patients' ? { get: () => slow.promise } : port) });
      const asked = ask(1);
      while (!(await tab.evaluate(says(/patients read\s+1\s+0/)))) await tab.go(url);
      await expectAccessible(screen);
      slow.reject(new Failure('timeout', 'too slow'));
      await asked;
      await tab.go(url);
      await tab.waitFor(`!${says(/patients read/)}`);
    },
    60_000,
  );

  test('answers in its first lines which client is limited, what is not offered, and whether the trail is whole', async () => {
    const offer = () => ({ patients: { search: async () => [] } });
    await open(telephone, {
      adapters: { ...adapters, memory: { ...memory, offer } },
      environment: { PUENTE_LIMITS_CLIENTS_PATIENT_SEARCH_REQUESTS: '1' },
    });
    for (let i = 0; i < 3; i++) await gateway.ask('GET', '/patients/search?identifier=31465466&identifier_type=DNI');
    await tab.waitFor(says(/Limited clients\s*✖ trial/));
    expect(
      await tab.evaluate(
        says(new RegExp(`Not offered\\s*${operations.length - 1} of ${operations.length} operations`)),
      ),
    ).toBe(true);
    expect(await tab.evaluate(says(/Audit trail\s*none is kept/))).toBe(true);
    await expectAccessible(telephone);
    await tab.click(`document.querySelector('a[href="#operations"]')`);
    await tab.waitFor(`Math.abs(document.getElementById('operations').getBoundingClientRect().top) < 10`);
  }, 60_000);

  test('stands still when it is told to, and says when the gateway is gone', async () => {
    await open();
    await tab.click(`document.getElementById('refresh')`);
    const before = tab.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect(tab.requests.length).toBe(before);
    await tab.click(`document.getElementById('refresh')`);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await tab.waitFor(says(/No answer since .*: what follows is from before/));
    expect(await tab.evaluate(`document.getElementById('gone').getAttribute('role')`)).toBe('alert');
  }, 60_000);

  test('keeps what it shows while a gateway that restarts serves no page, and then shows the gateway again', async () => {
    await open();
    await tab.waitFor(says(/In service/));
    const { port } = server.address() as AddressInfo;
    const end = async (each: Server) => {
      each.closeAllConnections();
      await new Promise((resolve) => each.close(resolve));
    };
    await end(server);
    const starting = createStartingServer('', () => [], { write: () => undefined }, true);
    const back = createServer((_, res) => res.end('<main id="main">It is back.</main>'));
    try {
      await listen(starting, { host: '127.0.0.1', port });
      await tab.waitFor(says(/No page \(status 503\) since .*: what follows is from before/));
      expect(await tab.evaluate(says(/In service/))).toBe(true);
      await end(starting);
      await listen(back, { host: '127.0.0.1', port });
      await tab.waitFor(says(/It is back/));
    } finally {
      await Promise.all([starting, back].map(end));
    }
  }, 60_000);

  test('shows what doctor says by its button, with a way back', async () => {
    // The command line of this process is that of the tests.
    const [, own = ''] = process.argv;
    process.argv[1] = 'src/cli/launch.cjs';
    try {
      await open();
      await tab.click(`document.querySelector('form button')`);
      // While the page changes, nobody answers.
      const isThere = () =>
        tab.evaluate(`location.pathname === '/doctor' && ${says(/listPractitioners/)}`).catch(() => false);
      for (let tries = 0; !(await isThere()) && tries < 300; tries++)
        await new Promise((resolve) => setTimeout(resolve, 100));
    } finally {
      process.argv[1] = own;
    }
    expect(await tab.evaluate(says(/listPractitioners\s+\d+ records/))).toBe(true);
    await tab.click(`[...document.links].find((each) => /Back/.test(each.innerText))`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await tab.waitFor(says(/In service/));
  }, 60_000);
});
