import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { PuenteProcess } from './process.ts';

const folder = mkdtempSync(join(tmpdir(), 'puente-process-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program that answers like this, and returns what its end is refused with. */
async function runProgram(status: number, type: string, body: object): Promise<unknown> {
  const program = join(folder, 'gateway.mjs');
  writeFileSync(
    program,
    `import { createServer } from 'node:http';
    const server = createServer((req, res) => {
      res.writeHead(${status}, { 'Content-Type': '${type}' });
      res.end(${JSON.stringify(JSON.stringify(body))});
    }).listen(0, '127.0.0.1', () => console.log('port ' + server.address().port + ' '));`,
  );
  const running = new PuenteProcess([], {}, { program });
  await running.waitForOutput('port');
  await fetch(`http://127.0.0.1:${/\d+/.exec(running.stdout)}/patients/7`);
  running.signal('SIGTERM');
  return running.ended.then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

describe('a gateway in a process of its own', () => {
  const problem = { type: 'about:blank', title: 'x', status: 404, code: 'patient_not_found', instance: 'urn:x:1' };

  test('fails its test when an answer is not as published', async () => {
    expect(await runProgram(200, 'application/json', { id: 7 })).toContain('not as published');
    expect(await runProgram(418, 'application/json', {})).toContain('does not publish the status 418');
  });

  test('fails its test when a problem names a patient', async () => {
    expect(await runProgram(404, 'application/problem+json', { ...problem, title: 'no Ferreyra' })).toContain(
      'gave away',
    );
  });
});
