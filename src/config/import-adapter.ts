import { statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Adapter, apiVersion } from '../../adapters/adapter.ts';
import { capabilities } from '../ports/index.ts';
import { getErrorCode } from '../toolkit/failures.ts';
import { didYouMean } from '../toolkit/problems.ts';
import { getField, isRecord } from '../toolkit/records.ts';

/** A configured module that is not an adapter. Its message has the reason and what to do. */
export class ModuleProblem extends Error {
  override readonly name = 'ModuleProblem';
}

/**
 * Imports the default export of a module: a path, or a package in the `node_modules` of one of the folders, or above
 * it.
 * @param folders the folders to search for a package, in order. A relative path starts at the first one.
 * @throws ModuleProblem if the module does not exist, cannot be loaded, or is not an adapter of this version.
 */
export async function importAdapter(specifier: string, folders: readonly [string, ...string[]]): Promise<Adapter> {
  const exported = await importModule(specifier, folders);
  if (!('default' in exported)) {
    const names = Object.keys(exported).filter((name) => name !== 'module.exports');
    const found = names.length > 0 ? `; it exports ${names.join(', ')}` : '';
    throw new ModuleProblem(`has no default export${found}: end it with export default adapter({ settings, offer })`);
  }
  const { default: given } = exported;
  assertAdapter(given);
  return given;
}

/** @throws ModuleProblem unless it is an adapter of this version, as far as this is visible before a call. */
function assertAdapter(given: unknown): asserts given is Adapter {
  if (!isRecord(given) || !('api' in given)) {
    throw new ModuleProblem('its default export is not an adapter: create it with adapter() of puente/adapter');
  }
  if (given.api !== apiVersion) {
    const versions = `was built for version ${String(given.api)} of puente/adapter, and this Puente has ${apiVersion}`;
    throw new ModuleProblem(`${versions}: install matching releases of both`);
  }
  if (typeof given.offer !== 'function')
    throw new ModuleProblem('its adapter has no function offer: add one that returns the ports');
  const problem = findSettingsProblem(given.settings) ?? findNeedsProblem(given.needs);
  if (problem !== undefined) throw new ModuleProblem(problem);
}

/**
 * Reports settings of another zod: each copy of zod has its own classes, and only those of one major version are
 * compatible.
 */
function findSettingsProblem(settings: unknown): string | undefined {
  if (settings === undefined) return 'its adapter has no settings: write z.object({}) if there are none';
  const [zod, strict] = [getField(settings, '_zod'), getField(settings, 'strict')];
  const fix = 'create them with the z of puente/adapter';
  if (!isRecord(zod) || !isRecord(zod.def)) return `its settings are not a schema of zod 4: ${fix}`;
  const version = isRecord(zod.version) ? zod.version.major : undefined;
  if (version !== 4) return `its settings are a schema of zod ${String(version)}, and this Puente has zod 4: ${fix}`;
  if (zod.def.type !== 'object') return `its settings are a z.${String(zod.def.type)}(), and must be a z.object()`;
  return typeof strict === 'function' ? undefined : `its settings are a schema of zod/mini: ${fix}`;
}

function findNeedsProblem(needs: unknown): string | undefined {
  if (needs === undefined) return undefined;
  if (!isRecord(needs) || !Object.values(needs).every(Array.isArray)) {
    return 'its needs are not lists of its own methods, e.g. { "patients.get": ["tickets.open"] }';
  }
  const known: readonly unknown[] = capabilities;
  const wrong = [...Object.keys(needs), ...Object.values(needs).flat()].find((name) => !known.includes(name));
  return wrong === undefined
    ? undefined
    : `names in needs the unknown method ${String(wrong)}${didYouMean(String(wrong), capabilities) || ': correct it'}`;
}

/**
 * Imports a module, found like an adapter, and returns its exports.
 * @throws ModuleProblem if it does not exist, or cannot be loaded.
 */
