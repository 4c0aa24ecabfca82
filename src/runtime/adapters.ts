import type { Adapter } from '../../adapters/adapter.ts';
import { formatPlace } from '../config/import-adapter.ts';
import type { LoadedConfig } from '../config/read.ts';
import { type Capability, capabilities, Failure, listOffered, type Offer } from '../ports/index.ts';
import { findCauseCode } from '../toolkit/causes.ts';
import { type ConfigProblems, joinProblems, toConfigProblems } from '../toolkit/problems.ts';
import { SettingsProblem } from '../toolkit/settings-problem.ts';
import { listOfferProblems } from './offer-problems.ts';
import { type CallPort, createOtherPorts } from './other-ports.ts';

/** An adapter that configuration names for a part of the ports. */
export interface ConfiguredAdapter {
  readonly name: string;
  readonly adapter: Adapter;
  /** Where it stands in the configuration. */
  readonly path: readonly string[];
  /** The key there that says which adapter it is. */
  readonly key: 'name' | 'module';
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The same, ready to work. */
export interface StartedAdapter extends ConfiguredAdapter {
  readonly offer: Offer;
  readonly offered: ReadonlySet<Capability>;
}

/** The default adapter, and after it those that `ports` names. */
function listConfigured({ config, adapter, further }: LoadedConfig): ConfiguredAdapter[] {
  const used = new Set(Object.values(config.ports).map((entry) => entry.adapter));
  return [
    { ...config.adapter, adapter, path: ['adapter'], key: getKey(config.adapter) },
    ...Object.entries(further)
      .filter(([name]) => used.has(name))
      .map(([name, adapter]) => {
        const { settings = {}, ...entry } = config.adapters[name] ?? {};
        return { name, adapter, path: ['adapters', name], key: getKey(entry), settings };
      }),
  ];
}

const getKey = ({ module }: { readonly module?: string | undefined }): ConfiguredAdapter['key'] =>
  module === undefined ? 'name' : 'module';

/**
 * Calls each adapter, the default one first.
 * @throws ConfigProblems of all that cannot use their settings, offer what no port has, or wait for their systems; none stays open then.
 */
export async function startAdapters(loaded: LoadedConfig, callPort: CallPort): Promise<StartedAdapter[]> {
  const started: StartedAdapter[] = [];
  const problems: ConfigProblems[] = [];
  try {
    for (const configured of listConfigured(loaded)) {
      const { name, adapter, path, key } = configured;
      const add = (problem: SettingsProblem, section: readonly string[]) =>
        problems.push(toConfigProblems(problem, section, loaded.problem));
      const report = (what: string, awaits?: string) =>
        add(new SettingsProblem(key, [`the adapter ${name} ${what}`], awaits), path);
      try {
        const others = createOtherPorts(listNeeds(adapter), callPort);
        const offer = await adapter.offer(configured.settings, loaded.config.institution, others);
        if (Object(offer) !== offer) {
          report('offers nothing; its offer must return an object with ports');
          continue;
        }
        started.push({ ...configured, offer, offered: new Set(listOffered(offer)) });
        for (const what of listOfferProblems(offer)) report(`offers an ${what}`);
      } catch (error) {
        if (error instanceof SettingsProblem) add(error, [...path, 'settings']);
        else if (isAway(error)) {
          const cause = findCauseCode(error) ?? error.kind;
          report(`cannot start yet (${cause})`, cause);
        } else if (key === 'name') throw error;
        else report(`cannot start: ${explainOfferError(error)}`);
      }
    }
    if (problems.length > 0) throw joinProblems(problems);
  } catch (error) {
    await closeAdapters(started);
    throw error;
  }
  return started;
}

/** Whether its system is not there yet. */
const isAway = (error: unknown): error is Failure =>
  error instanceof Failure && ['unavailable', 'timeout', 'overloaded'].includes(error.kind);

/** What an adapter calls of others. */
export const listNeeds = ({ needs = {} }: Adapter): Capability[] =>
  capabilities.filter((capability) => needs[capability] !== undefined);

/** Without the message, which may name a secret of the settings. */
function explainOfferError(error: unknown): string {
  const { name, code = '' }: NodeJS.ErrnoException =
    error instanceof Error ? error : { name: typeof error, message: '' };
  const place = error instanceof Error ? formatPlace(error) : '';
  return `its offer throws ${`${name} ${code}`.trim()}${place}, and may throw only SettingsProblem`;
}

/** Closes the last one first, because it may call those before it; one that fails keeps no other from being closed. */
export async function closeAdapters(started: readonly StartedAdapter[]): Promise<void> {
  const failures: unknown[] = [];
  for (const { offer } of started.toReversed()) {
    try {
      await offer.close?.();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
