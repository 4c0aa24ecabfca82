import type { Command, Option } from 'commander';
import type { Offer, PortName } from '../src/ports/index.ts';
import type { Institution } from './adapter.ts';

/** Makes a command of an adapter, which `puente` lists beside its own. */
export type CreateCommand = (program: Program) => Command;

/** The program passes this to each command of an adapter. */
export interface Program {
  /** `--config`, as every command has it. */
  configOption(): Option;
  /**
   * Reads the configuration, as `puente serve` does.
   * @throws ConfigProblems with all problems at once.
   */
  readConfig(file: string | undefined): Promise<CommandConfig>;
}

/** A valid configuration, and what a command does with it. */
export interface CommandConfig {
  /** The file that was read, as an operator would type it. */
  readonly file: string;
  readonly institution: Institution;
  /** The configured adapters that come with Puente, the default one first. */
  readonly adapters: readonly ConfiguredSettings[];
  /** The line for a problem that is found later, beginning with the place where the key was set. */
  problem(path: readonly PropertyKey[], what: string): string;
  /**
   * Starts all adapters, works with their ports, and stops the adapters.
   * @throws ConfigProblems when an adapter cannot be started.
   */
  withPorts<T>(work: (ports: Pick<Offer, PortName>) => Promise<T>): Promise<T>;
  /**
   * Writes to the audit trail what the command did, one record for each patient; nothing where there is no trail.
   * @throws StateUnavailable when the records cannot be written.
   */
  record(done: CommandRecord): Promise<void>;
}

/** Settings of an adapter that passed its schema. */
export interface ConfiguredSettings {
  /** The name in `adapters/loaders.ts`. */
  readonly name: string;
  /** Where the settings stand, e.g. `adapters`, `local`, `settings`. */
  readonly path: readonly string[];
  readonly settings: unknown;
}

/** The audit record of a command: its action, and the patients whose records it used. */
export interface CommandRecord {
  /** The words after `puente`. */
  readonly operation: string;
  readonly interaction: 'read' | 'search' | 'update';
  /** Default: `ended`. */
  readonly phase?: 'begun' | 'ended';
  readonly patients?: readonly string[];
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: string;
}
