import { isReloadable, listChanges, takeSnapshot } from '../config/changes.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { ClientLimits } from '../http/limits/client-limits.ts';
import type { Log } from '../ports/index.ts';
import { ConfigProblems } from '../toolkit/problems.ts';
import { type Authentication, openIssuers, watchIssuers } from './authentication.ts';
import type { Health } from './health.ts';

/** What came of it: either problems, with which nothing is changed, or keys of the configuration. */
export interface ReloadOutcome {
  readonly problems: readonly string[];
  /** What holds now. */
  readonly changed: readonly string[];
  /** What differs from the configuration of the start, and holds from the next one on. */
  readonly restart: readonly string[];
}

/** Reads after the call, so that what was written before it counts; one after another. */
export type Reload = () => Promise<ReloadOutcome>;

/**
 * Takes over the configuration anew while requests come in: tokens, issuers and limits of callers, all or nothing.
 * @param read reads it again. @throws ConfigProblems
 */
export function createReload(
  { config }: LoadedConfig,
  read: () => Promise<LoadedConfig>,
  authentication: Authentication,
  clientLimits: ClientLimits,
  health: Health,
  log: Log,
): Reload {
  const started = takeSnapshot(config);
  let current = started;
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const outcome = last.then(reload);
    last = outcome.catch(() => undefined);
    return outcome;
  };

  async function reload(): Promise<ReloadOutcome> {
    try {
      const loaded = await read();
      const before = authentication.issuers;
      const after = await openIssuers(loaded, before);
      const watched = [await watchIssuers(before), await watchIssuers(after)] as const;
      // From here on nothing fails, and nothing waits.
      authentication.replace(loaded, after);
      clientLimits.setQuotas(loaded.config.limits.clients);
      health.replace(...watched);
      const snapshot = takeSnapshot(loaded.config);
      const changed = listChanges(current, snapshot).filter(isReloadable);
      const restart = listChanges(started, snapshot).filter((key) => !isReloadable(key));
      current = snapshot;
      log.write(restart.length > 0 ? 'warn' : 'info', 'configuration reloaded', { changed, restart });
      return { problems: [], changed, restart };
    } catch (error) {
      const problems = error instanceof ConfigProblems ? error.problems : ['an unexpected error; report this bug'];
      const cause = error instanceof ConfigProblems ? undefined : error instanceof Error ? error.name : typeof error;
      log.write('error', 'configuration not reloaded', { problems, cause });
      return { problems, changed: [], restart: [] };
    }
  }
}
