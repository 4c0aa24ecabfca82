import { resolve } from 'node:path';
import { z } from 'zod';
import type { Adapter } from '../../adapters/adapter.ts';
import type { LoadAdapter } from '../../adapters/loaders.ts';
import type { AdapterChoice } from './adapters.ts';
import { type Environment, toVariable } from './environment.ts';
import { getModuleName, importAdapter, ModuleProblem } from './import-adapter.ts';
import { getValue, isSection } from './keys.ts';

/** An entry of the configuration that names an adapter: by `name`, or by `module`. */
export interface NamedAdapter {
  /** `adapter`, or `adapters` and its key. */
  readonly path: readonly string[];
  /** That of an adapter that comes with Puente, unless there is a module. */
  readonly name: string;
  readonly module?: string;
  /** Where the module is looked for. */
  readonly folders: readonly [string, string];
}

/** What became of the modules of a configuration, by the paths of their entries, e.g. `adapters.his`. */
export type ImportedAdapters = ReadonlyMap<string, Adapter | ModuleProblem>;

/** The default adapter, and the further ones, before anything is checked. */
export function listNamedAdapters(
  values: Readonly<Record<string, unknown>>,
  environment: Environment,
  folder: string,
): readonly [NamedAdapter, ...NamedAdapter[]] {
  const read = (path: readonly string[], otherwise: string): NamedAdapter => {
    const [name, module] = ['name', 'module'].map((key) => {
      const given = environment[toVariable([...path, key])];
      return { given, value: given || getValue(values, [...path, key]) };
    });
    const here = resolve('.');
    return {
      path,
      name: String(name?.value ?? otherwise),
      ...(module?.value != null && { module: String(module.value) }),
      folders: module?.given ? [here, folder] : [folder, here],
    };
  };
  const keys = Object.keys(isSection(values.adapters) ? values.adapters : {});
  return [read(['adapter'], 'memory'), ...keys.map((key) => read(['adapters', key], key))];
}

/** All adapters by name, undefined where no entry names the one that would have to be loaded. */
export async function loadAdapters(
  named: readonly NamedAdapter[],
  adapters: Readonly<Record<string, Adapter | LoadAdapter>>,
): Promise<Readonly<Record<string, Adapter | undefined>>> {
  const entries = Object.entries(adapters).map(async ([name, adapter]) => {
    if (typeof adapter !== 'function') return [name, adapter] as const;
    const isNamed = named.some((entry) => entry.name === name && entry.module === undefined);
    return [name, isNamed ? await adapter() : undefined] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Imports the modules one after the other, each at most once. */
export async function importAdapters(named: readonly NamedAdapter[]): Promise<ImportedAdapters> {
  const imported = new Map<string, Adapter | ModuleProblem>();
  for (const { path, module, folders } of named) {
    if (module === undefined) continue;
    const found = await importAdapter(module, folders).catch((error: unknown) => {
      if (error instanceof ModuleProblem) return error;
      throw error;
    });
    imported.set(path.join('.'), found);
  }
  return imported;
}

/** The adapter itself; undefined where there is none of that name, or its module has a problem. */
export function findAdapter(
  { path, name, module }: NamedAdapter,
  adapters: Readonly<Record<string, Adapter | undefined>>,
  imported: ImportedAdapters,
): Adapter | undefined {
  if (module === undefined) return Object.hasOwn(adapters, name) ? adapters[name] : undefined;
  const found = imported.get(path.join('.'));
  return found instanceof ModuleProblem ? undefined : found;
}

/** What the schema needs to know of a named adapter. The settings of one that is not there are not judged. */
export function toChoice(
  { path, module, folders }: NamedAdapter,
  found: Adapter | undefined,
  imported: ImportedAdapters,
): AdapterChoice {
  const settings = found?.settings.strict() ?? z.looseObject({});
  if (module === undefined) return { settings };
  const result = imported.get(path.join('.'));
  return {
    settings,
    module: {
      name: getModuleName(module, folders[0]),
      problem: result instanceof ModuleProblem ? result.message : undefined,
    },
  };
}
