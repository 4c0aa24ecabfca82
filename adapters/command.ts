import type { Command, Option } from 'commander';
import type { Offer, PortName } from '../src/ports/index.ts';
import type { Institution } from './adapter.ts';

/** Creates a command of an adapter. `puente` lists it with its own commands. */
export type CreateCommand = (program: Program) => Command;

/** The program as each command of an adapter gets it. */
export interface Program {
  /** `--config`, as in every command. */
  configOption(): Option;
  /**
   * Reads the configuration as `puente serve` does.
   * @throws ConfigProblems with all problems at once.
   */
  readConfig(file: string | undefined): Promise<CommandConfig>;
}

/** A valid configuration, and a command's operations on it. */
export interface CommandConfig {
  /** The file that was read, as an operator would type it. */
  readonly file: string;
  readonly institution: Institution;
  /** The configured adapters that come with Puente; the default one first. */
  readonly adapters: readonly ConfiguredSettings[];
  /** Formats a problem that is found later, beginning with the place of the key. */
  problem(path: readonly PropertyKey[], what: string): string;
  /**
   * Starts all adapters, runs the work with their ports, and stops the adapters.
   * @throws ConfigProblems when an adapter cannot be started.
   */
  withPorts<T>(work: (ports: Pick<Offer, PortName>) => Promise<T>): Promise<T>;
  /**
   * Writes the command's action to the audit trail, one record for each patient. Does nothing if there is no trail.
   * @throws StateUnavailable when the records cannot be written.
   */
  record(done: CommandRecord): Promise<void>;
}

/** An adapter's settings, validated by its schema. */
export interface ConfiguredSettings {
  /** The name in `adapters/loaders.ts`. */
  readonly name: string;
  /** The path of the settings in the configuration, e.g. `adapters`, `local`, `settings`. */
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
