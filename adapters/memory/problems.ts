import { SettingsProblem } from '../../src/toolkit/settings-problem.ts';

/** The problems that are shown; the others are only counted. */
const MAX_SHOWN = 20;

/**
 * What is wrong with a world, each with its path, e.g. `patients/12/birthDate: must be a date`. Never with the
 * value: a world may hold real people.
 */
export class Problems {
  readonly #shown: string[] = [];
  #count = 0;

  add(path: readonly PropertyKey[], message: string): void {
    this.#count++;
    if (this.#shown.length === MAX_SHOWN) return;
    this.#shown.push(path.length > 0 ? `${path.map(String).join('/')}: ${message}` : message);
  }

  /**
   * @param source the file, which each problem begins with.
   * @throws SettingsProblem when there are any.
   */
  check(source?: string): void {
    if (this.#count === 0) return;
    const shown = source === undefined ? this.#shown : this.#shown.map((problem) => `${source} ${problem}`);
    const more = this.#count - this.#shown.length;
    throw new SettingsProblem('world', more > 0 ? [...shown, `and ${more} more`] : shown);
  }
}
