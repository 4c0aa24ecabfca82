import { once } from 'node:events';
import { statSync, unlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { isReloadable, type LoadedConfig, listChanges, takeSnapshot } from '../config/read.ts';
import type { ClientLimits } from '../http/limits.ts';
import type { Log } from '../ports/index.ts';
import { getErrorCode } from '../toolkit/failures.ts';
import { ConfigProblems } from '../toolkit/problems.ts';
import { readAgain } from '../toolkit/settings-file.ts';
import { type Authentication, openIssuers } from './authentication.ts';
import type { Health } from './health.ts';
import type { OpenIssuer } from './issuers.ts';

/** The outcome: problems without any change, or keys of the configuration. */
interface ReloadOutcome {
  readonly problems: readonly string[];
  /** Keys that apply now. */
  readonly changed: readonly string[];
  /** Keys that need a restart. */
  readonly restart: readonly string[];
}

/** Reads after the call, so that earlier changes of files count. Reloads run one after another. */
export type Reload = () => Promise<ReloadOutcome>;

/** The reader of a reload, and the parts that apply its result. */
interface ReloadParts {
  readonly loaded: LoadedConfig;
  /** Reads the configuration again. @throws ConfigProblems */
  readonly read: () => Promise<LoadedConfig>;
  readonly authentication: Authentication;
  readonly clientLimits: ClientLimits;
  readonly health: Health;
  readonly log: Log;
}

/** Reloads tokens, issuers and limits of callers atomically while requests arrive. */
export function createReload(given: ReloadParts): Reload {
  const {
    loaded: { config },
    read,
    authentication,
    clientLimits,
    health,
    log,
  } = given;
  const started = takeSnapshot(config);
  let current = started;
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const outcome = last.then(() => readAgain(reload));
    last = outcome.catch(() => undefined);
    return outcome;
  };

  async function reload(): Promise<ReloadOutcome> {
    try {
      const loaded = await read();
      const before = authentication.issuers;
      const after = await openIssuers(loaded, before);
      // From here on, nothing fails or waits.
      authentication.replace(loaded, after);
      clientLimits.setQuotas(loaded.config.limits.clients);
      health.replace(listWatched(before), listWatched(after));
      const snapshot = takeSnapshot(loaded.config);
      const changed = listChanges(current, snapshot).filter(isReloadable);
      const restart = listChanges(started, snapshot).filter((key) => !isReloadable(key));
      current = snapshot;
      log.write(restart.length > 0 ? 'warn' : 'info', 'configuration reloaded', { changed, restart });
      return { problems: [], changed, restart };
    } catch (error) {
      const problems = error instanceof ConfigProblems ? error.problems : ['an unexpected error: report this bug'];
      const cause = error instanceof ConfigProblems ? undefined : error instanceof Error ? error.name : typeof error;
      log.write('error', 'configuration not reloaded', { problems, cause });
      return { problems, changed: [], restart: [] };
    }
  }
}

const listWatched = (issuers: readonly OpenIssuer[]) => issuers.map(({ watched }) => watched);

/** The request at the socket, e.g. by `curl -X POST --unix-socket FILE http://puente/reload`. */
export const reloadRequest = { method: 'POST', path: '/reload' } as const;

/** A server for this machine only: the permissions of its socket decide who may reload the gateway. */
export const createControlServer = (reload: () => Promise<ReloadOutcome>): Server =>
  createServer((req, res) => {
    req.resume();
    if (req.method !== reloadRequest.method || req.url !== reloadRequest.path) {
      res.writeHead(404).end();
      return;
    }
    void reload().then((outcome) => {
      res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(outcome));
    });
  });

/**
 * Listens on a Unix socket that only this user may use. It removes the socket file of a killed process.
 * @throws the system's error if it cannot be created: `EADDRINUSE` if another process listens, or if the file is not a
 * socket.
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  try {
    await bind(server, path);
  } catch (error) {
    const isLeft = getErrorCode(error) === 'EADDRINUSE' && statSync(path).isSocket() && !(await isAnswered(path));
    if (!isLeft) throw error;
    unlinkSync(path);
    await bind(server, path);
  }
}

async function bind(server: Server, path: string): Promise<void> {
  const before = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(before);
  }
  await once(server, 'listening');
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    return getErrorCode(error) !== 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}
