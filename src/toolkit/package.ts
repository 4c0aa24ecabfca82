import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getField } from './records.ts';

/** The folder of this package: the nearest parent with a `package.json`, from the sources and from `dist`. */
export const packageRoot: string = findPackageRoot(import.meta.dirname);

function findPackageRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  return findPackageRoot(dirname(folder));
}

/** How this package's command line is called, as messages show it: from the sources, and when it is installed. */
export const commandLine: string = import.meta.filename.endsWith('.ts') ? 'npm run puente --' : 'puente';

/** The version of this package. */
export const version = String(getField(JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')), 'version'));
