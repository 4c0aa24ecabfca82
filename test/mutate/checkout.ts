import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files of the checkout that git knows or would know, as they are now. */
function listFiles(root: string): string[] {
  const { stdout, status } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error('the mutants are drawn from a checkout of git, and this is none');
  return stdout.split('\0').filter((file) => file !== '' && !file.startsWith('node_modules'));
}

/** Copies the checkout to a folder, where files may be changed. Its packages are linked one by one, not copied. */
export function copyCheckout(root: string, copy: string): void {
  rmSync(copy, { recursive: true, force: true });
  for (const file of listFiles(root)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    // A file that is deleted and not yet committed is still listed.
    cpSync(join(root, file), join(copy, file), { force: true, errorOnExist: false, recursive: true });
  }
  const packages = join(copy, 'node_modules');
  mkdirSync(packages, { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '.cache') symlinkSync(join(root, 'node_modules', name), join(packages, name));
  // V8 counts nothing in code that comes from a cache; where a file stands, Node makes no folder for one.
  mkdirSync(join(packages, '.cache/puente'), { recursive: true });
  writeFileSync(join(packages, '.cache/puente/compiled'), '');
}
