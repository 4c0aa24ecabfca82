export type Environment = Readonly<Record<string, string>>;

/** A request, as a caller who does nothing wrong sends it. */
export interface Wanted {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Default: 200. */
  readonly status?: number;
}

/** What is attacked. */
export interface Target {
  readonly port: number;
  readonly opsPort: number;
  /** A token of a client that is not that of the others. */
  readonly token: string;
  /** For how long the attack goes on. */
  readonly seconds: number;
  /** How the gateway is configured. */
  readonly environment: Environment;
  /** Makes attackers tell themselves apart: 0 for the first. */
  readonly index: number;
}

/** Attacks until the time is over, and resolves to what came of it, in words. */
export type Attack = (target: Target) => Promise<string>;

/** What is known when the gateway has ended. */
export interface Ran {
  /** How it was configured; its folder has its state. */
  readonly environment: Environment;
  readonly folder: string;
  /** Lines of its log. */
  readonly logLines: number;
  /** Of each attacker. */
  readonly outcomes: readonly string[];
}

/** One row of the table: who does what to the gateway, and what others ask meanwhile. Functions run in processes of their own. */
export interface Row {
  readonly title: string;
  /** Bytes by which memory may grow; default: 150 MB. */
  readonly memory?: number;
  /** Milliseconds that `/livez` of the callers' port may take; default: 500. */
  readonly livez?: number;
  /** Configures the gateway, beside what `processes.ts` does. */
  readonly environment?: Environment;
  /** Starts the system of a hospital, which serves until its process is ended, and resolves to what configures the gateway for it. */
  readonly hospital?: () => Promise<Environment>;
  readonly attackers: readonly Attack[];
  /** Sent in turn; default: one patient. */
  readonly others?: readonly Wanted[];
  /** Runs here when all is over, and resolves to what does not hold, each in a sentence. */
  readonly examine?: (ran: Ran) => Promise<readonly string[]>;
}

/** The callers who do nothing wrong, of whom the first is a trusted proxy. Whoever attacks has another address. */
export const addresses = { proxy: '127.0.1.1', other: '127.0.1.2', prober: '127.0.1.3' } as const;