export async function importModule(
  specifier: string,
  folders: readonly [string, ...string[]],
): Promise<Readonly<Record<string, unknown>>> {
  const url = isPath(specifier) ? findFile(specifier, folders[0]) : findPackage(specifier, folders);
  try {
    const exported: unknown = await import(url);
    return isRecord(exported) ? exported : {};
  } catch (error) {
    throw new ModuleProblem(explainImportError(error));
  }
}

/** The name of a module's adapter in logs: the name of its package, or of its file or folder. */
export function getModuleName(specifier: string, folder: string): string {
  const parts = isPath(specifier)
    ? resolve(folder, specifier).split(sep)
    : specifier.replace(/^@[^/]*\//, '').split('/', 1);
  const names = parts.map((part) => part.replace(/\.[cm]?[jt]s$/, ''));
  const name = names.findLast((each) => !['', 'index', 'main', 'src', 'dist', 'lib'].includes(each)) ?? '';
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'adapter'
  );
}

const isPath = (specifier: string): boolean => /^\.{1,2}[\\/]/.test(specifier) || isAbsolute(specifier);

function findFile(path: string, folder: string): string {
  const file = resolve(folder, path);
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new ModuleProblem(`there is no file ${file}`);
  if (found.isDirectory())
    throw new ModuleProblem(`is a folder: name the file in it, e.g. ${path.replace(/\/$/, '')}/index.ts`);
  if (!found.isFile()) throw new ModuleProblem('is a pipe or a device: name a file');
  return pathToFileURL(file).href;
}

function findPackage(specifier: string, folders: readonly string[]): string {
  // Node would run the content of a `data:` URL.
  if (URL.canParse(specifier)) throw new ModuleProblem('is a URL: name a package, or a path that begins with ./');
  for (const folder of folders) {
    try {
      return resolvePackage(specifier, folder);
    } catch (error) {
      const code = getErrorCode(error);
      if (code === 'ERR_INVALID_MODULE_SPECIFIER') break;
      if (code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find package/.test(String(getField(error, 'message')))) continue;
      throw new ModuleProblem(`has no such entry (${code}): check exports in the package.json of the package`);
    }
  }
  const places = [...new Set(folders)].join(' or ');
  throw new ModuleProblem(
    `there is no such package in ${places}: run npm install for it there, or begin the path of a file with ./`,
  );
}

/** Resolves like an `import` in a module of that folder. `createRequire` would skip `import` conditions. */
function resolvePackage(specifier: string, folder: string): string {
  const parentURL = pathToFileURL(join(folder, 'module.js')).href;
  const hooks = registerHooks({
    resolve: (name, context, next) => next(name, name === specifier ? { ...context, parentURL } : context),
  });
  try {
    return import.meta.resolve(specifier);
  } finally {
    hooks.deregister();
  }
}

function explainImportError(error: unknown): string {
  if (!(error instanceof Error)) return `cannot be loaded: it throws a ${typeof error} instead of an Error`;
  const { code = '' } = error as NodeJS.ErrnoException;
  const [message = ''] = error.message.split('\n');
  const missing = /^Cannot find (?:package|module) '([^']+)' imported from (.+)$/.exec(message);
  if (code === 'ERR_MODULE_NOT_FOUND' && missing) {
    return `${missing[2]} imports ${missing[1]}, which does not exist: run npm install for its dependencies`;
  }
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING') {
    return 'is TypeScript in node_modules, which Node does not run: its package must contain JavaScript';
  }
  return `cannot be loaded: ${error.name}: ${message}${formatPlace(error)}`;
}

/** ` (/srv/his/index.ts:12)`: the first stack line with a file. Empty if there is none. */
export function formatPlace({ stack = '' }: Error): string {
  const line =
    stack.split('\n').find((each) => !/node:/.test(each) && /(^|[( ])(file:\/\/)?\/\S+:\d+/.test(each)) ?? '';
  const [, file = '', number] = /((?:file:\/\/)?\/\S+?):(\d+)/.exec(line) ?? [];
  return file && ` (${file.startsWith('file:') ? fileURLToPath(file) : file}:${number})`;
}
