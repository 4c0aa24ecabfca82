import type { PartialFixtures } from '../../contract/index.ts';
import { promisedFixtures } from '../../contract/promised-fixtures.ts';
import { Skipped } from '../../contract/run.ts';
import type { Capability } from '../../ports/index.ts';

/**
 * The fixtures of a map, for an institution that offers these capabilities. What they promise is there until it is read,
 * which skips the case: one that does not use a fixture runs without it. It is one object, by which the contract remembers
 * which of `patients.spare` it took.
 */
export function watchFixtures(named: PartialFixtures, supports: ReadonlySet<Capability>): PartialFixtures {
  const promised = new Set<string>([...supports].flatMap((capability) => promisedFixtures[capability]));
  const watch = <T extends object>(values: T, prefix: string): T =>
    new Proxy(values, {
      has: (target, key) => Reflect.has(target, key) || promised.has(`${prefix}${String(key)}`),
      get: (target, key) => {
        const name = `${prefix}${String(key)}`;
        if (Reflect.has(target, key) || !promised.has(name)) return Reflect.get(target, key);
        throw new Skipped(`the map names no ${name}`);
      },
    });
  const groups = new Set([...promised].filter((name) => name.includes('.')).map((name) => name.split('.')[0] ?? ''));
  const watched = [...groups].map((group) => [group, watch(Object(Reflect.get(named, group)), `${group}.`)]);
  return watch({ ...named, ...Object.fromEntries(watched) }, '');
}
