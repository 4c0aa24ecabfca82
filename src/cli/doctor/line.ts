import type { Finding } from '../../ports/index.ts';

/** One line of what the doctor says. */
export interface Line extends Finding {
  /** What the line is about: `gateway`, the name of an adapter, or an operation. */
  readonly section: string;
}
