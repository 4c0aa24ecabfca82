/**
 * `npm run release -- --name @hospital/puente` makes a copy of the packed package that has this name and can be published, beside the
 * clone or in `--folder`, and lets npm try to publish it. Nothing is sent: `npm publish` in the copy does that.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '../..');

/** Imports by the name of the package, in code and on pages. */
const imports = /(?<![\w@/.-])puente\/(adapter|contract)\b/g;

/** Gives every file of an unpacked package the new name, where it stands for the package. */
function rename(folder: string, name: string): void {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, file);
    if (!/\.([cm]?[jt]s|md)$/.test(file) || !statSync(path).isFile()) continue;
    const text = readFileSync(path, 'utf8');
    const renamed = text.replace(imports, `${name}/$1`);
    if (renamed !== text) writeFileSync(path, renamed);
  }
  const manifest = join(folder, 'package.json');
  const { private: _, ...published } = JSON.parse(readFileSync(manifest, 'utf8'));
  writeFileSync(manifest, `${JSON.stringify({ ...published, name, publishConfig: { access: 'public' } }, null, 2)}\n`);
}

const { values } = parseArgs({ options: { name: { type: 'string' }, folder: { type: 'string' } } });
const { name, folder: given = '../puente-release' } = values;
if (name === undefined || !/^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/.test(name)) {
  process.stderr.write('--name: it is not the name of a package: write, for example, --name @hospital/puente\n');
  process.exit(64);
}
const folder = resolve(root, given);
if (existsSync(folder) && readdirSync(folder).length > 0) {
  process.stderr.write(`${folder}: it is not empty: remove it, or choose another folder with --folder\n`);
  process.exit(64);
}
const packed = mkdtempSync(join(tmpdir(), 'puente-release-'));
try {
  const pack = ['pack', '--silent', '--pack-destination', packed];
  execFileSync('npm', pack, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  mkdirSync(folder, { recursive: true });
  const [tarball = ''] = readdirSync(packed);
  execFileSync('tar', ['-xzf', join(packed, tarball), '-C', folder, '--strip-components=1']);
} finally {
  rmSync(packed, { recursive: true });
}
rename(folder, name);
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
// Nobody gets a version before the release by the name alone.
const publish = ['publish', '--ignore-scripts', ...(version.includes('-') ? ['--tag', 'next'] : [])];
const tried = spawnSync('npm', [...publish, '--dry-run', '--loglevel', 'notice'], { cwd: folder, stdio: 'inherit' });
if (tried.status === 0) {
  process.stdout.write(`${folder}: ${name} ${version} can be published: cd ${folder} && npm ${publish.join(' ')}\n`);
} else {
  process.stderr.write(`${folder}: npm would not publish ${name} ${version}: see its error above\n`);
  process.exitCode = 1;
}
