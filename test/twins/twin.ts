import type { Response } from '../../src/contract/index.ts';
import type { Day, LocalDateTime } from '../../src/ports/index.ts';
import type { Zone } from '../../src/toolkit/zone.ts';
import { DRIFT_DAYS, type Hospitals } from './hospitals.ts';
import type { Ids } from './ids.ts';
import type { KnownDisagreement } from './known/known.ts';
import { type Difference, listDifferences, type Outcome, toOutcome } from './outcome.ts';
import type { KeyedRequest, Side } from './side.ts';

/** What was asked of both hospitals and what either answered, in the ids of the one in memory. */
export interface Exchange {
  /** Local time. */
  readonly at: string;
  readonly request: KeyedRequest;
  /** One for each time that it was sent at once. */
  readonly memory: readonly Outcome[];
  readonly fhir: readonly Outcome[];
  /** Empty when they agree. */
  readonly differences: readonly Difference[];
  /** What explains the differences, when each is known. */
  readonly known: readonly KnownDisagreement[];
}

/** Two answers that say different things. */
export class Disagreement extends Error {
  override readonly name = 'Disagreement';
  readonly exchange: Exchange;

  constructor(exchange: Exchange) {
    super(`the two adapters disagree on ${exchange.request.route}`);
    this.exchange = exchange;
  }
}

/** The same hospital twice, which are asked the same and have to answer the same. */
export class Twin {
  readonly #memory: Side;
  readonly #fhir: Side;
  readonly #ids: Ids;
  readonly #hospitals: Hospitals;
  readonly #known: readonly KnownDisagreement[];
  readonly #generated = new Set<unknown>();
  readonly exchanges: Exchange[] = [];
  now: Date;
  /** A known disagreement has left the two hospitals different: nothing that they say from here on can be compared. */
  isOver = false;

  constructor(hospitals: Hospitals, known: readonly KnownDisagreement[]) {
    const { memory, fhir, ids } = hospitals.reset();
    this.#memory = memory;
    this.#fhir = fhir;
    this.#ids = ids;
    this.#hospitals = hospitals;
    this.#known = known;
    this.now = new Date(hospitals.scene.now);
  }

  get zone(): Zone {
    return this.#hospitals.zone;
  }

  get localTime(): LocalDateTime {
    return this.zone.toLocalTime(this.now.toISOString());
  }

  /** The institution's day. */
  get today(): Day {
    return this.localTime.slice(0, 10);
  }

  /** Puts the clock forward to that moment, as long as slots are published far enough ahead. */
  wait(moment: number): void {
    const end = Date.parse(this.#hospitals.scene.now) + DRIFT_DAYS * 86_400_000;
    if (moment > this.now.getTime() && moment <= end) this.now = new Date(moment);
  }

  /**
   * Sends the request to both, as often as it says at once, and returns what the FHIR server answered.
   * @param request in the ids of the FHIR server.
   * @throws Disagreement unless both answer the same, or it is known why they do not.
   */
  async ask(request: KeyedRequest, times = 1): Promise<readonly Response[]> {
    const own = this.#ids.toMemory(request);
    const send = (side: Side, asked: KeyedRequest) =>
      Promise.all(Array.from({ length: times }, () => side(asked, this.now)));
    const [memory, fhir] = await Promise.all([send(this.#memory, own), send(this.#fhir, request)]);
    this.#noteGenerated(request, memory);
    const exchange = this.#compare(request, own, memory, fhir);
    this.exchanges.push(exchange);
    if (exchange.differences.length > 0 && exchange.known.length === 0) throw new Disagreement(exchange);
    this.isOver ||= exchange.known.some(({ harmless }) => !harmless);
    return fhir;
  }

  #compare(request: KeyedRequest, own: KeyedRequest, memory: readonly Response[], fhir: readonly Response[]): Exchange {
    const mask = (value: unknown) => this.#ids.mask(value);
    const key = (outcome: Outcome) => JSON.stringify(mask(outcome));
    const [inMemory, inFhir] = [memory, fhir].map((all) =>
      all
        .map((response) => toOutcome(request.route, this.#withoutGenerated(response), mask))
        .toSorted((a, b) => (key(a) < key(b) ? -1 : 1)),
    ) as [Outcome[], Outcome[]];
    if (inMemory.every(({ status }, index) => status === inFhir[index]?.status)) this.#ids.learn(inFhir, inMemory);
    const exchange = {
      at: this.localTime,
      request: this.#ids.toReadable(own),
      memory: this.#ids.toReadable(inMemory),
      fhir: this.#ids.toReadable(inFhir),
    };
    const differences = listDifferences(exchange.memory, exchange.fhir);
    const known = differences.map((difference) =>
      this.#known.find((each) => each.explains({ ...exchange, difference, before: this.exchanges })),
    );
    const all = known.filter((each) => each !== undefined);
    return { ...exchange, differences, known: all.length === known.length ? [...new Set(all)] : [] };
  }

  /** Registering in memory gives a number of the clinical record, which a FHIR server does not: docs/reference/fhir/gaps.md. */
  #noteGenerated({ route, body }: KeyedRequest, memory: readonly Response[]): void {
    const given = (body ?? {}) as { medical_record_id?: string };
    if (route !== 'POST /patients/' || given.medical_record_id) return;
    for (const answer of memory) {
      const { id, medical_record_id: number } = answer.body as { id?: string; medical_record_id?: string };
      if (id !== undefined && this.#ids.mask(id) === '?') this.#generated.add(number);
    }
  }

  #withoutGenerated(response: Response): Response {
    if (this.#generated.size === 0) return response;
    return JSON.parse(JSON.stringify(response), (key, part: unknown) =>
      key === 'medical_record_id' && this.#generated.has(part) ? '' : part,
    );
  }
}
