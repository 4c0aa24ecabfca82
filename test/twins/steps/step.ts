import fc from 'fast-check';
import type { Knowledge, Move } from '../knowledge.ts';
import type { Twin } from '../twin.ts';

/** Chooses a request with what is known by then; undefined when there is nothing to choose from. */
export type Build<C> = (choice: C, known: Knowledge, twin: Twin) => Move | undefined;

/** How a write is sent: several times at once, or under an `Idempotency-Key`. */
interface SendOptions {
  readonly times: number;
  readonly key: string | undefined;
}

const once: SendOptions = { times: 1, key: undefined };

const anySendOptions: fc.Arbitrary<SendOptions> = fc.oneof(
  { weight: 16, arbitrary: fc.constant(once) },
  { weight: 2, arbitrary: fc.record({ times: fc.integer({ min: 2, max: 4 }), key: fc.constant(undefined) }) },
  { weight: 1, arbitrary: fc.record({ times: fc.integer({ min: 1, max: 2 }), key: fc.constantFrom('k1', 'k2') }) },
);

/** One command of a sequence: chooses a request, sends it to both hospitals and looks at what it may have changed. */
export class Step implements fc.AsyncCommand<Knowledge, Twin> {
  readonly #name: string;
  readonly #act: (known: Knowledge, twin: Twin) => Promise<void>;

  constructor(name: string, act: (known: Knowledge, twin: Twin) => Promise<void>) {
    this.#name = name;
    this.#act = act;
  }

  check({ isOver }: Readonly<Knowledge>): boolean {
    return !isOver;
  }

  async run(known: Knowledge, twin: Twin): Promise<void> {
    await this.#act(known, twin);
    known.isOver = twin.isOver;
  }

  toString(): string {
    return this.#name;
  }
}

export type Steps = fc.WeightedArbitrary<Step>;

/** A step that changes nothing. */
export const read = <C>(name: string, weight: number, choices: fc.Arbitrary<C>, build: Build<C>): Steps => ({
  weight,
  arbitrary: choices.map(
    (choice) => new Step(name, (known, twin) => perform(build(choice, known, twin), once, known, twin)),
  ),
});

/** A step that may change something. */
export const write = <C>(name: string, weight: number, choices: fc.Arbitrary<C>, build: Build<C>): Steps => ({
  weight,
  arbitrary: fc
    .tuple(choices, anySendOptions)
    .map(
      ([choice, options]) => new Step(name, (known, twin) => perform(build(choice, known, twin), options, known, twin)),
    ),
});

async function perform(
  move: Move | undefined,
  { times, key }: SendOptions,
  known: Knowledge,
  twin: Twin,
): Promise<void> {
  if (!move) return;
  const { views = () => [] } = move;
  const request = { ...(key !== undefined && { key }), ...move.request };
  for (const answer of await twin.ask(request, times)) known.learn(request, answer);
  if (request.key !== undefined) known.keyed = { ...move, request };
  for (const view of views(known)) {
    if (twin.isOver) return;
    for (const answer of await twin.ask(view)) known.learn(view, answer);
  }
}
