import { randomUUID } from 'node:crypto';
import { Failure, type OmittedRecord } from '../../../src/ports/index.ts';
import { Omissions } from '../../../src/toolkit/omissions.ts';
import { ConfigProblems, didYouMean } from '../../../src/toolkit/problems.ts';
import { addDays } from '../../../src/toolkit/zone.ts';
import type { Name, Thing } from '../file/names.ts';
import { findQuestion } from '../file/questions.ts';
import type { MappingFile } from '../file/schema.ts';
import { type ThingName, things } from '../file/things.ts';
import type { Hospital } from '../ports/hospital.ts';
import type { SourceExchange } from '../sources/source.ts';

/** A question or a change of a mapping file, e.g. `patients.byId`. */
export interface Entry {
  readonly thing: ThingName;
  readonly name: string;
  readonly isChange: boolean;
  readonly names: Readonly<Record<string, Name>>;
}

/** The values for a question or a change, by Puente's names. */
export type Given = Readonly<Record<string, unknown>>;

export const formatEntry = ({ thing, name }: Entry): string => `${thing}.${name}`;

/** All questions and changes of the file. */
export const listEntries = (file: MappingFile): readonly Entry[] =>
  (Object.keys(things) as ThingName[]).flatMap((thing) => {
    const { questions, changes }: Thing = things[thing];
    const section: object = file[thing] ?? {};
    const has = (name: string) => name in section || findQuestion(file, thing, name) !== undefined;
    return [questions, changes].flatMap((all) =>
      Object.entries(all)
        .filter(([name]) => has(name))
        .map(([name, names]) => ({ thing, name, names, isChange: all === changes })),
    );
  });

/** @throws ConfigProblems if the file does not have it. */
export function findEntry(text: string, file: MappingFile): Entry {
  const entries = listEntries(file);
  const found = entries.find((each) => formatEntry(each) === text);
  if (found) return found;
  const known = entries.map(formatEntry);
  const hint = didYouMean(text, known) || `: use one of ${known.join(', ')}`;
  throw new ConfigProblems([`the mapping file has no ${text}${hint}`]);
}

/** @throws ConfigProblems for a value that the question or change does not use. */
export function checkNames(given: Given, entry: Entry): void {
  const known = Object.keys(entry.names);
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const list = known.length > 0 ? `: use ${known.join(', ')}` : ': remove it';
  throw new ConfigProblems(
    unknown.map((name) => `${formatEntry(entry)} takes no ${name}${didYouMean(name, known) || list}`),
  );
}

/** The default number of days of an agenda. */
const DAYS = 14;

/** Adds derived values: a window of whole days (the coming ones), the day and time of a booking, and its first slot. */
function complete(given: Given, { names }: Entry, today: string): Given {
  const { from = given.fromDay ?? today, to = given.toDay ?? addDays(today, DAYS), start, slotIds = [] } = given;
  const toEnd = (day: unknown, time: string) =>
    'from' in names && !String(day).includes('T') ? `${day}T${time}` : String(day);
  const window = { from: toEnd(from, '00:00:00'), to: toEnd(to, '23:59:59') };
  const all = {
    ...{ startDay: start, startTime: start, firstSlotId: [slotIds].flat()[0] },
    ...given,
    ...{ ...window, fromDay: window.from, toDay: window.to },
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => name in names));
}

export interface EntryOutcome {
  readonly exchanges: readonly SourceExchange[];
  /** The records in the form of the ports. For a change, the id of the new record. */
  readonly gives?: unknown;
  /** The meaning in the file that prevented a change, or the kind of another failure. */
  readonly fails?: string;
  /** The failure, if it has no meaning in the file. */
  readonly failure?: Failure;
  /** Records that do not match, with the field. */
  readonly omitted: readonly (OmittedRecord & { readonly id: string | undefined })[];
  readonly milliseconds: number;
}

const TIMEOUT = 60_000;

/** The context of a tool's call. */
export const createCall = () => ({
  requestId: randomUUID(),
  client: 'mapping',
  now: new Date().toISOString(),
  signal: AbortSignal.timeout(TIMEOUT),
  omit: (): void => undefined,
});

/** Sends a question or a change. */
export async function run(hospital: Hospital, entry: Entry, given: Given): Promise<EntryOutcome> {
  const exchanges: SourceExchange[] = [];
  const omissions = new Omissions();
  const call = {
    ...createCall(),
    omit: omissions.add,
    observe: (exchange: SourceExchange) => void exchanges.push(exchange),
  };
  const values = complete(given, entry, hospital.zone.toLocalDay(call.now));
  const startedAt = performance.now();
  const came = await act(hospital, entry, values, call).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    // The omissions explain why no record fits.
    return omissions.list.length > 0 && error.kind === 'bad_answer'
      ? { gives: [] }
      : { fails: error.code ?? error.kind, failure: error };
  });
  const omitted = omissions.list.map(({ record, id }) => ({ ...record, id }));
  return { ...came, exchanges, omitted, milliseconds: Math.round(performance.now() - startedAt) };
}

async function act(
  hospital: Hospital,
  { thing, name, isChange }: Entry,
  given: Given,
  call: Parameters<Hospital['ask']>[3],
): Promise<Pick<EntryOutcome, 'gives' | 'fails'>> {
  if (!isChange) return { gives: await hospital.ask(thing, name as never, given, call) };
  const perSlot = [given.slotIds ?? []].flat().map((slotId, position) => ({ slotId, position, ...given }));
  const result = await hospital.change(thing, name as never, { ...given, perSlot }, call);
  return 'meaning' in result ? { fails: result.meaning } : { gives: result };
}
