import { type Adapter, apiVersion } from '../../adapters/adapter.ts';
import { capabilities } from '../ports/index.ts';
import { didYouMean } from '../toolkit/did-you-mean.ts';
import { isSection } from './keys.ts';

/** Whether it is an adapter of this version, as far as can be seen before it is called. */
export const isAdapter = (given: unknown): given is Adapter => findAdapterProblem(given) === undefined;

/** What a default export lacks to be one, with the fix. */
export function findAdapterProblem(given: unknown): string | undefined {
  if (!isSection(given) || !('api' in given)) {
    return 'its default export is not an adapter; make it with adapter() of puente/adapter';
  }
  if (given.api !== apiVersion) {
    const versions = `is made for version ${String(given.api)} of puente/adapter, and this Puente has ${apiVersion}`;
    return `${versions}; install releases of the two that fit`;
  }
  if (typeof given.offer !== 'function') return 'its adapter has no function offer, which gives the ports';
  return findSettingsProblem(given.settings) ?? findNeedsProblem(given.needs);
}

/** Of another zod, because each copy of zod has classes of its own, and only those of one major version fit together. */
function findSettingsProblem(settings: unknown): string | undefined {
  if (settings === undefined) return 'its adapter has no settings; where there are none, they are z.object({})';
  const { _zod: zod, strict } = Object(settings) as { readonly _zod?: unknown; readonly strict?: unknown };
  const fix = 'make them with the z of puente/adapter';
  if (!isSection(zod) || !isSection(zod.def)) return `its settings are not a schema of zod 4; ${fix}`;
  const version = isSection(zod.version) ? zod.version.major : undefined;
  if (version !== 4) return `its settings are a schema of zod ${String(version)}, and this Puente has zod 4; ${fix}`;
  if (zod.def.type !== 'object') return `its settings are a z.${String(zod.def.type)}(), and must be a z.object()`;
  return typeof strict === 'function' ? undefined : `its settings are a schema of zod/mini; ${fix}`;
}

function findNeedsProblem(needs: unknown): string | undefined {
  if (needs === undefined) return undefined;
  if (!isSection(needs) || !Object.values(needs).every(Array.isArray)) {
    return 'its needs are not lists of its own methods, e.g. { "patients.get": ["tickets.open"] }';
  }
  const known: readonly unknown[] = capabilities;
  const wrong = [...Object.keys(needs), ...Object.values(needs).flat()].find((name) => !known.includes(name));
  return wrong === undefined
    ? undefined
    : `names in needs the unknown method ${String(wrong)}${didYouMean(String(wrong), capabilities)}`;
}
