import 'reflect-metadata';
import { adapters } from '../../adapters/index.ts';
import { loadConfig } from '../../src/config/read.ts';
import { compose } from '../../src/runtime/container.ts';
import { ConfigProblems } from '../../src/toolkit/problems.ts';

// In a process of its own, because jest has another way to import than Node. Reads a list of { file, environment } from the
// arguments, and prints for each what became of it.

/** What a configuration came to: its problems, or the names of its adapters and what they offer. */
export interface Loaded {
  readonly problems?: readonly string[];
  readonly adapters?: readonly string[];
  readonly supports?: readonly string[];
  /** The name of an error that is none of the configuration. */
  readonly crash?: string;
}

interface Given {
  readonly file: string;
  readonly environment?: Readonly<Record<string, string>>;
}

async function load({ file, environment = {} }: Given): Promise<Loaded> {
  try {
    const composition = await compose(await loadConfig({ file, environment, adapters }));
    return { adapters: composition.adapters.map(({ name }) => name), supports: [...composition.supports] };
  } catch (error) {
    if (error instanceof ConfigProblems) return { problems: error.problems };
    return { crash: error instanceof Error ? error.name : typeof error };
  }
}

const loaded: Loaded[] = [];
const given = JSON.parse(process.argv[2] ?? '[]') as readonly Given[];
for (const each of given) loaded.push(await load(each));
process.stdout.write(JSON.stringify(loaded));
