import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { Chromium, findChromium, listViolations, type Screen, type Tab } from './chromium.ts';

const command = findChromium();
if (command === undefined) {
  process.stdout.write('skipped: no Chromium in the path; CHROMIUM names one elsewhere\n');
}

const desk: Screen = { width: 1280, height: 900 };
const telephone: Screen = { width: 360, height: 780, mobile: true, dark: true };

const textOf = (id: string) => `document.getElementById('${id}').innerText`;

(command === undefined ? describe.skip : describe)('the page of the sandbox in a browser', () => {
  let chromium: Chromium;
  let gateway: RunningGateway;
  let tab: Tab;

  beforeAll(async () => {
    chromium = await Chromium.start(command ?? '');
  }, 300_000);
  afterAll(() => chromium.stop());
  afterEach(async () => {
    expect(tab.requests.filter((url) => !url.startsWith(gateway.url) && !url.startsWith('data:'))).toEqual([]);
    expect(tab.complaints).toEqual([]);
    await gateway.stop();
  });

  /** The page with the token of a person, who has opened it. */
  async function open(screen: Screen = desk, environment: Record<string, string> = {}): Promise<void> {
    gateway = await startGateway({ environment });
    tab = await chromium.openTab(screen);
    await tab.go(`${gateway.url}/sandbox`);
    await tab.click(`document.getElementById('token')`);
    await tab.type(gateway.token);
    await tab.press('Enter');
    await tab.waitFor(`!document.getElementById('live').hidden`);
  }

  const click = (id: string) => tab.click(`document.getElementById('${id}')`);

  test('shows the clock, and moves it', async () => {
    await open(desk, {
      PUENTE_ADAPTER_SETTINGS_SANDBOX: '{now: 2027-03-01T09:00}',
      PUENTE_HTTP_BASE_PATH: '/puente',
    });
    await tab.waitFor(`/1 March 2027.*09:00:00/.test(${textOf('clock')})`);
    expect(await tab.evaluate(textOf('zone'))).toMatch(/Buenos_Aires, frozen/);
    await tab.click(`document.querySelector('[data-ahead="86400"]')`);
    await tab.waitFor(`/2 March 2027/.test(${textOf('clock')})`);
    await click('reset');
    await tab.waitFor(`/1 March 2027/.test(${textOf('clock')})`);
  }, 60_000);

  test('plans a scenario, and shows it used up and the request that had it, with its cause', async () => {
    await open();
    await tab.evaluate(`document.getElementById('scenario').value = 'overloaded'`);
    await click('value');
    await tab.type('7');
    await tab.click(`document.querySelector('#plan button')`);
    await tab.waitFor(`/overloaded=7\\s+any\\s+any\\s+trial\\s+1/.test(${textOf('plans')})`);
    expect((await gateway.ask('GET', '/patients/ana')).status).toBe(503);
    await gateway.ask('PUT', '/patients/ana', { surname: 'Paz' });
    await gateway.ask('GET', '/location/?limt=3');
    await tab.waitFor(`/used up/.test(${textOf('plans')})`);
    await tab.waitFor(`/limt=3/.test(${textOf('requests')})`);
    const requests = String(await tab.evaluate(textOf('requests')));
    expect(requests).toMatch(/GET \/location\/\?limt=3\s+200\s+ignored: limt/);
    expect(requests).toMatch(/PUT \/patients\/ana\s+422\s+validation; body \/surname is an unknown field/);
    expect(requests).toMatch(/GET \/patients\/ana\s+overloaded=7\s+503\s+overloaded/);
  }, 60_000);

  test('names each value of a plan on a narrow screen, where the table has no head', async () => {
    await open(telephone);
    await gateway.ask('POST', '/sandbox/scenarios', { scenario: 'drop=2%', patient: 'ana', calls: 3 });
    await click('refresh');
    await tab.waitFor(`/drop/.test(${textOf('plans')})`);
    const labels = `[...document.querySelectorAll('#plans td')].map((td) => getComputedStyle(td, '::before').content)`;
    expect(await tab.evaluate(labels)).toEqual(
      ['Scenario', 'Operation', 'Patient', 'Client', 'Calls'].map((label) => expect.stringContaining(label)),
    );
  }, 60_000);

  test('says what is wrong with a plan and with a token', async () => {
    await open();
    await click('value');
    await tab.type('nonsense');
    await tab.click(`document.querySelector('#plan button')`);
    await tab.waitFor(`/must be written/.test(${textOf('said')})`);
    await tab.evaluate(`document.getElementById('token').value = 'wrong'`);
    await tab.click(`document.querySelector('#access button')`);
    await tab.waitFor(`/token is not valid/.test(${textOf('said')})`);
  }, 60_000);

  test('leads from a patient to the operation that shows it', async () => {
    await open();
    await tab.click(`[...document.querySelectorAll('td a')].find((each) => /^Get a patient$/.test(each.innerText))`);
    await tab.waitFor(`location.pathname === '/docs' && location.hash === '#tag/patients/getPatient'`);
  }, 60_000);

  test.each([desk, telephone])(
    'has nothing that axe complains about, and no line beyond a screen of %o',
    async (screen) => {
      await open(screen);
      await gateway.ask('PUT', `/patients/${'a'.repeat(100)}`, { surname: 'Paz' });
      await click('refresh');
      await tab.waitFor(`/surname/.test(${textOf('requests')})`);
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(screen.width);
      expect(await listViolations(tab)).toEqual([]);
      const [red = 255] =
        String(await tab.evaluate('getComputedStyle(document.body).backgroundColor')).match(/\d+/g) ?? [];
      expect(Number(red) < 60).toBe(screen.dark === true);
    },
    60_000,
  );
});
