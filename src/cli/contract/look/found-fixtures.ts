import type { FixtureName } from '../../../contract/index.ts';
import type { Finding } from '../map/write.ts';

/** The fixtures that were found so far. */
export class FoundFixtures {
  readonly all = new Map<FixtureName, Finding>();

  /** Notes a fixture that was found; nothing when the value is undefined. */
  add(name: FixtureName, value: unknown, note?: string): void {
    if (value !== undefined) this.all.set(name, { value, note });
  }
}
