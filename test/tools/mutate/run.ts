/**
 * `npm run mutate` changes the code in small ways, one at a time and in a copy, and lists the changes that no test notices.
 *   src adapters/x    folders or files to draw from (src and adapters)
 *   --changed REF     only from the files that differ from this commit
 *   --seed N          draws other mutants (1)
 *   --count N         how many (20)
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { applyChange, describeMutant, draw, listMutants, type Mutant } from './mutant.ts';

/** A mutant never ends if its tests take so many times as long as all quick tests without a mutant. */
const PATIENCE = 5;
/** The same for all tests. */
const LONG_PATIENCE = 40;

// That a name is used no more is no fault; and types of linked packages have no names to declare.
const leftOut = ['--declaration', '--noUnusedLocals', '--noUnusedParameters'].flatMap((option) => [option, 'false']);
const compiler = ['node_modules/@typescript/native/bin/tsc', '--noEmit', '--tsBuildInfoFile', 'types.json', ...leftOut];
const jest = ['--experimental-vm-modules', '--no-compilation-cache', '--no-warnings', 'node_modules/jest/bin/jest.js'];
const quick = ['--config', 'jest.quick.config.js', '--bail'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'string' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '20' },
  },
});
const copy = mkdtempSync(join(tmpdir(), 'puente-mutate-'));
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const file of git('ls-files', '--cached', '--others', '--exclude-standard'))
  cpSync(file, join(copy, file), { recursive: true });
symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));

const began = performance.now();
if ((await fails(compiler)) || (await fails([...jest, ...quick])))
  throw new Error('something fails without any mutant');
const quickMs = performance.now() - began;
const mutants = draw(listMutants(findFiles()), Number(values.count), Number(values.seed));
const survivors: Mutant[] = [];
for (const [index, mutant] of mutants.entries()) {
  const killer = await findKiller(mutant);
  if (killer === undefined) survivors.push(mutant);
  print(`${index + 1}/${mutants.length} ${describeMutant(mutant)}\n    ${killer ?? 'no test notices it'}`);
}
print(`\n${survivors.length} of ${mutants.length} survived:`);
for (const mutant of survivors) print(describeMutant(mutant));
process.exitCode = survivors.length > 0 ? 1 : 0;

function git(...args: readonly string[]): string[] {
  const { stdout, stderr, status } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(stderr.trim());
  return stdout.split('\n').filter((file) => existsSync(file) && !file.startsWith('node_modules'));
}

function findFiles(): string[] {
  const named = positionals.length > 0 ? positionals.map((name) => name.replace(/\/+$/, '')) : ['src', 'adapters'];
  const all =
    values.changed === undefined
      ? globSync('{src,adapters}/**/*.ts')
      : git('diff', '--name-only', '--diff-filter=d', values.changed, '--', '*.ts');
  return all.filter((file) => named.some((name) => file === name || file.startsWith(`${name}/`))).toSorted();
}

/** What notices the mutant first: the compiler, the tests that are named after its file, the quick ones, or all. */
async function findKiller(mutant: Mutant): Promise<string | undefined> {
  const text = readFileSync(mutant.file, 'utf8');
  const named = `test/${mutant.file.replace(/^src\//, '').replace(/(\/index)?\.ts$/, '')}`;
  writeFileSync(join(copy, mutant.file), applyChange(text, mutant));
  try {
    const limitMs = PATIENCE * quickMs;
    if (await fails(compiler)) return 'the compiler';
    if (await fails([...jest, ...quick, '--passWithNoTests', named], limitMs)) return named;
    if (await fails([...jest, ...quick], limitMs)) return 'npm test';
    return (await fails([...jest, '--bail'], LONG_PATIENCE * quickMs)) ? 'npm run test:all' : undefined;
  } finally {
    writeFileSync(join(copy, mutant.file), text);
  }
}

/** Whether the command, run in the copy, exits with an error or never ends; nothing that it has started stays. */
async function fails(args: readonly string[], limitMs?: number): Promise<boolean> {
  const child = spawn(process.execPath, args, { cwd: copy, detached: true, stdio: 'ignore' });
  const stop = (): void => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'));
  const limit = limitMs === undefined ? undefined : setTimeout(stop, limitMs);
  const interrupt = (): void => {
    stop();
    process.exit(130);
  };
  process.once('SIGINT', interrupt);
  const [code]: readonly (number | null)[] = await once(child, 'exit');
  clearTimeout(limit);
  process.off('SIGINT', interrupt);
  return code !== 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
