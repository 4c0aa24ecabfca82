import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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
    const path = /curl .*\$PUENTE_URL(\S+)/.exec(readme)?.[1];
    const shown: unknown = JSON.parse(/```json\n(.*?)```/s.exec(readme)?.[1] ?? '');
    const answer = await fetch(`${gateway.url}${path}`, { headers: { Authorization: `Bearer ${gateway.token}` } });
    expect(await answer.json()).toEqual(shown);
  });
});
