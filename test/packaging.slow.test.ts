import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';

const dockerfile = readFileSync('Dockerfile', 'utf8');

describe('the health check of the image', () => {
  test.each([
    ['the port that PUENTE_HTTP_PORT names', (port: string) => ({ PUENTE_HTTP_PORT: port })],
    ['the port that PUENTE_PORT names', (port: string) => ({ PUENTE_PORT: port })],
    ['the base path', (port: string) => ({ PUENTE_PORT: '', PUENTE_HTTP_PORT: port, PUENTE_HTTP_BASE_PATH: '/api' })],
  ])('asks at %s', async (_, configure) => {
    const asked: (string | undefined)[] = [];
    const server = createServer((req, res) => res.end(void asked.push(req.url)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const env: Record<string, string> = configure(String((server.address() as AddressInfo).port));
    const [, script = ''] = /HEALTHCHECK .*\n *CMD (\[.*\])/.exec(dockerfile) ?? [];
    const [, ...args] = JSON.parse(script) as string[];
    await promisify(execFile)(process.execPath, args, { env });
    server.close();
    expect(asked).toEqual([`${env.PUENTE_HTTP_BASE_PATH ?? ''}/livez`]);
  });
});

test('the bill of materials has what is in production, and nothing of development', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], { maxBuffer: 64 << 20 });
  const { bomFormat, components } = JSON.parse(stdout) as { bomFormat: string; components: { name: string }[] };
  const names = components.map(({ name }) => name);
  expect(bomFormat).toBe('CycloneDX');
  expect(names).toEqual(expect.arrayContaining(['express', 'pg']));
  expect(names).not.toContain('jest');
});
