import { Failure } from '../../src/ports/index.ts';

/**
 * What was found under an id that a request names.
 * @param at the field of the port's argument that names it.
 * @throws Failure invalid when nothing was found.
 */
export function requireFound<T extends object | true>(found: T | false | undefined, what: string, at: string): T {
  if (found === undefined || found === false) throw new Failure('invalid', `there is no such ${what}`, { at });
  return found;
}
