import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { Chromium, findChromium, listViolations, type Screen, type Tab } from './chromium.ts';

const command = findChromium();
if (command === undefined) {
  process.stdout.write('skipped: no Chromium in the path; CHROMIUM names one elsewhere\n');
}

const desk: Screen = { width: 1280, height: 900 };
const telephone: Screen = { width: 390, height: 844, mobile: true, dark: true };

/** An element that is seen and says something. */
const say = (selector: string, words: RegExp) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => each.offsetParent && ${words}.test(each.innerText))`;

/** The section of an operation. */
const section = (operation: string) =>
  `[...document.querySelectorAll('[id$="/${operation}"]')].find((each) => each.querySelector('button'))`;
const button = (operation: string, words: RegExp) =>
  `[...(${section(operation)})?.querySelectorAll('button') ?? []].find((each) => ${words}.test(each.innerText))`;

(command === undefined ? describe.skip : describe)('the page of operations in a browser', () => {
  let chromium: Chromium;
  let gateway: RunningGateway;
  let tabs: Tab[] = [];

  beforeAll(async () => {
    chromium = await Chromium.start(command ?? '');
  }, 300_000);
  afterAll(() => chromium.stop());
  afterEach(async () => {
    for (const { requests, complaints } of tabs) {
      // A hospital's network may be without the internet, and a report elsewhere would tell of its patients.
      expect(requests.filter((url) => !url.startsWith(gateway.url) && !/^(about|data):/.test(url))).toEqual([]);
      expect(complaints).toEqual([]);
    }
    tabs = [];
    await gateway.stop();
  });

  /** A tab in front of a fresh sandbox. */
  async function open(path: string, screen: Screen = desk, environment: Record<string, string> = {}): Promise<Tab> {
    gateway = await startGateway({ environment });
    const tab = await chromium.openTab(screen);
    tabs.push(tab);
    await tab.go(gateway.url + path);
    await tab.waitFor(`document.querySelector('h1')`);
    return tab;
  }

  async function setToken(tab: Tab): Promise<void> {
    await tab.click(`document.querySelector('[role=dialog] input[placeholder="Token"]')`);
    await tab.type(gateway.token);
  }

  async function openForm(tab: Tab, operation: string): Promise<void> {
    await tab.click(button(operation, /Test Request/));
    await tab.waitFor(say('[role=dialog] button', /^Send/));
  }

  async function send(tab: Tab): Promise<string> {
    await tab.click(say('[role=dialog] button', /^Send/));
    await tab.waitFor(say('[role=dialog]', /Status:\s+\d+/));
    return String(await tab.evaluate(`document.querySelector('[role=dialog]').innerText.replaceAll(/\\s+/g, ' ')`));
  }

  const listFreeTimes = async (): Promise<string[]> => {
    const query = 'patient_id=ana&health_care_service_id=consulta-clinica&practitioner_id=paz';
    const { text } = await gateway.ask('GET', `/available-appointments/search?${query}`);
    return JSON.parse(text).appointments.map(({ date }: { date: string }) => date);
  };

  test('finds an operation by a word', async () => {
    const tab = await open('/docs');
    await tab.click(say('button', /Search/));
    await tab.waitFor(`document.activeElement.matches('[role=dialog] input')`);
    await tab.type('relative');
    await tab.waitFor(say('[role=dialog] [role=option]', /Add a relative/));
    await tab.press('ArrowDown', 'Enter');
    await tab.waitFor(`location.hash === '#tag/family-group/addFamilyMember'`);
  }, 60_000);

  test('takes a token, sends it with the request of a patient, and forgets it with the page', async () => {
    const tab = await open('/docs#tag/patients/getPatient', desk, { PUENTE_HTTP_BASE_PATH: '/puente' });
    await openForm(tab, 'getPatient');
    expect(await send(tab)).toMatch(/Status: 401 Unauthorized.*"unauthenticated"/);
    await setToken(tab);
    await tab.click(say('[role=dialog] button', /^Send/));
    await tab.waitFor(say('[role=dialog]', /Ferreyra/));
    expect(tab.requests).toContain(`${gateway.url}/patients/ana`);
    const kept = `indexedDB.databases().then((all) => all.length + localStorage.length + sessionStorage.length)`;
    expect(await tab.evaluate(kept)).toBe(0);
  }, 60_000);

  test('books the first slot that is free, with a key of its own for each request', async () => {
    const tab = await open('/docs#tag/appointments/bookAppointment');
    const [free = ''] = await listFreeTimes();
    await openForm(tab, 'bookAppointment');
    await setToken(tab);
    expect(await send(tab)).toMatch(/Status: 201 Created/);
    await tab.click(say('[role=dialog] .cm-line', /"date"/));
    await tab.press('End', 'Shift+Home');
    await tab.type(`"date": "${free}"`);
    expect(await send(tab)).toMatch(/Status: 201 Created/);
    await tab.waitFor(
      `performance.getEntriesByType('resource').filter(({ name }) => /appointments$/.test(name)).length === 2`,
    );
    expect(await listFreeTimes()).not.toContain(free);
  }, 60_000);

  test('sends another key with each of twenty requests, and one that a person typed as it is', async () => {
    const tab = await open('/docs#tag/tickets/openTicket');
    await openForm(tab, 'openTicket');
    await setToken(tab);
    const keys = () => tab.sent.flatMap(({ 'idempotency-key': key }) => (key === undefined ? [] : [key]));
    const sendOnce = async (count: number) => {
      await tab.click(say('[role=dialog] button', /^Send/));
      for (let tries = 0; keys().length < count && tries < 200; tries++)
        await new Promise((resolve) => setTimeout(resolve, 20));
      expect(keys()).toHaveLength(count);
      await tab.waitFor(say('[role=dialog]', /Status:\s+201/));
    };
    for (let count = 1; count <= 20; count++) await sendOnce(count);
    expect(new Set(keys()).size).toBe(20);
    const tickets = await gateway.ask('GET', '/patients/ana/ticket/');
    expect(JSON.parse(tickets.text).length).toBeGreaterThanOrEqual(20);
    await tab.click(say('[role=dialog] *', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\s*$/));
    await tab.press('End', 'Shift+Home');
    await tab.type('typed-by-a-person');
    await sendOnce(21);
    expect(keys().at(-1)).toBe('typed-by-a-person');
  }, 120_000);

  test('says how an operation fails, and what then', async () => {
    const tab = await open('/docs#tag/appointments/bookAppointment');
    await tab.waitFor(section('bookAppointment'));
    const text = String(await tab.evaluate(`(${section('bookAppointment')}).innerText`));
    for (const problem of ['slot_taken', 'slot_unknown', 'not_found', 'backend_outcome_unknown'])
      expect(text).toContain(`${problem}: `);
    expect(text).toContain('Search the available slots again and offer another one.');
  }, 60_000);

  test('shows the request in curl, JavaScript that is TypeScript too, Python, C#, Go, Java and PHP, and no other language', async () => {
    const tab = await open('/docs#tag/patients/updatePatient');
    const choose = /Shell Curl|Fetch|Requests|HttpClient|NewRequest|java\.net\.http|PHP cURL/;
    for (const [name, shown] of [
      ['Fetch', /fetch\('[^']+\/patients\/ana', \{\s+method: 'PUT'/],
      ['Requests', /requests\.put\(\s*"[^"]+\/patients\/ana"/],
      ['HttpClient', /new HttpClient\(\)|new HttpRequestMessage/],
      ['NewRequest', /http\.NewRequest\("PUT"/],
      ['java.net.http', /HttpRequest\.newBuilder\(\)/],
      ['cURL', /curl_init\("?[^\n]*\/patients\/ana/],
      ['Curl', /curl [^\s]+\/patients\/ana \\\s+--request PUT/],
    ] as const) {
      await tab.click(button('updatePatient', choose));
      await tab.waitFor(`document.querySelectorAll('[role=option]').length === 7`);
      await tab.click(say('[role=option]', new RegExp(`^\\s*${name}`)));
      await tab.waitFor(`${shown}.test((${section('updatePatient')}).innerText)`);
    }
  }, 60_000);

  test.each([desk, telephone])(
    'has the contrast that small text needs on a screen of %o',
    async (screen) => {
      const tab = await open('/docs#tag/appointments/bookAppointment', screen);
      await tab.waitFor(section('bookAppointment'));
      const found = await listViolations(tab);
      expect(found.filter(([rule]) => rule === 'color-contrast')).toEqual([]);
    },
    60_000,
  );

  test('is dark where the system is, and as wide as a telephone', async () => {
    const tab = await open('/docs#tag/appointments/bookAppointment', telephone);
    await tab.waitFor(section('bookAppointment'));
    const [red = 255] =
      String(await tab.evaluate('getComputedStyle(document.body).backgroundColor')).match(/\d+/g) ?? [];
    expect(Number(red)).toBeLessThan(60);
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(telephone.width);
  }, 60_000);

  test.each([desk, telephone])(
    'has first pages and problems on a screen of %o, and leads to an operation',
    async (screen) => {
      const tab = await open('/problems/slot_taken', screen);
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(screen.width);
      await tab.go(`${gateway.url}/`);
      await tab.click(say('a', /^Book an appointment$/));
      await tab.waitFor(section('bookAppointment'));
      await tab.waitFor(`location.hash === '#tag/appointments/bookAppointment'`);
    },
    60_000,
  );
});
