import { randomInt } from 'node:crypto';
import type { MappingFile } from '../../../adapters/mapping/file/schema.ts';
import { type ThingName, things } from '../../../adapters/mapping/file/things.ts';
import { createMomentReader, findPart, formatMoment } from '../../../adapters/mapping/formats/date-pattern.ts';
import { listFields, type Replace } from './replace-values.ts';

/** The text with its letters and digits hidden: `FERREYRA, Ana 31` is `XXXXXXXX, Xxx 00`. */
export const mask: Replace = (text) =>
  replaceCharacters(text, { capital: () => 'X', small: () => 'x', digit: () => '0' });

/**
 * Invents texts of the same shape: a letter for a letter, a digit for a digit, a day or time that exists for one that the
 * file can read. The same text becomes the same one each time.
 */
export function createInvention(file: MappingFile): Replace {
  const patterns = listPatterns(file);
  const invented = new Map<string, string>();
  return (text) => {
    const found = invented.get(text) ?? inventTime(text, patterns) ?? replaceCharacters(text, random);
    invented.set(text, found);
    return found;
  };
}

interface Characters {
  readonly capital: () => string;
  readonly small: () => string;
  readonly digit: (isFirst: boolean) => string;
}

/** A zero in front stays one: it says how numbers are written. */
const replaceCharacters = (text: string, { capital, small, digit }: Characters): string =>
  text.replaceAll(/\p{Lu}|\p{L}|\p{N}/gu, (found, at: number) => {
    if (!/\p{N}/u.test(found)) return /\p{Lu}/u.test(found) ? capital() : small();
    const isFirst = !/\p{N}$/u.test(text.slice(0, at));
    return isFirst && found === '0' ? found : digit(isFirst);
  });

const pick = (from: string): string => from.charAt(randomInt(from.length));
const random: Characters = {
  capital: () => pick('ABCDEFGHIJKLMNOPQRSTUVWXYZ'),
  small: () => pick('abcdefghijklmnopqrstuvwxyz'),
  digit: (isFirst) => String(randomInt(isFirst ? 1 : 0, 10)),
};

const isoPatterns = ['yyyy-MM-dd', 'HH:mm', 'HH:mm:ss', 'yyyy-MM-dd HH:mm', 'yyyy-MM-dd HH:mm:ss'];

/** All ways in which the file reads days and times, and their parts, which may stand in columns of their own. */
function listPatterns(file: MappingFile): readonly string[] {
  const formats = (Object.keys(things) as ThingName[])
    .flatMap((thing) => listFields(file, thing))
    .flatMap(({ conversion: { format } }) => format ?? []);
  const parts = formats.flatMap((format) => [findPart(format, 'day') ?? [], findPart(format, 'time') ?? []].flat());
  const iso = isoPatterns.flatMap((pattern) => [pattern, pattern.replace(' ', 'T')]);
  return [...new Set([...formats, ...parts, ...iso])];
}

/** Undefined when the text is no day or time; fractions of a second and an offset stay as they are. */
function inventTime(text: string, patterns: readonly string[]): string | undefined {
  const [end = ''] = /(?<=:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? [];
  const local = text.slice(0, text.length - end.length);
  for (const pattern of patterns) {
    const read = createMomentReader(pattern)(local);
    if (read?.local) return formatMoment(pattern, { ...read, local: inventLocal(read.local) }) + end;
  }
  return undefined;
}

/** No part begins with a zero: `1010` may be the time 10:10 or a number, which has none in front in JSON. */
const inventLocal = (local: string): string =>
  `${local.slice(0, 3)}${randomInt(10)}-${randomInt(10, 13)}-${randomInt(10, 29)}T${randomInt(10, 20)}:${randomInt(10, 60)}:00`;
