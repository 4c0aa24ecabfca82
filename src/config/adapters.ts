import { z } from 'zod';
import type { Adapter } from '../../adapters/adapter.ts';
import { listMethods, ports } from '../ports/index.ts';
import { didYouMean } from '../toolkit/did-you-mean.ts';
import { isSection } from './keys.ts';
import type { FoundAdapter } from './named-adapters.ts';

/** What the schema has to know of an adapter that is named. */
type Named = Pick<FoundAdapter, 'name' | 'module' | 'problem'> & {
  readonly adapter: Pick<Adapter, 'settings'> | undefined;
};

/** What the schema of `adapter`, `adapters` and `ports` depends on. */
export interface AdapterOptions {
  /** The names of the adapters that come with Puente. */
  readonly adapters: readonly string[];
  /** The default adapter. */
  readonly chosen: Named;
  readonly further: readonly Named[];
}

export const defaultAdapter = ({ adapters, chosen }: AdapterOptions) =>
  adapterEntry(chosen, adapterName(adapters, chosen).default(chosen.name));

const adapterName = (adapters: readonly string[], { name: own, module }: Named): z.ZodType<string> =>
  module === undefined
    ? z.enum(adapters)
    : z.string().refine((name) => name === own, 'names another adapter than module; remove one of the two');

type AdapterName = z.ZodDefault<z.ZodType<string>> | z.ZodPrefault<z.ZodType<string>>;

/** The settings of an adapter that is not there are not judged. */
function adapterEntry({ adapter, problem }: Named, name: AdapterName) {
  const module = z.string().superRefine((_given, context) => {
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
  const settings = adapter?.settings.strict() ?? z.looseObject({});
  return z.strictObject({ name, module: module.optional(), settings: settings.prefault({}) }).prefault({});
}

const keyPattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The further adapters, each under a key of its own. */
export const furtherAdapters = ({ adapters, chosen, further }: AdapterOptions) =>
  z
    .strictObject(Object.fromEntries(further.map((named) => [named.name, furtherAdapter(adapters, named)])))
    .superRefine((_given, context) => {
      for (const { name: key } of further) {
        const message = !keyPattern.test(key)
          ? 'must be a name of small letters, digits and dashes'
          : key === chosen.name &&
            'is the name of the default adapter; give this one another key, and its name below it';
        if (message) context.addIssue({ code: 'custom', path: [key], message });
      }
    }, always)
    .prefault({});

const furtherAdapter = (adapters: readonly string[], named: Named) =>
  adapterEntry(named, adapterName(adapters, named).prefault(named.name));

/** Which of the further adapters has a port, or some of its methods. */
export function portOwners({ chosen, further }: AdapterOptions) {
  const keys = further.map(({ name }) => name);
  const owner = z.string().superRefine((name, context) => {
    if (keys.includes(name)) return;
    const message =
      name === chosen.name
        ? 'is the default adapter, which has all that is not named here; remove the entry'
        : `no adapter of this name is in adapters${didYouMean(name, keys)}`;
    context.addIssue({ code: 'custom', message });
  });
  const entry = z.strictObject({ adapter: owner, only: z.array(z.string()).min(1).optional() });
  return z.record(z.string(), entry).superRefine(checkNames, always).default({});
}

/** Also when an entry is invalid, so that all problems are shown at once. */
const always = { when: () => true };

function checkNames(given: unknown, context: z.RefinementCtx): void {
  if (!isSection(given)) return;
  for (const [port, entry] of Object.entries(given)) {
    const methods = listMethods(port);
    if (methods.length === 0) {
      const message = `unknown port${didYouMean(port, Object.keys(ports))}`;
      context.addIssue({ code: 'custom', path: [port], message });
      continue;
    }
    const only: readonly unknown[] = isSection(entry) && Array.isArray(entry.only) ? entry.only : [];
    for (const [i, method] of only.entries()) {
      if (typeof method !== 'string' || methods.includes(method)) continue;
      const message = `${port} has no such method${didYouMean(method, methods) || `; it has ${methods.join(', ')}`}`;
      context.addIssue({ code: 'custom', path: [port, 'only', i], message });
    }
  }
}
