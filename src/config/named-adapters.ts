import { resolve } from 'node:path';
import type { Adapter } from '../../adapters/adapter.ts';
import type { LoadAdapter } from '../../adapters/loaders.ts';
import { type Environment, toVariable } from './environment.ts';
import { getModuleName, importAdapter, ModuleProblem } from './import-adapter.ts';
import { getValue, isSection } from './keys.ts';

/** An entry of the configuration that names an adapter: by `name`, or by `module`. */
export interface NamedAdapter {
  /** `adapter`, or `adapters` and its key. */
  readonly path: readonly string[];
  /** What logs call it: its key, or for the default adapter the name of its module, else its own. */
  readonly name: string;
  /** That of an adapter that comes with Puente, unless there is a module. */
  readonly builtIn: string;
  readonly module: string | undefined;
  /** Where the module is looked for. */
  readonly folders: readonly [string, string];
}

/** The same with the adapter, if there is one; `problem` says why a module has none. */
export interface FoundAdapter extends NamedAdapter {
  readonly adapter: Adapter | undefined;
  readonly problem?: string;
}

/** The default adapter, and the further ones, before anything is checked. */
export function listNamedAdapters(
  values: Readonly<Record<string, unknown>>,
  environment: Environment,
  folder: string,
): readonly [NamedAdapter, ...NamedAdapter[]] {
  const read = (path: readonly string[], key?: string): NamedAdapter => {
    const [givenName, givenModule] = ['name', 'module'].map((each) => environment[toVariable([...path, each])]);
    const name = givenName || getValue(values, [...path, 'name']);
    const value = givenModule || getValue(values, [...path, 'module']);
    const module = value == null ? undefined : String(value);
    const here = resolve('.');
    const folders = givenModule ? ([here, folder] as const) : ([folder, here] as const);
    const builtIn = String(name ?? key ?? 'memory');
    const own = module === undefined ? builtIn : getModuleName(module, folders[0]);
    return { path, name: key ?? own, builtIn, module, folders };
  };
  const keys = Object.keys(isSection(values.adapters) ? values.adapters : {});
  return [read(['adapter']), ...keys.map((key) => read(['adapters', key], key))];
}

/** Loads the adapter, or imports its module. */
export async function findAdapter(
  named: NamedAdapter,
  adapters: Readonly<Record<string, Adapter | LoadAdapter>>,
): Promise<FoundAdapter> {
  const { module, folders, builtIn } = named;
  try {
    if (module !== undefined) return { ...named, adapter: await importAdapter(module, folders) };
  } catch (error) {
    if (!(error instanceof ModuleProblem)) throw error;
    return { ...named, adapter: undefined, problem: error.message };
  }
  const known = Object.hasOwn(adapters, builtIn) ? adapters[builtIn] : undefined;
  return { ...named, adapter: typeof known === 'function' ? await known() : known };
}
