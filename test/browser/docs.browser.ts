import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { Chromium, findChromium, type Screen, type Tab } from './chromium.ts';

const command = findChromium();
if (command === undefined) {
  process.stdout.write('skipped: no Chromium in the path; CHROMIUM names one elsewhere\n');
}

const desk: Screen = { width: 1280, height: 900 };
const telephone: Screen = { width: 390, height: 844, mobile: true };

(command === undefined ? describe.skip : describe)('the page of operations in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'puente-browser-'));
  let chromium: Chromium;
  let gateway: RunningGateway;
  let tabs: Tab[] = [];

  beforeAll(async () => {
    chromium = await Chromium.start(command ?? '');
  }, 300_000);
  afterAll(async () => {
    await chromium.stop();
    rmSync(folder, { recursive: true });
  });
  afterEach(async () => {
    for (const { requests, complaints } of tabs) {
      expect(requests.filter((url) => !url.startsWith(gateway.url) && url !== 'about:blank')).toEqual([]);
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
    return tab;
  }

  /** With the keyboard alone. */
  async function find(tab: Tab, words: string): Promise<void> {
    await tab.press('Escape', '/');
    await tab.type(words);
    await tab.press('Enter');
  }

  async function send(tab: Tab, operation: string): Promise<string> {
    await tab.tabTo(`#${operation} .primary`);
    await tab.press('Enter');
    return await readAnswer(tab, operation);
  }

  async function readAnswer(tab: Tab, operation: string): Promise<string> {
    await tab.waitFor(`document.querySelector('#${operation} .live .bar')`);
    return String(await tab.evaluate(`document.querySelector('#${operation} .live').innerText`));
  }

  const isFocused = (tab: Tab, selector: string) =>
    tab.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`);
  const read = (tab: Tab, selector: string) =>
    tab.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`);

  test('takes a newcomer with a keyboard from the token to an appointment that is booked and canceled', async () => {
    const tab = await open('/docs');
    await find(tab, 'get patient');
    expect(await tab.evaluate('location.hash')).toBe('#getPatient');
    expect(await send(tab, 'getPatient')).toMatch(/^401 Unauthorized.*No token was sent/s);

    await tab.tabTo('#getPatient .live [data-to-token]');
    await tab.press('Enter');
    expect(await isFocused(tab, '#token')).toBe(true);
    await tab.type(gateway.token);
    await tab.press('/');
    await tab.type('getPatient');
    await tab.press('Enter');
    expect(await tab.evaluate(`document.querySelector('#token').value`)).toBe(gateway.token);
    await tab.evaluate(`document.querySelector('#getPatient .live').replaceChildren()`);
    expect(await send(tab, 'getPatient')).toMatch(/^200 OK.*"last_name": "Ferreyra"/s);

    await find(tab, 'available slots');
    const slots = await send(tab, 'searchAvailableAppointments');
    await tab.tabTo('#searchAvailableAppointments .next a:nth-of-type(3)');
    await tab.press('Enter');
    const dates = [...slots.matchAll(/"date": "([^"]+)"/g)].map(([, date = '']) => date);
    const days = [...new Set(dates.map((date) => date.slice(0, 10)))];
    const first = dates.find((date) => date.startsWith(days[2] ?? ''));
    expect(await tab.evaluate(`document.querySelector('#bookAppointment-body-date').value`)).toBe(first);
    const booked = await send(tab, 'bookAppointment');
    expect(await read(tab, '#bookAppointment .sent pre')).toContain(first);
    expect(booked).toMatch(/^201 Created.*Location.*\/patients\/ana\/appointments\//s);
    const live = `document.querySelector('#bookAppointment .live')`;
    await tab.evaluate(`window.canceling = ${live}.querySelector('.next a[href="#cancelAppointment"]')`);
    await tab.evaluate(`${live}.querySelector('.next a[href="#listAppointments"]').click()`);
    expect(await tab.evaluate(`document.querySelector('#listAppointments-path-id').value`)).toBe('ana');
    await tab.evaluate(`${live}.querySelector('.again button').click(); ${live}.replaceChildren()`);
    expect(await readAnswer(tab, 'bookAppointment')).toMatch(/^201 Created.*Idempotency-Replayed\s+true/s);
    await tab.evaluate(`${live}.replaceChildren()`);
    await find(tab, 'book appointment');
    const refused = /^409 Slot taken.*Search the available slots again.*Go on with it: Search the available slots/s;
    expect(await send(tab, 'bookAppointment')).toMatch(refused);
    await tab.evaluate(`${live}.querySelector('.next a').click()`);
    expect(await tab.evaluate('location.hash')).toBe('#searchAvailableAppointments');

    await tab.evaluate('canceling.click()');
    const id = await tab.evaluate(`document.querySelector('#cancelAppointment-path-appointment_id').value`);
    expect(booked).toContain(`/patients/ana/appointments/${id}\n`);
    expect(await send(tab, 'cancelAppointment')).toMatch(/^200 OK/s);
  });

  test('offers to send a write again with its key when no answer came, and another token when one was refused', async () => {
    const tab = await open('/docs#bookAppointment');
    await tab.evaluate(`document.querySelector('#token').focus()`);
    await tab.type('a-token-of-yesterday');
    await find(tab, 'book appointment');
    const live = `document.querySelector('#bookAppointment .live')`;
    expect(await send(tab, 'bookAppointment')).toMatch(
      /^401 Unauthorized.*another token after each start.*Paste a token/s,
    );
    expect(await tab.evaluate(`${live}.querySelector('.again')`)).toBe(null);
    await tab.evaluate(`document.querySelector('#token').select()`);
    await tab.type(gateway.token);
    await find(tab, 'book appointment');
    await tab.evaluate(`window.realFetch = fetch; window.fetch = () => Promise.reject(new TypeError('lost'));
      ${live}.replaceChildren()`);
    expect(await send(tab, 'bookAppointment')).toMatch(/^No answer.*lost.*Send again with the same key/s);
    await tab.evaluate(
      `window.fetch = realFetch; ${live}.querySelector('.again button').click(); ${live}.replaceChildren()`,
    );
    expect(await readAnswer(tab, 'bookAppointment')).toMatch(/^201 Created/s);
  });

  test('finds operations by words, and goes through what it found with the arrows', async () => {
    const tab = await open('/docs');
    await tab.press('/');
    await tab.type('insurance carr');
    expect(await read(tab, '#found')).toMatch(/^[2-9] operations$/);
    await tab.press('ArrowDown', 'ArrowDown', 'ArrowUp');
    expect(await isFocused(tab, '#menu a[href="#listCarriers"]')).toBe(true);
    await tab.press('ArrowUp');
    expect(await isFocused(tab, '#search')).toBe(true);
    await tab.press('Escape');
    expect(await read(tab, '#found')).toBe('');
    await tab.type('no such thing');
    expect(await read(tab, '#found')).toMatch(/^No operation has all these words/);
    await tab.press('Escape');
    await tab.type('booking horizon');
    expect(await read(tab, '#found')).toBe('2 operations');
    await tab.press('Escape');
    await tab.type('reserve a turno');
    await tab.press('Enter');
    expect(await tab.evaluate('location.hash')).toBe('#bookAppointment');
  });

  test('says at the field what is wrong with it, and explains the problem where one is', async () => {
    const tab = await open('/docs#registerPatient');
    await tab.evaluate(`document.querySelector('#token').focus()`);
    await tab.type(gateway.token);
    await tab.evaluate(`document.querySelector('#registerPatient-body-birth_date').select()`);
    await tab.type('1992/13/44');
    await tab.press('Enter');
    expect(await readAnswer(tab, 'registerPatient')).toMatch(/^422 Validation failed.*body \/birth_date/s);
    expect(await tab.evaluate(`document.querySelector('#registerPatient-body-birth_date').ariaInvalid`)).toBe('true');
    const described = `document.querySelector('#registerPatient-body-birth_date').getAttribute('aria-describedby')`;
    expect(
      await tab.evaluate(`${described}.split(' ').map((id) => document.getElementById(id).textContent).join(' | ')`),
    ).toBe('A date, YYYY/MM/DD; YYYY-MM-DD is accepted too. | must be a date that exists');
    await tab.evaluate(`document.querySelector('#registerPatient .live a.problem').click()`);
    expect(await read(tab, '#explanation[open] h3')).toBe('422 Validation failed');
    await tab.press('Escape');
    expect(await tab.evaluate(`document.querySelector('#explanation').open`)).toBe(false);
  });

  test('shows the request as the form says it, in the language that was chosen', async () => {
    const tab = await open('/docs#updatePatient');
    await tab.waitFor(`document.querySelector('#updatePatient [data-snippet=curl] span')`);
    expect(await read(tab, '#updatePatient [data-snippet=curl]')).toContain(`"${gateway.url}/patients/ana"`);
    await tab.evaluate(`document.querySelector('#updatePatient-body-phone').select()`);
    await tab.type('555');
    await tab.evaluate(`document.querySelector('#updatePatient-body-address-city').focus()`);
    await tab.type('Córdoba');
    expect(await read(tab, '#updatePatient [data-snippet=python]')).toMatch(/"phone": "555".*"city": "Córdoba"/s);
    const json = `document.querySelector('#updatePatient textarea')`;
    expect(JSON.parse(String(await tab.evaluate(`${json}.value`)))).toMatchObject({ address: { city: 'Córdoba' } });
    await tab.evaluate(`${json}.closest('details').open = true; ${json}.select()`);
    await tab.type('{ "email": "x@example.org" }');
    expect(await tab.evaluate(`document.querySelector('#updatePatient-body-phone').value`)).toBe('');
    await tab.evaluate(`document.querySelector('#updatePatient [data-language=typescript]').click()`);
    await tab.go(`${gateway.url}/problems`);
    await tab.go(`${gateway.url}/docs#getPatient`);
    await tab.waitFor(`document.documentElement.dataset.language === 'typescript'`);
    const shown = `getComputedStyle(document.querySelector('#getPatient [data-snippet=curl]')).display`;
    expect(await tab.evaluate(shown)).toBe('none');
  });

  test('sends a file as base64', async () => {
    const file = join(folder, 'orden.txt');
    writeFileSync(file, 'Una orden.');
    const tab = await open('/docs#openTicket');
    await tab.evaluate(`document.querySelector('#token').focus()`);
    await tab.type(gateway.token);
    const field = `document.querySelector('#openTicket-path-ticket_type_id')`;
    await tab.evaluate(`${field}.select()`);
    await tab.type('autorizacion');
    for (let i = 0; i < 2; i++) await tab.evaluate(`document.querySelector('#openTicket [data-remove]').click()`);
    await tab.evaluate(
      `document.querySelector('#openTicket [data-object] [data-object] [data-name=id] input').select()`,
    );
    await tab.type('orden');
    await tab.chooseFile('#openTicket [type=file]', file);
    const snippet = `document.querySelector('#openTicket [data-snippet=curl]').textContent`;
    await tab.waitFor(`${snippet}.includes('<orden.txt in base64>')`);
    await tab.evaluate(`document.querySelector('#openTicket form').requestSubmit()`);
    expect(await readAnswer(tab, 'openTicket')).toMatch(/^201 Created/);
    const headers = { Authorization: `Bearer ${gateway.token}` };
    const tickets = await (
      await fetch(`${gateway.url}/patients/ana/ticket/?ticket_type_id=autorizacion`, { headers })
    ).text();
    expect(tickets).toContain(`"value":"${Buffer.from('Una orden.').toString('base64')}"`);
  });

  test('keeps the token for its tab alone, and the theme for all', async () => {
    const tab = await open('/docs');
    await tab.evaluate(`document.querySelector('#token').focus()`);
    await tab.type('Bearer secret');
    await tab.evaluate(`document.querySelector('#theme').click()`);
    await tab.go(`${gateway.url}/problems`);
    expect(await tab.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await tab.go(`${gateway.url}/docs`);
    expect(await tab.evaluate(`document.querySelector('#token').value`)).toBe('secret');
    expect(await tab.evaluate('JSON.stringify(localStorage)')).not.toContain('secret');
    const other = await chromium.openTab(desk);
    tabs.push(other);
    await other.go(`${gateway.url}/docs`);
    expect(await other.evaluate(`document.querySelector('#token').value`)).toBe('');
  });

  test('fits a telephone, and hides its menu there', async () => {
    const tab = await open('/docs', telephone);
    for (const path of ['/', '/problems', '/docs']) {
      await tab.go(gateway.url + path);
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(390);
      expect(await tab.evaluate(`document.querySelector('header').getBoundingClientRect().width`)).toBe(390);
    }
    const visibility = `getComputedStyle(document.querySelector('#menu')).visibility`;
    expect(await tab.evaluate(visibility)).toBe('hidden');
    await tab.evaluate(`document.querySelector('#menu-button').click()`);
    expect(await tab.evaluate(visibility)).toBe('visible');
    expect(await tab.evaluate(`document.querySelector('.search').getBoundingClientRect().top > 80`)).toBe(true);
    await tab.press('Escape');
    expect([await tab.evaluate(visibility), await isFocused(tab, '#menu-button')]).toEqual(['hidden', true]);
  });

  test('is whole below a base path', async () => {
    const tab = await open('/docs#listLocations', desk, { PUENTE_HTTP_BASE_PATH: '/puente' });
    await tab.evaluate(`document.querySelector('#token').focus()`);
    await tab.type(gateway.token);
    await tab.evaluate(`document.querySelector('#listLocations form').requestSubmit()`);
    expect(await readAnswer(tab, 'listLocations')).toMatch(/^200 OK/);
  });

  test('can be read without scripts', async () => {
    const tab = await open('/docs', { ...desk, scripts: false });
    const shown = (selector: string) =>
      tab.evaluate(`document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().height > 0`);
    await tab.send('Emulation.setScriptExecutionDisabled', { value: false });
    for (const selector of [
      '#getPatient [data-snippet=python]',
      '#getPatient .example',
      '#menu a[href="#getPatient"]',
    ]) {
      expect(await shown(selector)).toBe(true);
    }
    for (const selector of ['#token', '#getPatient .primary', '#getPatient-path-id', '#search']) {
      expect(await shown(selector)).toBe(false);
    }
  });
});
