import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Container } from 'inversify';
import type { Environment } from '../config/environment.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { Config } from '../config/schema.ts';
import { listen } from '../http/server.ts';
import { createStartingServer } from '../http/starting-server.ts';
import type { Impairment } from '../ports/index.ts';
import { explainDatabaseCode } from '../toolkit/database/causes.ts';
import { ConfigProblems, joinProblems } from '../toolkit/problems.ts';
import { formatAddress } from './banner.ts';
import { createContainer } from './container.ts';
import { WinstonLog } from './logger.ts';
import { tokens } from './tokens.ts';

/** Milliseconds until the next try: twice as many each time. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5_000;

/** Both servers; what listened while the gateway waited is where its own servers go on. */
export interface Listeners {
  readonly http: Server;
  readonly ops: Server | undefined;
}

/**
 * Makes all that the gateway needs to listen, as soon as its state and its adapters are there. While something is not that
 * waiting can mend, both ports say what.
 * @returns the container, and what listened meanwhile; undefined when there was nothing to wait for.
 * @throws ConfigProblems when only another configuration helps.
 */
export async function makeGateway(
  loaded: LoadedConfig,
  environment: Environment,
  readConfig: () => Promise<LoadedConfig>,
): Promise<{ readonly container: Container; readonly listeners: Listeners | undefined }> {
  let waiting: Waiting | undefined;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    const container = createContainer(loaded, environment, readConfig);
    try {
      await makeAll(container);
      return { container, listeners: waiting?.end() };
    } catch (error) {
      // It would repeat the error of what could not be made.
      await container.unbindAllAsync().catch(() => undefined);
      const awaited = error instanceof ConfigProblems ? error.awaited : [];
      if (awaited.length === 0) {
        waiting?.close();
        throw error;
      }
      waiting ??= await Waiting.begin(loaded.config);
      waiting.tell(awaited);
      await sleep(pause);
    }
  }
}

/** What others have to be there for comes first, each whatever became of the others, so that all problems are shown at once. */
async function makeAll(container: Container): Promise<void> {
  const needed = [tokens.adapters, tokens.state, tokens.issuers, tokens.middleware];
  const made = await Promise.allSettled(needed.map((token) => container.getAsync<unknown>(token)));
  const errors = made.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (errors.length > 0) throw joinProblems(errors);
  await container.getAsync(tokens.drain);
  await container.getAsync(tokens.opsServer);
  await container.getAsync(tokens.controlServer);
  await container.getAsync(tokens.reload);
}

const signals = ['SIGTERM', 'SIGINT'] as const;

/** Listens, and says what the gateway waits for; a signal ends the process with 0. */
class Waiting {
  readonly #log: WinstonLog;
  readonly #listeners: Listeners;
  readonly #stop = (signal: string) => {
    this.close();
    this.#log.write('info', 'drain started', { signal });
    this.#log.write('info', 'drain completed');
    void this.#log.close().finally(() => process.exit(0));
  };
  #address = '';
  #awaited: readonly Impairment[] = [];

  private constructor({ http, ops, log }: Config) {
    this.#log = new WinstonLog(log);
    const awaited = () => this.#awaited;
    this.#listeners = {
      http: createStartingServer(http.basePath, awaited, this.#log),
      ops: ops.port === undefined ? undefined : createStartingServer('', awaited, this.#log, true),
    };
    for (const signal of signals) process.once(signal, this.#stop);
  }

  static async begin(config: Config): Promise<Waiting> {
    const waiting = new Waiting(config);
    try {
      waiting.#address = formatAddress(config.http.host, await listenOnBoth(waiting.#listeners, config));
      return waiting;
    } catch (error) {
      waiting.close();
      throw error;
    }
  }

  /** Logs what is waited for, unless that is known. */
  tell(awaited: readonly Impairment[]): void {
    const known = this.#awaited.map(({ detail }) => detail);
    this.#awaited = awaited;
    for (const { detail, cause } of awaited) {
      if (known.includes(detail)) continue;
      const hint = explainDatabaseCode(cause ?? '');
      this.#log.write('warn', 'waiting', { address: this.#address, at: findSetting(detail), cause, hint });
    }
  }

  /** Leaves the ports to the servers of the gateway. */
  end(): Listeners {
    for (const signal of signals) process.off(signal, this.#stop);
    return this.#listeners;
  }

  close(): void {
    for (const server of Object.values(this.end())) {
      server?.close();
      server?.closeAllConnections();
    }
  }
}

/** The path of a setting, with which the sentence about it begins. */
const findSetting = (detail: string): string => detail.slice(0, detail.indexOf(' '));

/**
 * Listens on the port of the probes, if there is one, and on that of the callers.
 * @param at what listens there already, and hands over to these.
 * @returns the port of the callers.
 * @throws the system's error; its `section` is `ops` when that was for the probes.
 */
export async function listenOnBoth({ http, ops }: Listeners, config: Config, at?: Listeners): Promise<number> {
  const { host, port, maxConnections } = config.http;
  if (ops && config.ops.port !== undefined) {
    await listen(ops, at?.ops ?? { host: config.ops.host, port: config.ops.port }).catch((error: Error) => {
      throw Object.assign(error, { section: 'ops' });
    });
  }
  return listen(http, at?.http ?? { host, port, backlog: maxConnections });
}
