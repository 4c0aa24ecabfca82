import type { Environment } from '../../config/environment.ts';
import type { ProgressStream } from './progress.ts';
import type { Paint } from './reports/terminal.ts';

/** What the command uses of the process that it runs in. */
export interface CommandContext {
  readonly environment: Environment;
  readonly paint: Paint;
  /** Aborted when the operator wants it to stop. */
  readonly signal: AbortSignal;
  readonly progress: ProgressStream;
  print(text: string): void;
}
