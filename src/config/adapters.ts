import { resolve } from 'node:path';
import { z } from 'zod';
import type { Adapter } from '../../adapters/adapter.ts';
import type { LoadAdapter } from '../../adapters/loaders.ts';
import { listMethods, ports } from '../ports/index.ts';
import { didYouMean } from '../toolkit/problems.ts';
import { isRecord } from '../toolkit/records.ts';
import { getModuleName, importAdapter, ModuleProblem } from './import-adapter.ts';
import { always, type Environment, getValue, toVariable } from './keys.ts';

/** Inputs of the schema of `adapter`, `adapters` and `ports`. */
export interface AdapterOptions {
  readonly adapters: readonly string[];
  readonly chosen: ConfiguredAdapter;
  readonly further: readonly ConfiguredAdapter[];
}

export const defaultAdapter = ({ adapters, chosen }: AdapterOptions) =>
  adapterEntry(chosen, adapterName(adapters, chosen).default(chosen.name));

const adapterName = (adapters: readonly string[], { name: own, module }: ConfiguredAdapter): z.ZodType<string> =>
  module === undefined
    ? z.enum(adapters)
    : z.string().refine((name) => name === own, 'names another adapter than module: remove one of them');

type AdapterName = z.ZodDefault<z.ZodType<string>> | z.ZodPrefault<z.ZodType<string>>;

/** The settings of a missing adapter are not checked. */
function adapterEntry({ adapter, problem }: ConfiguredAdapter, name: AdapterName) {
  const module = z.string().superRefine((_given, context) => {
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
  const settings = adapter?.settings.strict() ?? z.looseObject({});
  return z.strictObject({ name, module: module.optional(), settings: settings.prefault({}) }).prefault({});
}

const keyPattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The additional adapters, each under its own key. */
export const furtherAdapters = ({ adapters, chosen, further }: AdapterOptions) =>
  z
    .strictObject(Object.fromEntries(further.map((named) => [named.name, furtherAdapter(adapters, named)])))
    .superRefine((_given, context) => {
      for (const { name: key } of further) {
        const message = !keyPattern.test(key)
          ? 'must be a name of lower-case letters, digits and dashes'
          : key === chosen.name && 'is the name of the default adapter: rename this key, and set the name below it';
        if (message) context.addIssue({ code: 'custom', path: [key], message });
      }
    }, always)
    .prefault({});

const furtherAdapter = (adapters: readonly string[], named: ConfiguredAdapter) =>
  adapterEntry(named, adapterName(adapters, named).prefault(named.name));

/** The additional adapter that has a port, or some of its methods. */
export function portOwners({ chosen, further }: AdapterOptions) {
  const keys = further.map(({ name }) => name);
  const owner = z.string().superRefine((name, context) => {
    if (keys.includes(name)) return;
    const message =
      name === chosen.name
        ? 'is the default adapter, which has all other ports: remove the entry'
        : `no adapter of this name is in adapters${didYouMean(name, keys) || ': add it there'}`;
    context.addIssue({ code: 'custom', message });
  });
  const entry = z.strictObject({ adapter: owner, only: z.array(z.string()).min(1).optional() });
  return z.record(z.string(), entry).superRefine(checkNames, always).default({});
}

function checkNames(given: unknown, context: z.RefinementCtx): void {
  if (!isRecord(given)) return;
  for (const [port, entry] of Object.entries(given)) {
    const methods = listMethods(port);
    if (methods.length === 0) {
      const message = `unknown port${didYouMean(port, Object.keys(ports)) || ': remove it'}`;
      context.addIssue({ code: 'custom', path: [port], message });
      continue;
    }
    const only: readonly unknown[] = isRecord(entry) && Array.isArray(entry.only) ? entry.only : [];
    for (const [i, method] of only.entries()) {
      if (typeof method !== 'string' || methods.includes(method)) continue;
      const message = `${port} has no such method${didYouMean(method, methods) || `: use one of ${methods.join(', ')}`}`;
      context.addIssue({ code: 'custom', path: [port, 'only', i], message });
    }
  }
}

/** An adapter of the configuration, by `name` or by `module`. */
export interface ConfiguredAdapter {
  /** `adapter`, or `adapters` and its key. */
  readonly path: readonly string[];
  /** Its name in logs: its key. For the default adapter, the name of its module, or its own name. */
  readonly name: string;
  /** The name of an adapter of this package, unless there is a module. */
  readonly builtIn: string;
  readonly module: string | undefined;
  /** The folders to search for the module. */
  readonly folders: readonly [string, string];
  /** True if the environment replaces the adapter of the file, whose settings then do not apply. */
  readonly replaces?: boolean;
  /** Undefined before the search, and if it is missing. `problem` has the reason. */
  readonly adapter?: Adapter | undefined;
  readonly problem?: string;
}

/** A named adapter that exists. */
export type FoundAdapter = ConfiguredAdapter & { readonly adapter: Adapter };

/** The default adapter, and the additional ones, before any check. */
export function listConfiguredAdapters(
  values: Readonly<Record<string, unknown>>,
  environment: Environment,
  folder: string,
): readonly [ConfiguredAdapter, ...ConfiguredAdapter[]] {
  const read = (path: readonly string[], key?: string): ConfiguredAdapter => {
    const [givenName, givenModule] = ['name', 'module'].map((each) => environment[toVariable([...path, each])]);
    const [fileName, fileModule] = ['name', 'module'].map((each) => getValue(values, [...path, each]));
    const name = givenName || fileName;
    const value = givenModule || fileModule;
    const module = value == null ? undefined : String(value);
    const here = resolve('.');
    const folders = givenModule ? ([here, folder] as const) : ([folder, here] as const);
    const builtIn = String(name ?? key ?? 'memory');
    const own = module === undefined ? builtIn : getModuleName(module, folders[0]);
    const inFile = fileModule ?? fileName;
    const replaces = inFile != null && inFile !== (value ?? name);
    return { path, name: key ?? own, builtIn, module, folders, replaces };
  };
  const keys = Object.keys(isRecord(values.adapters) ? values.adapters : {});
  return [read(['adapter']), ...keys.map((key) => read(['adapters', key], key))];
}

/** Loads the adapter, or imports its module. */
export async function findAdapter(
  named: ConfiguredAdapter,
  adapters: Readonly<Record<string, Adapter | LoadAdapter>>,
): Promise<ConfiguredAdapter> {
  const { module, folders, builtIn } = named;
  try {
    if (module !== undefined) return { ...named, adapter: await importAdapter(module, folders) };
  } catch (error) {
    if (!(error instanceof ModuleProblem)) throw error;
    return { ...named, problem: error.message };
  }
  const known = Object.hasOwn(adapters, builtIn) ? adapters[builtIn] : undefined;
  return { ...named, adapter: typeof known === 'function' ? await known() : known };
}
