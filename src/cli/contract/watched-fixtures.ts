import type { FixtureName, PartialFixtures } from '../../contract/index.ts';
import { promisedFixtures } from '../../contract/promised-fixtures.ts';
import type { Capability } from '../../ports/index.ts';

/** Ends a case that reads a fixture which the map does not name. */
class MissingFixture extends Error {
  override readonly name = 'MissingFixture';
}

/** The fixtures of a map, which tell what cases looked for in vain. */
export interface WatchedFixtures {
  /**
   * What the capabilities promise is there, until it is read: a case that does not use a fixture runs without it. It is one
   * object, by which the contract remembers whom of `patients.spare` it took.
   */
  readonly fixtures: PartialFixtures;
  /** What was read in vain since the last call. */
  takeMissing(): FixtureName[];
}

/** Watches fixtures of an institution that offers these capabilities. */
export function watchFixtures(named: PartialFixtures, supports: ReadonlySet<Capability>): WatchedFixtures {
  const promised = new Set<string>([...supports].flatMap((capability) => promisedFixtures[capability]));
  const missing = new Set<FixtureName>();
  const isPromised = (name: string): name is FixtureName => promised.has(name);
  const watch = <T extends object>(values: T, prefix: string): T =>
    new Proxy(values, {
      has: (target, key) => Reflect.has(target, key) || isPromised(`${prefix}${String(key)}`),
      get: (target, key) => {
        const name = `${prefix}${String(key)}`;
        if (Reflect.has(target, key) || !isPromised(name)) return Reflect.get(target, key);
        missing.add(name);
        throw new MissingFixture(`the map names no ${name}`);
      },
    });
  const groups = new Set([...promised].filter((name) => name.includes('.')).map((name) => name.split('.')[0] ?? ''));
  const watched = [...groups].map((group) => [group, watch(Object(Reflect.get(named, group)), `${group}.`)]);
  return {
    fixtures: watch({ ...named, ...Object.fromEntries(watched) }, ''),
    takeMissing: () => {
      const taken = [...missing];
      missing.clear();
      return taken;
    },
  };
}
