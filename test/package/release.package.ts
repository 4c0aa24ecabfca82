import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { runPuente } from '../support/process.ts';

const root = join(import.meta.dirname, '../..');
const execute = promisify(execFile);
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
const project = mkdtempSync(join(tmpdir(), 'puente-named-'));
const folder = join(project, 'node_modules/@hospital/puente');
afterAll(() => rmSync(project, { recursive: true }));

const release = (...args: string[]) =>
  execute(process.execPath, ['test/package/release.ts', ...args], { cwd: root, env }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stderr }: { readonly code: number; readonly stderr: string }) => ({ code, said: stderr }),
  );

describe('npm run release', () => {
  test('makes a package of another name that npm would publish, and sends nothing', async () => {
    mkdirSync(dirname(folder), { recursive: true });
    const { code, said } = await release('--name', '@hospital/puente', '--folder', folder);
    expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('can be published') });
    expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).toMatchObject({
      name: 'puente',
      private: true,
    });
  }, 300_000);

  test('makes a package whose adapters and commands have that name', async () => {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(
      join(project, 'package.json'),
      JSON.stringify({ type: 'module', dependencies: { '@hospital/puente': '*' } }),
    );
    const asks = "import('@hospital/puente/adapter').then(({ adapter }) => console.log(typeof adapter))";
    expect((await execute(process.execPath, ['-e', asks], { cwd: project })).stdout).toBe('function\n');
    const his = join(project, 'his-adapter');
    const program = join(folder, 'dist/src/cli/index.js');
    const made = await runPuente(['adapter', 'new', 'his', '--folder', his, '--puente', '1.2.3'], {}, { program });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const manifest = JSON.parse(readFileSync(join(his, 'package.json'), 'utf8'));
    expect(manifest.devDependencies).toMatchObject({ '@hospital/puente': '1.2.3' });
    expect(manifest.devDependencies.puente).toBeUndefined();
    expect(readFileSync(join(his, 'src/index.ts'), 'utf8')).toContain("from '@hospital/puente/adapter'");
  }, 60_000);

  test('refuses what is no name of a package, and a folder that is not empty', async () => {
    expect(await release('--name', 'Not A Name')).toMatchObject({ code: 64, said: expect.stringMatching(/^--name: /) });
    expect(await release('--name', 'named', '--folder', project)).toMatchObject({
      code: 64,
      said: expect.stringContaining('it is not empty'),
    });
  }, 30_000);
});
