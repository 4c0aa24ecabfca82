import type { HttpChange, HttpQuestion, HttpSettings } from './http/schema.ts';
import type { Change, Question, SourceCall } from './source.ts';
import type { DatabaseSettings, SqlChange } from './sql/schema.ts';

/** What of a mapping file says how its system is reached. */
export interface SystemSettings {
  /** Its name in logs. */
  readonly system: string;
  readonly http?: HttpSettings | undefined;
  readonly database?: DatabaseSettings | undefined;
}

/** Where questions are asked and changes are made. */
export interface Sources {
  /** @param select what stands before the question, if it is SQL. */
  question(definition: string | HttpQuestion, select?: string): Question;
  change(definition: SqlChange | HttpChange): Change;
  /**
   * Whether the system can be reached, and lets us in.
   * @throws Failure unavailable, timeout or overloaded.
   */
  reach(call: SourceCall): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens what the file names; no request is sent yet.
 * @throws SettingsProblem when a secret, a file or a package is missing.
 */
export async function openSources(_settings: SystemSettings): Promise<Sources> {
  throw new Error('is being written');
}
