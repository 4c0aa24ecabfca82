import { exec, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { startGateway } from './support/gateway.ts';

const readme = readFileSync('README.md', 'utf8');
const gateway = await startGateway();
afterAll(() => gateway.stop());

const missing = ['sh', 'curl'].find((program) => spawnSync(program, ['--version']).error);
const unless = missing === undefined ? '' : ` (skipped: there is no ${missing} here)`;
(missing === undefined ? test : test.skip)(
  `the README books an appointment and cancels it with its curl lines${unless}`,
  async () => {
    const blocks = readme.split('```').filter((_, i) => i % 2 === 1);
    const commands = blocks.find((text) => text.includes('DATE=')) ?? '';
    const cancel = blocks.find((text) => text.includes('canceled')) ?? '';
    const book = commands.slice(commands.indexOf('curl -si'), commands.lastIndexOf('curl -s'));
    const env = { ...process.env, TOKEN: gateway.token, PUENTE_URL: gateway.url };
    const { stdout } = await promisify(exec)(`${commands}\n${book}`, { env });
    const [first, second, ...further] = stdout.split(/(?=HTTP\/1)/);
    const [, id] =
      /^HTTP\/1.1 201 Created\r\n.*^Location: \/patients\/ana\/appointments\/(\S+)\r\n/ms.exec(first ?? '') ?? [];
    expect(first).toContain(`"id":"${id}"`);
    expect(second).toContain('Idempotency-Replayed: true');
    const { stdout: canceled } = await promisify(exec)(cancel.replace('/...', `/${id}`), { env });
    expect(canceled).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(further).toEqual([]);
  },
);
