import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

// Whether others can use the package as it would be published: publint and Are the Types Wrong, on what `npm pack` makes.
const root = join(import.meta.dirname, '../..');
const folder = await mkdtemp(join(tmpdir(), 'puente-pack-'));
try {
  await promisify(execFile)('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: root,
  });
  const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const tarball = await readFile(join(folder, `${name}-${version}.tgz`));
  const buffer = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength);
  const { messages: all, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
  // Those of the examples are for packages of their own, made by whoever copies one.
  const messages = all.filter((message) => !formatMessage(message, pkg).includes('./examples/'));
  const { problems, types } = await checkPackage(createPackageFromTarballData(tarball));
  // The package is for `import` of Node 24 alone, and no CommonJS.
  const ofImport = problems.filter((each) => !('resolutionKind' in each) || each.resolutionKind === 'node16-esm');
  const found = [
    ...messages.map((message) => `publint: ${formatMessage(message, pkg)}`),
    ...(types ? [] : ['the package has no types']),
    ...ofImport.map((problem) => `types: ${JSON.stringify(problem)}`),
  ];
  process.stdout.write(found.length === 0 ? `ok  ${name}-${version}.tgz\n` : `${found.join('\n')}\n`);
  process.exitCode = found.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}
