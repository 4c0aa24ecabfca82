#!/usr/bin/env node
// What npm runs. Any Node can read it, because it tells an old one what to do.
// Before all else: without a listener the signal ends a gateway that has not read yet what it is told to reload.
if (process.argv[2] === 'serve') process.on('SIGHUP', () => undefined);
// biome-ignore-start lint/style/useNodejsImportProtocol: an old Node does not know it
const { existsSync } = require('fs');
const { enableCompileCache } = require('module');
const { join } = require('path');
const { pathToFileURL } = require('url');
// biome-ignore-end lint/style/useNodejsImportProtocol: the rest of the file

const NEEDED = '24.5';
/** `EX_CONFIG` of sysexits.h, after which nothing starts it again and again. */
const MISCONFIGURED = 78;
const root = join(__dirname, '../..');
const source = join(__dirname, 'index.ts');
const isClone = existsSync(source);

const problem = findProblem();
if (!isClone && process.argv[2] === 'adapter') {
  // The project that it writes brings the Node that it needs, so this one will do.
  void import(pathToFileURL(join(root, 'dist/src/cli/index.js')).href);
} else if (problem === undefined) {
  // Compiling hundreds of files anew is a third of every start.
  enableCompileCache(join(root, 'node_modules/.cache/puente/compiled'));
  require(isClone ? source : join(root, 'dist/src/cli/index.js'));
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = MISCONFIGURED;
}

function findProblem() {
  const { node } = process.versions;
  const [major, minor] = node.split('.').map(Number);
  const [neededMajor, neededMinor] = NEEDED.split('.').map(Number);
  if (major < neededMajor || (major === neededMajor && minor < neededMinor))
    return `Puente runs on Node ${NEEDED} or later, and this is ${node}. ${suggestNode()}`;
  try {
    require.resolve('reflect-metadata');
  } catch (_) {
    return 'What Puente depends on is not installed: run npm ci first.';
  }
}

function suggestNode() {
  if (!isClone) return 'Install a newer one, or one beside it: npm install --save-exact node@24';
  if (!existsSync(join(root, 'node_modules'))) return 'Run npm ci first, which brings one along.';
  if (existsSync(join(root, 'node_modules/node')))
    return 'npm start and npm run puente use the one that npm ci brought.';
  return `npm ci leaves out the one it would bring with --omit=dev or when NODE_ENV is production: install Node ${NEEDED}, or run npm ci --include=dev.`;
}
