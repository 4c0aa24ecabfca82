import { readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { startPreview } from '../../adapters/mapping/commands/preview.ts';
import { makeDatabase, writeMapping } from '../support/mapped-clinic.ts';
import { locateFile } from '../support/mapping-tools.ts';
import { Chromium, findChromium, listViolations, type Screen, type Tab } from './chromium.ts';

const command = findChromium();
if (command === undefined) {
  process.stdout.write('skipped: no Chromium in the path; CHROMIUM names one elsewhere\n');
}

const desk: Screen = { width: 1280, height: 900 };
const telephone: Screen = { width: 360, height: 740, mobile: true, dark: true };
const says = (words: RegExp) => `${words}.test(document.querySelector('main').innerText)`;

(command === undefined ? describe.skip : describe)('the preview of a mapping file in a browser', () => {
  let chromium: Chromium;
  let server: Server;
  let tab: Tab;
  let file: string;

  beforeAll(async () => {
    chromium = await Chromium.start(command ?? '');
  }, 300_000);
  afterAll(() => chromium.stop());
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function open(path: string, screen: Screen = desk): Promise<string> {
    file = writeMapping(makeDatabase());
    server = await startPreview(locateFile(file), {}, () => undefined);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    tab = await chromium.openTab(screen);
    await tab.go(url + path);
    return url;
  }

  test('asks for a patient by a form, and turns red when the file is saved with a fault', async () => {
    const url = await open('/patients');
    await tab.click(`document.querySelector('[id="patients.byId"] input')`);
    await tab.type('1001');
    await tab.press('Enter');
    // While the page changes, nobody answers.
    const shows = (words: RegExp) => tab.evaluate(says(words)).catch(() => false);
    for (let tries = 0; !(await shows(/lastName: Xxxxxxxx/)) && tries < 100; tries++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('format: dd/MM/yyyy', 'format: yyyy/MM/dd'));
    await tab.waitFor(says(/✖ does not fit: birthDate of 0000; expected a day, written yyyy\/MM\/dd/));
    writeFileSync(file, text);
    await tab.waitFor(says(/birthDate: 0000-00-00/));
    expect(tab.requests.filter((each) => !each.startsWith(url) && !/^(about|data):/.test(each))).toEqual([]);
    expect(tab.complaints).toEqual([]);
  }, 60_000);

  test.each([desk, telephone])(
    'is no wider than a screen of %o, and has nothing that axe complains about',
    async (screen) => {
      await open('/practitioners', screen);
      await tab.waitFor(says(/name: X/));
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(screen.width);
      expect(await listViolations(tab)).toEqual([]);
    },
    60_000,
  );
});
