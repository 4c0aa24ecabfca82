import { exec, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { startGateway } from './support/gateway.ts';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const gateway = await startGateway();
afterAll(() => gateway.stop());

describe('the README', () => {
  test.each(['npm ci && npm start', 'npm ci && npm test'])('says %s', (words) => expect(readme).toContain(words));

  test('names only files that are there', () => {
    const links = [...readme.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)].map((match) => match[1] ?? '');
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  });

  test('shows the answer that its curl line gets', async () => {
    const path = /curl .*http:\/\/127\.0\.0\.1:8080(\S+)/.exec(readme)?.[1];
    const shown: unknown = JSON.parse(/```json\n(.*?)```/s.exec(readme)?.[1] ?? '');
    const answer = await fetch(`${gateway.url}${path}`, { headers: { Authorization: `Bearer ${gateway.token}` } });
    expect(await answer.json()).toEqual(shown);
  });

  const missing = ['sh', 'curl'].find((program) => spawnSync(program, ['--version']).error);
  const unless = missing === undefined ? '' : ` (skipped: there is no ${missing} here)`;
  (missing === undefined ? test : test.skip)(`books an appointment with its curl lines${unless}`, async () => {
    const block = readme.split('```').find((text, i) => i % 2 === 1 && text.includes('DATE='));
    const [search, book, ...further] = (block ?? '')
      .replaceAll('http://127.0.0.1:8080', gateway.url)
      .split(/^DATE=.*\n/m);
    expect(further).toEqual([]);
    const free = JSON.parse(await runInShell(search)) as { appointments: { date: string }[] };
    const booked = free.appointments.at(-1)?.date;
    const first = await runInShell(book, booked);
    expect(first).toMatch(/^HTTP\/1.1 201 Created\r\n.*^Location: \/patients\/ana\/appointments\/\S+\r\n/ms);
    expect(first).toContain(`"date":"${booked}"`);
    expect(await runInShell(book, booked)).toContain('Idempotency-Replayed: true');
  });
});

const runInShell = async (command = '', date = ''): Promise<string> =>
  (await promisify(exec)(command, { env: { ...process.env, TOKEN: gateway.token, DATE: date } })).stdout;
