import { readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { startPreview } from '../../../../adapters/mapping/commands/preview.ts';
import { makeDatabase, makeWeeklyClinic, writeMapping } from '../../../support/mapped-clinic.ts';
import { openHospital } from '../../../support/mapped-hospital.ts';
import { locateFile } from '../../../support/mapping-tools.ts';
import { send } from '../../../support/raw-request.ts';

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

let base = '';
let printed = '';
async function start(file: string, showValues?: boolean): Promise<void> {
  printed = '';
  server = await startPreview(locateFile(file), { showValues }, (text) => {
    printed += text;
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const read = async (path: string): Promise<string> => (await send(base, 'GET', path, {})).text;
const give = (question: string, form: string, headers: Readonly<Record<string, string>> = { origin: base }) =>
  send(base, 'POST', `/${question.replace('.', '/')}`, headers, form);

/** What the page has of one question. */
async function show(question: string): Promise<string> {
  const html = await read(`/${question.split('.')[0]}`);
  const [, section = ''] = html.split(`<section id="${question}"`);
  return section.split('</section>')[0] ?? '';
}

describe('puente mapping preview', () => {
  test('listens on the loopback address alone, and says where', async () => {
    await start(writeMapping(makeDatabase()));
    expect(server.address()).toMatchObject({ address: '127.0.0.1' });
    expect(printed).toMatch(/^\S+\.yaml at http:\/\/127\.0\.0\.1:\d+\/ until Control-C\n$/);
  });

  test.each(['abc', '99999', 'taken'])(
    'names the port %s, on which it cannot listen, and what to do',
    async (given) => {
      const file = writeMapping(makeDatabase());
      await start(file);
      const port = given === 'taken' ? `${(server.address() as AddressInfo).port}` : given;
      await expect(startPreview(locateFile(file), { port }, () => undefined)).rejects.toThrow(
        new RegExp(
          `^--port: ${port} cannot be listened on \\((ERR_SOCKET_BAD_PORT|EADDRINUSE)\\): choose another port`,
        ),
      );
    },
  );

  test('shows at once what needs to be given nothing: sent, answered, read, without values of people', async () => {
    await start(writeMapping(makeDatabase()));
    const section = await show('practitioners.all');
    expect(section).toMatch(/<h3>Sent<\/h3><pre[^>]*>SELECT[\s\S]*<h3>Answer<\/h3><pre[^>]*>\[\{&quot;matricula/);
    expect(section).toMatch(/<h3>Record<\/h3><pre[^>]*>- id: [\s\S]*name: X/);
    expect(await read('/')).toContain('<h1>patients</h1>');
  });

  test('asks for one patient by its form, and hides the values unless they are to be shown', async () => {
    await start(writeMapping(makeDatabase()));
    expect(await show('patients.byId')).toContain('Not asked yet');
    const { status, headers } = await give('patients.byId', 'id=1001');
    expect([status, headers.location]).toEqual([303, '/patients#patients.byId']);
    const section = await show('patients.byId');
    expect(section).toMatch(/WHERE p\.id_paciente .*\[1001\]/);
    expect(section).toContain('lastName: Xxxxxxxx');
    expect(section).not.toMatch(/Ferreyra|1985|31465466|ana@/);
    server.close();
    await start(writeMapping(makeDatabase()), true);
    await give('patients.byId', 'id=1001');
    expect(await show('patients.byId')).toContain('lastName: Ferreyra');
  });

  test('marks what does not fit with the sentence of check, and follows the file as it is saved', async () => {
    const file = writeMapping(makeDatabase());
    await start(file);
    await give('patients.byId', 'id=1001');
    const before = await read('/version');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('format: dd/MM/yyyy', 'format: yyyy/MM/dd'));
    expect(await read('/version')).not.toBe(before);
    expect(await show('patients.byId')).toContain(
      '<p class="wrong">✖ does not fit: birthDate of 0000; expected a day, written yyyy/MM/dd</p>',
    );
    writeFileSync(file, text.replace('patients:', 'patientes:'));
    expect(await read('/patients')).toMatch(/<p class="wrong">✖ \S+:\d+:\d+ patientes: /);
    writeFileSync(file, text);
    expect(await show('patients.byId')).not.toContain('wrong');
  });

  test('answers 404 for a thing without a question in the file', async () => {
    await start(makeWeeklyClinic().file);
    const { status, text } = await send(base, 'GET', '/slots', {});
    expect(status).toBe(404);
    expect(text).toContain('<p class="wrong">✖ the file asks no question about slots</p>');
    expect(text).not.toContain('patients.byId');
  });

  test('says what a change would send, and makes none', async () => {
    await start(writeMapping(makeDatabase()), true);
    await give('patients.update', 'id=1001&phone=4444-4444');
    const section = await show('patients.update');
    expect(section).toMatch(/<h3>Would send<\/h3><pre[^>]*>UPDATE/);
    await give('patients.byId', 'id=1001');
    expect(await show('patients.byId')).toContain('phone: 011 15 5555-0101');
  });

  test('shows the status and the code of an answer over HTTP', async () => {
    const { file } = await openHospital((text) => text.replace('4: nothing', '444: nothing'));
    await start(file);
    await give('patients.byId', 'id=9999');
    expect(await show('patients.byId')).toContain('<p>200, code 4</p>');
  });

  test('is asked by its own page alone', async () => {
    await start(writeMapping(makeDatabase()));
    expect((await give('patients.byId', 'id=1001', { origin: 'http://attacker.example' })).status).toBe(403);
    expect((await send(base, 'GET', '/patients', { host: 'attacker.example' })).status).toBe(421);
    expect((await send(base, 'PUT', '/patients', { origin: base })).status).toBe(405);
    expect(await show('patients.byId')).toContain('Not asked yet');
  });
});
