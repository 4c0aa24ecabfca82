import { exec, execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectDayOfWork } from '../../support/day-of-work.ts';
import { startGateway } from '../../support/gateway.ts';

const run = promisify(execFile);
const gateway = await startGateway();
afterAll(() => gateway.stop());

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

/** A clone of which only the examples matter. */
const clone = mkdtempSync(join(tmpdir(), 'puente-client-'));
const folder = join(clone, 'examples/client');
mkdirSync(folder, { recursive: true });
symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
writeFileSync(join(clone, 'package.json'), JSON.stringify({ type: 'module' }));
for (const file of ['day.ts', 'day.py']) copyFileSync(join('examples/client', file), join(folder, file));
afterAll(() => rmSync(clone, { recursive: true }));

/** The commands in the header of an example, as printed but for the address. */
function findCommands(file: string): readonly string[] {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  const commands = lines.flatMap((line) => /^(?: \*)? {4,5}((?:npx|python3) .*)$/.exec(line)?.[1] ?? []);
  return commands.map((command) => command.replace('http://127.0.0.1:8080', gateway.url));
}

/** What the command prints that the shell of this system runs in the clone. */
const runInClone = async (command = '', token = gateway.token): Promise<string> => {
  const env = { ...process.env, PUENTE_URL: gateway.url, TOKEN: token };
  return (await promisify(exec)(command, { cwd: clone, env })).stdout;
};

describe('a client whose types are generated from /openapi.json', () => {
  const [generate, work, ...further] = findCommands('day.ts');
  let complaints: string[];

  beforeAll(async () => {
    await runInClone(generate);
    Object.values(wrongUses).forEach(([code], i) => {
      writeFileSync(join(folder, `wrong-${i}.ts`), `${head}${code}\n`);
    });
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: resolve('tsconfig.json'), compilerOptions: { types: ['node'] }, include: ['*.ts'] }),
    );
    complaints = await compile(folder);
  });

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

  test('registers, finds, books, cancels, files and edits by the commands in its header', async () => {
    expectDayOfWork(await runInClone(work));
    expect(further).toEqual([]);
  });

  test('ends with the code of the problem when the token is wrong', async () => {
    await expect(runInClone(work, 'wrong')).rejects.toThrow('unauthenticated');
  });
});

describe('a client in Python', () => {
  const reason = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status;
  const run = reason === 0 ? test : test.skip;
  const unless = reason === 0 ? '' : ' (skipped: there is no python3 of version 3.9 or later here)';
  const [work, ...further] = findCommands('day.py');

  run(`registers, finds, books, cancels, files and edits by the command in its header${unless}`, async () => {
    expectDayOfWork(await runInClone(work));
    expect(further).toEqual([]);
  });

  run(`ends with the code of the problem when the token is wrong${unless}`, async () => {
    await expect(runInClone(work, 'wrong')).rejects.toThrow('unauthenticated');
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
