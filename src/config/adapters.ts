import { z } from 'zod';
import { listMethods, ports } from '../ports/index.ts';
import { didYouMean } from '../toolkit/did-you-mean.ts';
import { isSection } from './keys.ts';

/** The adapter that an entry names. */
export interface AdapterChoice {
  readonly settings: z.ZodObject;
  /** Undefined where it is one that comes with Puente. */
  readonly module?: ChosenModule | undefined;
}

interface ChosenModule {
  /** What logs call its adapter. */
  readonly name: string;
  /** Why it cannot be used. */
  readonly problem?: string | undefined;
}

/** What the schema of `adapter`, `adapters` and `ports` depends on. */
export interface AdapterOptions {
  /** The adapters that come with Puente. */
  readonly adapters: readonly string[];
  /** The name of the default adapter. */
  readonly name: string;
  readonly chosen: AdapterChoice;
  /** The further adapters, by the key that configuration gives each. */
  readonly further: Readonly<Record<string, AdapterChoice>>;
}

/** The default adapter. */
export const defaultAdapter = ({ adapters, chosen }: AdapterOptions) =>
  z
    .strictObject({
      name: adapterName(adapters, chosen, chosen.module?.name).default(chosen.module?.name ?? 'memory'),
      module: adapterModule(chosen),
      settings: chosen.settings.prefault({}),
    })
    .prefault({});

const adapterName = (adapters: readonly string[], { module }: AdapterChoice, own?: string): z.ZodType<string> =>
  module
    ? z.string().refine((name) => name === own, 'names another adapter than module; remove one of the two')
    : z.enum(adapters);

const adapterModule = ({ module }: AdapterChoice) =>
  z
    .string()
    .superRefine((_specifier, context) => {
      if (module?.problem !== undefined) context.addIssue({ code: 'custom', message: module.problem });
    })
    .optional();

const keyPattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The further adapters, each under a key of its own. */
export function furtherAdapters({ adapters, name: defaultName, further }: AdapterOptions) {
  const entries = Object.entries(further).map(([key, choice]) => [key, entry(key, choice)] as const);
  return z
    .strictObject(Object.fromEntries(entries))
    .superRefine((_given, context) => {
      for (const key of Object.keys(further)) {
        const message = !keyPattern.test(key)
          ? 'must be a name of small letters, digits and dashes'
          : key === defaultName &&
            'is the name of the default adapter; give this one another key, and its name below it';
        if (message) context.addIssue({ code: 'custom', path: [key], message });
      }
    }, always)
    .prefault({});

  function entry(key: string, choice: AdapterChoice) {
    return z
      .strictObject({
        name: adapterName(adapters, choice, key).prefault(key),
        module: adapterModule(choice),
        settings: choice.settings.prefault({}),
      })
      .prefault({});
  }
}

/** Which of the further adapters has a port, or some of its methods. */
export function portOwners({ name: defaultName, further }: AdapterOptions) {
  const keys = Object.keys(further);
  const owner = z.string().superRefine((name, context) => {
    if (keys.includes(name)) return;
    const message =
      name === defaultName
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
