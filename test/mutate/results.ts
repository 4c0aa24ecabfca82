import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { digest } from './digest.ts';
import type { Mutant } from './mutant.ts';
import type { Outcome } from './test-mutant.ts';

interface Entry {
  readonly key: string;
  readonly tests: string;
  readonly outcome: Outcome;
}

/** The outcomes so far, in a file of which each line is one; who interrupts a run loses one mutant. */
export class Results {
  readonly #file: string;
  readonly #tests: string;
  readonly #known = new Map<string, Outcome>();

  /** @param tests a digest of all tests: what survived is tried again with other tests. */
  constructor(file: string, tests: string) {
    this.#file = file;
    this.#tests = tests;
    if (!existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
      const entry: Entry = JSON.parse(line);
      if (entry.outcome.state === 'killed' || entry.tests === tests) this.#known.set(entry.key, entry.outcome);
    }
  }

  find(mutant: Mutant, text: string): Outcome | undefined {
    return this.#known.get(toKey(mutant, text));
  }

  add(mutant: Mutant, text: string, outcome: Outcome): void {
    const key = toKey(mutant, text);
    this.#known.set(key, outcome);
    appendFileSync(this.#file, `${JSON.stringify({ key, tests: this.#tests, outcome } satisfies Entry)}\n`);
  }
}

const toKey = ({ file, start, end, replacement }: Mutant, text: string): string =>
  `${file}:${start}-${end}:${digest(replacement)}:${digest(text)}`;
