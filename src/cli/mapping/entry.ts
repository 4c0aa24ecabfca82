import type { Name } from '../../../adapters/mapping/file/names.ts';
import type { MappingFile } from '../../../adapters/mapping/file/schema.ts';
import type { Thing } from '../../../adapters/mapping/file/thing.ts';
import { type ThingName, things } from '../../../adapters/mapping/file/things.ts';
import { didYouMean } from '../../toolkit/did-you-mean.ts';
import { ConfigProblems } from '../../toolkit/problems.ts';
import { addDays } from '../../toolkit/zone.ts';

/** A question or a change of a mapping file, e.g. `patients.byId`. */
export interface Entry {
  readonly thing: ThingName;
  readonly name: string;
  readonly isChange: boolean;
  /** The `:names` that it may use. */
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
    return [questions, changes].flatMap((all) =>
      Object.entries(all)
        .filter(([name]) => name in section)
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
export function complete(given: Given, { names }: Entry, today: string): Given {
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
