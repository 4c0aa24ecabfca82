import { randomUUID } from 'node:crypto';
import type { Institution } from '../../../adapters/adapter.ts';
import { adapters } from '../../../adapters/index.ts';
import { loadMapping } from '../../../adapters/mapping/file/load.ts';
import type { Name, Thing } from '../../../adapters/mapping/file/names.ts';
import { findQuestion } from '../../../adapters/mapping/file/questions.ts';
import type { MappingFile } from '../../../adapters/mapping/file/schema.ts';
import { type ThingName, things } from '../../../adapters/mapping/file/things.ts';
import { Hospital } from '../../../adapters/mapping/ports/hospital.ts';
import { openSources, type Sources } from '../../../adapters/mapping/sources/open-sources.ts';
import type { SourceExchange } from '../../../adapters/mapping/sources/source.ts';
import { type LoadedConfig, loadConfig } from '../../config/read.ts';
import { defaultTimeZone } from '../../config/schema.ts';
import { Failure, type OmittedRecord } from '../../ports/index.ts';
import { Omissions } from '../../toolkit/omissions.ts';
import { ConfigProblems, didYouMean, SettingsProblem } from '../../toolkit/problems.ts';
import { addDays } from '../../toolkit/zone.ts';

/** Where a mapping file is, and the institution that it is of. */
export interface Located {
  readonly path: string;
  readonly institution: Institution;
}

/** As configuration has it when it says nothing. */
export const defaultInstitution: Institution = { timeZone: defaultTimeZone, locale: 'es-AR', bookingHorizonDays: 60 };

/** The mapping files that a configuration names. */
export function locateAll({ config }: Pick<LoadedConfig, 'config'>): readonly Located[] {
  const named = [config.adapter, ...Object.values(config.adapters)];
  return named.flatMap(({ name, settings }) =>
    name === 'mapping' ? [{ path: String(settings.file), institution: config.institution }] : [],
  );
}

/**
 * The mapping file that is named, or that of the configuration.
 * @throws ConfigProblems when there is none.
 */
export async function locate({ file, config }: { readonly file?: string; readonly config?: string }): Promise<Located> {
  if (file !== undefined) return { path: file, institution: defaultInstitution };
  const loaded = await loadConfig({ file: config, environment: process.env, adapters });
  const [located] = locateAll(loaded);
  if (!located) throw new ConfigProblems([`${loaded.file} names no mapping file; name one by --file`]);
  return located;
}

/** @throws ConfigProblems with all that is wrong with the file. */
export const load = (path: string): MappingFile => {
  try {
    return loadMapping(path);
  } catch (error) {
    throw toConfigProblems(error);
  }
};

/**
 * Works with the institution of a mapping file, and lets go of its system afterwards.
 * @param open what stands for the system.
 * @throws ConfigProblems when a secret, a file or a package is missing.
 */
export async function use<T>(
  file: MappingFile,
  institution: Institution,
  work: (hospital: Hospital, sources: Sources) => Promise<T>,
  open: (file: MappingFile) => Promise<Sources> = (settings) => openSources({ ...settings, ...institution }),
): Promise<T> {
  const sources = await open(file).catch((error: unknown) => {
    throw toConfigProblems(error);
  });
  try {
    return await work(new Hospital(file, sources, institution), sources);
  } catch (error) {
    throw toConfigProblems(error);
  } finally {
    await sources.close();
  }
}

const toConfigProblems = (error: unknown): unknown =>
  error instanceof SettingsProblem
    ? new ConfigProblems(
        error.problems.map((problem) => (error.setting === 'file' ? problem : `${error.setting}: ${problem}`)),
      )
    : error;

/** A question or a change of a mapping file, e.g. `patients.byId`. */
export interface Entry {
  readonly thing: ThingName;
  readonly name: string;
  readonly isChange: boolean;
  readonly names: Readonly<Record<string, Name>>;
}

/** What is given to a question or a change, in the words of Puente. */
export type Given = Readonly<Record<string, unknown>>;

export const formatEntry = ({ thing, name }: Entry): string => `${thing}.${name}`;

/** All that the file answers and changes. */
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

/** @throws ConfigProblems when the file does not have it. */
export function findEntry(text: string, file: MappingFile): Entry {
  const entries = listEntries(file);
  const found = entries.find((each) => formatEntry(each) === text);
  if (found) return found;
  const known = entries.map(formatEntry);
  const hint = didYouMean(text, known) || `; it has ${known.join(', ')}`;
  throw new ConfigProblems([`the mapping file has no ${text}${hint}`]);
}

/** @throws ConfigProblems when something is given that the question or change has no use for. */
export function checkNames(given: Given, entry: Entry): void {
  const known = Object.keys(entry.names);
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const list = known.length > 0 ? `; it takes ${known.join(', ')}` : '; it takes nothing';
  throw new ConfigProblems(
    unknown.map((name) => `${formatEntry(entry)} takes no ${name}${didYouMean(name, known) || list}`),
  );
}

/** How many days of an agenda are asked for when nobody says which. */
const DAYS = 14;

/** With what follows from what is given: a window of whole days (the coming ones), the day and time of a booking, its first slot. */
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

export interface Outcome {
  readonly exchanges: readonly SourceExchange[];
  /** The records as the ports use them; of a change the id of what was made. */
  readonly gives?: unknown;
  /** What the file says that kept a change from being made, or the kind of another failure. */
  readonly fails?: string;
  /** The failure, where the file does not say it. */
  readonly failure?: Failure;
  /** Records that do not fit, with the field that does not. */
  readonly omitted: readonly (OmittedRecord & { readonly id: string | undefined })[];
  readonly milliseconds: number;
}

const TIMEOUT = 60_000;

/** Asks a question, or makes a change. */
export async function run(hospital: Hospital, entry: Entry, given: Given): Promise<Outcome> {
  const exchanges: SourceExchange[] = [];
  const omissions = new Omissions();
  const now = new Date().toISOString();
  const call = {
    requestId: randomUUID(),
    client: 'mapping',
    now,
    signal: AbortSignal.timeout(TIMEOUT),
    omit: omissions.add,
    observe: (exchange: SourceExchange) => void exchanges.push(exchange),
  };
  const values = complete(given, entry, hospital.zone.toLocalDay(now));
  const startedAt = performance.now();
  const came = await act(hospital, entry, values, call).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    // That none fits is told by those that do not.
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
): Promise<Pick<Outcome, 'gives' | 'fails'>> {
  if (!isChange) return { gives: await hospital.ask(thing, name as never, given, call) };
  const perSlot = [given.slotIds ?? []].flat().map((slotId, position) => ({ slotId, position, ...given }));
  const result = await hospital.change(thing, name as never, { ...given, perSlot }, call);
  return 'meaning' in result ? { fails: result.meaning } : { gives: result };
}
