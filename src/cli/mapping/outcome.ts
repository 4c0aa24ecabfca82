import { randomUUID } from 'node:crypto';
import type { Hospital } from '../../../adapters/mapping/ports/hospital.ts';
import type { Exchange } from '../../../adapters/mapping/sources/source.ts';
import { Failure, type OmittedRecord } from '../../ports/index.ts';
import { complete, type Entry, type Given } from './entry.ts';

/** What came of a question or a change. */
export interface Outcome {
  /** What went to the system, and what came from it. */
  readonly exchanges: readonly Exchange[];
  /** The records as the ports use them; of a change the id of what was made. */
  readonly gives?: unknown;
  /** What the file says that kept a change from being made, or the kind of another failure. */
  readonly fails?: string;
  /** The failure, where the file does not say it. */
  readonly failure?: Failure;
  /** Records that do not fit, with the field that does not. */
  readonly omitted: readonly (OmittedRecord & { readonly id?: string })[];
  readonly milliseconds: number;
}

const TIMEOUT = 60_000;

/** Asks a question, or makes a change. */
export async function run(hospital: Hospital, entry: Entry, given: Given): Promise<Outcome> {
  const exchanges: Exchange[] = [];
  const omitted: (OmittedRecord & { id?: string })[] = [];
  const now = new Date().toISOString();
  const call = {
    requestId: randomUUID(),
    client: 'mapping',
    now,
    signal: AbortSignal.timeout(TIMEOUT),
    omit: (record: OmittedRecord) => void omitted.push(record),
    identifyOmitted: (record: OmittedRecord, id: string) => void omitted.splice(-1, 1, { ...record, id }),
    observe: (exchange: Exchange) => void exchanges.push(exchange),
  };
  const values = complete(given, entry, hospital.zone.toLocalDay(now));
  const startedAt = performance.now();
  const came = await act(hospital, entry, values, call).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    // That none fits is told by those that do not.
    return omitted.length > 0 && error.kind === 'bad_answer'
      ? { gives: [] }
      : { fails: error.code ?? error.kind, failure: error };
  });
  return { ...came, exchanges, omitted, milliseconds: Math.round(performance.now() - startedAt) };
}

async function act(
  hospital: Hospital,
  { thing, name, isChange }: Entry,
  given: Given,
  call: Parameters<Hospital['ask']>[3],
): Promise<Pick<Outcome, 'gives' | 'fails'>> {
  if (!isChange) return { gives: await hospital.ask(thing, name as never, given, call) };
  const slots = [given.slotIds ?? []].flat().map((slotId, position) => ({ slotId, position, ...given }));
  const result = await hospital.change(thing, name as never, given, call, slots);
  return 'meaning' in result ? { fails: result.meaning } : { gives: result };
}
