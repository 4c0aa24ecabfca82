import { ignoreFailure } from '../../../src/toolkit/failures.ts';
import { isId, parseReferenceId } from '../schema/datatypes.ts';
import type { Resource, ResourceType } from '../schema/resources.ts';
import type { Ladder } from './ladder.ts';
import type { SearchQuery } from './query.ts';
import type { SearchOptions } from './search.ts';
import type { SearchResult } from './search-result.ts';
import type { ServerCall } from './transport.ts';

/** The search functions of a client. */
interface Searcher {
  readonly ladder: Ladder;
  readonly search: <T extends ResourceType>(
    type: T,
    query: SearchQuery,
    call: ServerCall,
    options: SearchOptions,
  ) => Promise<SearchResult<T>>;
}

/** The number of references in one search. Long lists use POST. */
const REFERENCES = 200;

/** Milliseconds after which an inconclusive trial is repeated. */
const RETRIAL_MS = 300_000;

/**
 * The types whose `_revinclude` is essential: a slot with an appointment is taken, and a merged record belongs to its
 * survivor.
 */
const protectedTypes = ['Slot', 'Patient'] as const satisfies readonly ResourceType[];

/**
 * Finds resources that refer to the matches of a search. If the server ignores `_revinclude`, it sends another search.
 * One trial, with the slot of an appointment, shows whether the server obeys.
 */
export class Referring {
  readonly #client: Searcher;
  #triedAt = Number.NEGATIVE_INFINITY;
  #trial: Promise<void> = Promise.resolve();

  constructor(client: Searcher) {
    this.#client = client;
  }

  /** Adds the referring resources to the result. */
  async complete<T extends ResourceType>(
    type: T,
    { _revinclude }: SearchQuery,
    found: SearchResult<T>,
    call: ServerCall,
  ): Promise<void> {
    const { source, parameter } = parseRevinclude(_revinclude);
    if (source === undefined || parameter === undefined || found.matches.length === 0) return;
    const { ladder } = this.#client;
    if (found.hasIncluded(source)) return ladder.confirm(type, '_revinclude');
    if (type === 'Slot') await this.#tryOnce(call);
    // If no appointment names a slot, the trial is inconclusive. A merged record is recognizable by its own id.
    const isAsked = !found.lacks.has('_revinclude') && ladder.heeds(type, '_revinclude');
    if (isAsked && (ladder.obeys(type, '_revinclude') || type !== 'Slot')) return;
    const ids = found.matches.map(({ id }) => `${type}/${id}`);
    for (let from = 0; from < ids.length; from += REFERENCES) {
      const query = { [parameter]: ids.slice(from, from + REFERENCES).join(','), _count: '200' };
      found.add(await this.#client.search(source, query, call, { lenient: true }));
    }
    if (found.hasIncluded(source) && isAsked) this.#notice();
  }

  /** Runs the trial unless its result is known. */
  async #tryOnce(call: ServerCall): Promise<void> {
    if (this.#client.ladder.isTried('Slot', '_revinclude')) return;
    if (performance.now() - this.#triedAt > RETRIAL_MS) {
      this.#triedAt = performance.now();
      this.#trial = this.#try(call).catch(ignoreFailure);
    }
    await this.#trial;
  }

  /** As `complete` before the first search, for the start of a gateway. */
  prepare(call: ServerCall): Promise<void> {
    return this.#tryOnce(call);
  }

  async #try(call: ServerCall): Promise<void> {
    const client = this.#client;
    const coming = {
      date: `ge${new Date().toISOString()}`,
      status: 'booked,pending',
      _elements: 'status,slot',
      _count: '50',
    };
    const page = { onePage: true, lenient: true, asAnswered: true } as const;
    const some = await client.search('Appointment', coming, call, page);
    const id = some.matches.flatMap(listSlotIds).find(isId);
    if (id === undefined) return;
    const found = await client.search('Slot', { _id: id, _revinclude: 'Appointment:slot' }, call, page);
    if (found.hasIncluded('Appointment')) for (const type of protectedTypes) client.ladder.confirm(type, '_revinclude');
    else if (found.matches.length > 0 && client.ladder.heeds('Slot', '_revinclude')) this.#notice();
  }

  /** A server that ignores the parameter ignores it for every type. */
  #notice(): void {
    for (const type of protectedTypes) this.#client.ladder.notice(type, '_revinclude');
  }
}

const listSlotIds = ({ slot = [] }: Resource<'Appointment'>): string[] =>
  slot.flatMap((each) => parseReferenceId(each, 'Slot') ?? []);

const sources: Readonly<Record<string, ResourceType>> = { Appointment: 'Appointment', Patient: 'Patient' };

/** The referring type, and its search parameter. */
function parseRevinclude(value: SearchQuery[string]): {
  readonly source?: ResourceType | undefined;
  readonly parameter?: string | undefined;
} {
  const [type = '', parameter] = typeof value === 'string' ? value.split(':') : [];
  return { source: sources[type], parameter };
}
