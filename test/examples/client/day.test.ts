import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import openapiTS, { astToString } from 'openapi-typescript';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';

const run = promisify(execFile);

/** Uses of the client that the types must refuse, with what the compiler says about each. */
const wrongUses = {
  'a path that does not exist': [`await client.GET('/patient/{id}', { params: { path: { id: 'ana' } } });`, 'TS2345'],
  'a method that the path does not take': [`await client.DELETE('/patients/search', {});`, 'TS2345'],
  'a path parameter that is missing': [`await client.GET('/patients/{id}');`, 'TS2554'],
  'a query parameter that is missing': [`await client.GET('/available-appointments/search', {});`, 'TS2345'],
  'a gender that does not exist': [
    `await client.GET('/patients/search', { params: { query: { gender: 'male' } } });`,
    'TS2820',
  ],
  'a body with a field of another type': [
    `await client.PUT('/patients/{id}', { params: { path: { id: 'ana' } }, body: { birth_date: 19851130 } });`,
    'TS2322',
  ],
  'a body without a required field': [
    `await client.POST('/v1/coverages', { body: { credentialNumber: '60-1', beneficiaryId: 'ana' } });`,
    'TS2322',
  ],
  'a field that an answer does not have': [
    `(await client.GET('/patients/{id}', { params: { path: { id: 'ana' } } })).data?.surname;`,
    'TS2339',
  ],
  'an answer taken for granted': [
    `(await client.GET('/patients/{id}', { params: { path: { id: 'ana' } } })).data.name;`,
    'TS2532',
  ],
  'a problem that does not exist': [`(await client.GET('/ticket_types')).error?.code === 'oops';`, 'TS2367'],
} as const;

const head = `import createClient from 'openapi-fetch';
import type { paths } from './puente.d.ts';
const client = createClient<paths>({ baseUrl: '' });
`;

describe('a client whose types are generated from openapi.json', () => {
  const folder = mkdtempSync(join(tmpdir(), 'puente-client-'));
  let complaints: string[];

  beforeAll(async () => {
    const document: unknown = JSON.parse(readFileSync('openapi.json', 'utf8'));
    const types = await openapiTS(JSON.stringify(document));
    writeFileSync(join(folder, 'puente.d.ts'), astToString(types));
    copyFileSync('examples/client/day.ts', join(folder, 'day.ts'));
    Object.values(wrongUses).forEach(([code], i) => {
      writeFileSync(join(folder, `wrong-${i}.ts`), `${head}${code}\n`);
    });
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: resolve('tsconfig.json'), compilerOptions: { types: ['node'] }, include: ['*.ts'] }),
    );
    complaints = await compile(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('compiles a day’s work under the strictest settings', () => {
    expect(complaints.filter((line) => !line.startsWith('wrong-'))).toEqual([]);
  });

  test.each(Object.entries(wrongUses).map(([what, [, code]], i) => [what, i, code] as const))(
    'does not compile %s',
    (_what, i, code) => {
      const own = complaints.filter((line) => line.startsWith(`wrong-${i}.ts(4,`));
      expect(own.join('\n')).toContain(code);
    },
  );
});

describe('a day’s work of a platform', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());

  test('finds, books, cancels, files and edits over HTTP', async () => {
    const { stdout } = await run(process.execPath, ['examples/client/day.ts'], {
      env: { ...process.env, BASE_URL: gateway.url, TOKEN: gateway.token },
    });
    expect(stdout.trim().split('\n')).toEqual([
      'found Ana Ferreyra, born 1985-11-30',
      expect.stringMatching(/^\d+ services, among them ./),
      expect.stringMatching(/^booked \d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}: 201$/),
      'booked once more: 409 slot_taken',
      'it is active',
      'it is canceled',
      expect.stringMatching(/^opened a ticket, 201: \w+$/),
      'coverage ana-osde updated',
    ]);
  });

  test('ends with the code of the problem when the token is wrong', async () => {
    const env = { ...process.env, BASE_URL: gateway.url, TOKEN: 'wrong' };
    await expect(run(process.execPath, ['examples/client/day.ts'], { env })).rejects.toThrow('unauthenticated');
  });
});

/** What the compiler has to say about the project in the folder, a line each. */
async function compile(folder: string): Promise<string[]> {
  const tsc = resolve('node_modules/@typescript/native/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder }).catch(
    (failed: { stdout: string }) => failed,
  );
  return stdout.split('\n').filter((line) => /^\S/.test(line));
}
