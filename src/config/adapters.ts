import { z } from 'zod';
import { listMethods, ports } from '../ports/index.ts';
import { didYouMean } from './did-you-mean.ts';
import { isSection } from './keys.ts';

/** What the schema of `adapters` and `ports` depends on. */
export interface AdapterOptions {
  /** The adapters that there are. */
  readonly adapters: readonly string[];
  /** The name of the default adapter. */
  readonly name: string;
  /** For each of the further adapters its settings, by the key that configuration gives it. */
  readonly further: Readonly<Record<string, z.ZodObject>>;
}

const keyPattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The further adapters, each under a key of its own. */
export function furtherAdapters({ adapters, name: defaultName, further }: AdapterOptions) {
  const entries = Object.entries(further).map(([key, settings]) => [key, entry(key, settings)] as const);
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

  function entry(key: string, settings: z.ZodObject) {
    return z.strictObject({ name: z.enum(adapters).prefault(key), settings: settings.prefault({}) }).prefault({});
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
