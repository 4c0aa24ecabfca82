import vm from 'node:vm';

/** By the name of a file: V8's code cache of it, and the source it is of, since V8 would take that of any source as long. */
const caches = new Map();

const find = (name, source) => {
  const known = caches.get(name);
  return known?.source === source ? known.cachedData : undefined;
};

/**
 * Has every function and module of this worker compiled with the code cache of the last time: jest compiles the same files
 * anew for each file of tests. A cache that V8 refuses, as after its flags have changed, is made again.
 */
export function keepCompiledCode() {
  const { compileFunction, SourceTextModule } = vm;

  vm.compileFunction = (source, parameters, options) => {
    const name = `${options.filename}(${parameters})`;
    const cachedData = find(name, source);
    const compiled = compileFunction(source, parameters, { ...options, cachedData, produceCachedData: !cachedData });
    if (compiled.cachedData) caches.set(name, { source, cachedData: compiled.cachedData });
    if (compiled.cachedDataRejected) caches.delete(name);
    return compiled;
  };

  vm.SourceTextModule = new Proxy(SourceTextModule, {
    construct(target, [source, options]) {
      const cachedData = find(options.identifier, source);
      try {
        if (cachedData) return new target(source, { ...options, cachedData });
      } catch (error) {
        if (error.code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
      }
      const module = new target(source, options);
      caches.set(options.identifier, { source, cachedData: module.createCachedData() });
      return module;
    },
  });
}
