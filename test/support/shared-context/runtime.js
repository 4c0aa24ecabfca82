import { createRequire, registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Runtime from 'jest-runtime';

const require = createRequire(import.meta.url);
const root = new URL('../../../', import.meta.url).href;

/** As an adapter of somebody else names them. */
const ownNames = { 'puente/adapter': 'adapters/public.ts', 'puente/contract': 'src/contract/index.ts' };

/** What `@jest/globals` exports to the test file that runs, how many ran before it, and which modules it does not share with them. */
let jestGlobals = {};
let count = 0;
let ownModules = `${root}test/`;

/** Without types, by the text. Stack traces have the path, which Node would write as a URL with the number. */
const stripped = new Map();
const stripTypes = (text, path) => {
  const known = stripped.get(text) ?? stripTypeScriptTypes(text, { sourceUrl: path });
  stripped.set(text, known);
  return known;
};

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: `jest:globals?${count}`, format: 'module', shortCircuit: true };
    const found = next(specifier in ownNames ? root + ownNames[specifier] : specifier, context);
    const isOwn =
      found.url.startsWith(ownModules) && found.url.endsWith('.ts') && !found.url.includes('/node_modules/');
    return isOwn ? { ...found, url: `${found.url}?${count}` } : found;
  },
  load(url, context, next) {
    if (url.startsWith('jest:globals')) {
      const source = `export const { ${Object.keys(jestGlobals)} } = globalThis[Symbol.for('puente.jest')];`;
      return { format: 'module', source, shortCircuit: true };
    }
    const loaded = next(url, context);
    if (!url.startsWith(root) || !loaded.format?.endsWith('typescript')) return loaded;
    return { format: 'module', source: stripTypes(String(loaded.source), fileURLToPath(url)), shortCircuit: true };
  },
});

/**
 * Has Node import a test file, so that a worker loads and compiles `src`, `adapters` and the packages once for all its files. What is
 * below `test` is loaded for each file anew, since its hooks and servers belong to one file.
 */
export default class SharedContextRuntime extends Runtime {
  #watches;

  constructor(...given) {
    super(...given);
    this.#watches = given.at(-1).watch || given.at(-1).watchAll;
  }

  /** Called before a file is imported. */
  setGlobalsForRuntime(globals) {
    super.setGlobalsForRuntime(globals);
    jestGlobals = { ...globals, jest: this.jestGlobals.jestObjectFor(this._testPath) };
    globalThis[Symbol.for('puente.jest')] = jestGlobals;
    count += 1;
    // The next run of `--watch` has other sources.
    ownModules = this.#watches ? root : `${root}test/`;
  }

  /** jest-circus, anew for each file. */
  requireInternalModule(path) {
    delete require.cache[path];
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  /** jest's own would replace that of Node. */
  installGetBuiltinModule() {}
}
