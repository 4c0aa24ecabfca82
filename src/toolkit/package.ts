import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { getField, getFields } from './records.ts';

/** The folder of this package: the nearest parent with a `package.json`, also from `dist`. */
export const packageRoot: string = findPackageRoot(import.meta.dirname);

function findPackageRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  return findPackageRoot(dirname(folder));
}

/** The command line of this package, as messages show it. It depends on whether the package is installed. */
export const commandLine: string = import.meta.filename.endsWith('.ts') ? 'npm run puente --' : 'puente';

const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));

/** The name of this package: `puente`, unless published under another name. */
export const packageName = String(getField(manifest, 'name'));

/** The version in `package.json`. */
export const version = String(getField(manifest, 'version'));

/** The versions of the optional packages that an institution installs next to this one. */
export const peerVersions: Readonly<Record<string, unknown>> = getFields(getField(manifest, 'peerDependencies'));

/** The commit of a clone, or the one that `npm run build` wrote next to the compiled files. Undefined if unknown. */
export function findCommit(root: string): string | undefined {
  const read = (...path: string[]): string => readFileSync(join(...path), 'utf8').trim();
  try {
    if (!import.meta.filename.endsWith('.ts')) return read(root, 'dist/commit') || undefined;
    const dotGit = join(root, '.git');
    // In a worktree, `.git` is a file with the path of the folder.
    const folder = statSync(dotGit).isFile() ? resolve(root, read(dotGit).replace('gitdir: ', '')) : dotGit;
    const head = read(folder, 'HEAD');
    if (!head.startsWith('ref: ')) return head;
    const branch = head.slice('ref: '.length);
    const common = existsSync(join(folder, 'commondir')) ? resolve(folder, read(folder, 'commondir')) : folder;
    if (existsSync(join(common, branch))) return read(common, branch);
    const line = read(common, 'packed-refs')
      .split('\n')
      .find((each) => each.endsWith(` ${branch}`));
    return line?.split(' ')[0];
  } catch {
    return undefined;
  }
}

const commit = findCommit(packageRoot)?.slice(0, 8);

/** Identifies the build: the version, and the commit if known, e.g. `0.3.0+1a2b3c4d`. */
export const buildVersion: string = commit === undefined ? version : `${version}+${commit}`;
