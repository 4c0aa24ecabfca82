import { addMinutes, formatBound, type Zone } from '../../../src/toolkit/zone.ts';
import type { Name } from '../file/names.ts';
import type { Conversion, Kind, Leaf, MappingFile } from '../file/schema.ts';
import {
  createMomentReader,
  findPart,
  findZoneToken,
  formatMoment,
  getUnit,
  type Moment,
  toEpoch,
} from '../formats/date-pattern.ts';
import type { Scalar } from '../sources/source.ts';

/** The result for a text that does not match its field. */
export const unfit = Symbol('unfit');

/** Converts between a system's texts and one field of the port. */
export interface Converter {
  /** The value of the port. Undefined for an absent value, `unfit` for an unreadable one. */
  read(text: string): unknown;
  /**
   * Every form in which the system may store the value, the one for writes first. Empty if the system cannot store it.
   */
  write(value: unknown, part?: Name['part']): readonly Scalar[];
}

/** The tables of codes, and the zone of local times. */
export type Surroundings = Pick<MappingFile, 'codes'> & { readonly zone: Zone };

/** Reads a text as a value of a kind by the default rules. */
type TextReader = (text: string) => unknown;

const flags: Readonly<Record<string, boolean>> = { true: true, false: false, t: true, f: false, 1: true, 0: false };

/** The converter of a field for both directions. */
export function createConverter(leaf: Leaf, conversion: Conversion, { codes, zone }: Surroundings): Converter {
  const given = typeof conversion.codes === 'string' ? codes[conversion.codes] : conversion.codes;
  const table = given && new Map(Object.entries(given).map(([code, word]) => [code, String(word)]));
  const nothing = new Set(conversion.none?.map(String));
  const readKind = createReader(leaf, conversion, zone);
  // `0.00` is the 0 of `none`, and `1900-01-01 00:00:00` is its 1900-01-01.
  const nothingRead = new Set(
    table || leaf.kind === 'flag' ? [] : [...nothing].map(readKind).filter((each) => each !== unfit),
  );
  const write = createWriter(leaf.kind, conversion, zone);
  const read: Converter['read'] = (whole) => {
    const text = cut(whole, conversion);
    if (nothing.has(text)) return undefined;
    const word = table ? table.get(text) : text;
    if (word !== undefined && word !== '') {
      const value = readKind(word);
      return nothingRead.has(value) ? undefined : value;
    }
    return text === '' || word === '' ? undefined : unfit;
  };
  return {
    read: leaf.kind === 'ids' ? (whole) => readIds(whole, read) : read,
    write: (value, part) => {
      // An empty text removes a value, and is not a number.
      if (value === '' && !conversion.numeric) return [''];
      if (table) return [...table].flatMap(([code, word]) => (word === String(value) ? [code] : []));
      return write(value, part);
    },
  };
}

/** The ids in a text: the whole text, which may be one id, and its parts. `unfit` if neither is readable. */
function readIds(text: string, read: Converter['read']): unknown {
  const [whole, ...parts] = [text, ...text.split(/[\s,;|]+/).filter(Boolean)].map(read);
  const isReadable = whole !== unfit || (parts.length > 1 && !parts.includes(unfit));
  const ids = new Set([whole, ...parts].filter((id) => id !== unfit && id !== undefined));
  if (!isReadable) return unfit;
  return ids.size > 0 ? [...ids] : undefined;
}

/** The part of a text before or after a separator. Without the separator, all of it is before. */
function cut(given: string, { before, after }: Conversion): string {
  if (before === undefined && after === undefined) return given;
  let text = given;
  if (after !== undefined) text = text.includes(after) ? text.slice(text.indexOf(after) + after.length) : '';
  if (before !== undefined && text.includes(before)) text = text.slice(0, text.indexOf(before));
  return text.trim();
}

function createReader({ kind, mayBeEmpty }: Leaf, conversion: Conversion, zone: Zone): TextReader {
  const { format, numeric, encode } = conversion;
  const read = createMomentReader(format, kind === 'time');
  const readBy = (convert: (moment: Moment) => string | undefined) => (text: string) => {
    const moment = read(text);
    return (moment?.local && convert(moment)) || unfit;
  };
  switch (kind) {
    case 'number':
      return readNumber;
    case 'flag':
      return (text) => flags[text] ?? unfit;
    case 'day': {
      const readDay = readBy((moment) => toDay(moment, zone));
      if (!mayBeEmpty) return readDay;
      return (text) => {
        if (read(text)?.local === '' || noDay.test(text)) return '';
        return partOfDay.test(text) ? text : readDay(text);
      };
    }
    case 'dateTime': {
      const readLocal = readBy((moment) => toLocal(moment, zone));
      // A day whose time is missing did not begin at midnight.
      return (text) => (format === undefined && dayAlone.test(text) ? unfit : readLocal(text));
    }
    case 'time':
      return readBy(({ local }) => local.slice(11, 16));
    case 'instant':
      return readBy((moment) => {
        const epoch = moment.offset === undefined ? zone.toEpoch(toLocal(moment, zone)) : toEpoch(moment);
        return epoch === undefined ? undefined : formatBound(epoch);
      });
    default:
      if (encode) return encodeId;
      return numeric ? readWholeNumber : (text) => text;
  }
}

const dayAlone = /^\d{4}-\d\d-\d\d$/;
/** A year or a month alone. */
const partOfDay = /^\d{4}(-(0[1-9]|1[0-2]))?$/;
/** Days that no calendar has. */
const noDay = /^(0000(-\d\d)?|\d{4}-(00|1[3-9]|[2-9]\d)|.* BC|-?infinity)$/;

/** Converts a length such as `00:30:00` to minutes. */
function readNumber(text: string): unknown {
  const [, hours, minutes] = /^(\d{1,3}):([0-5]\d)(?::00)?$/.exec(text) ?? [];
  if (hours !== undefined) return Number(hours) * 60 + Number(minutes);
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : unfit;
}

const toLocal = (moment: Moment, zone: Zone): string =>
  moment.offset === undefined ? addMinutes(moment.local, 0) : zone.toLocalTime(formatBound(toEpoch(moment)));

/** The written day. A time in another zone that is not midnight gives the day in the institution's zone. */
function toDay(moment: Moment, zone: Zone): string {
  const isDay = moment.local.endsWith('T00:00:00') || moment.offset === undefined;
  return (isDay ? moment.local : toLocal(moment, zone)).slice(0, 10);
}

/** Numbers that differ only in leading zeros are the same. */
const readWholeNumber = (text: string): unknown => (/^\d{1,18}$/.test(text) ? text.replace(/^0+(?=\d)/, '') : unfit);

function createWriter(kind: Kind, conversion: Conversion, zone: Zone): Converter['write'] {
  const { format, numeric, encode, digits } = conversion;
  switch (kind) {
    case 'number':
      return (value) => [Number(value)];
    case 'flag':
      return (value) => [value === true];
    case 'day':
    case 'dateTime':
    case 'time':
      if (format === undefined) return (value, part) => [slicePart(String(value), part)];
      return (value, part) => [writeTime(String(value), format, part, kind === 'day' ? undefined : zone)];
    default:
      if (encode) return decodeId;
      if (numeric) return (value) => writeWholeNumber(String(value), digits);
      return (value) => (digits === undefined ? [String(value)] : writeDigits(String(value), digits));
  }
}

const slicePart = (value: string, part: Name['part']): string =>
  part === 'day' ? value.slice(0, 10) : part === 'time' ? value.slice(11, 16) : value;

/** @param zone the zone of the time. A day has none. */
function writeTime(value: string, format: string, part: Name['part'], zone: Zone | undefined): Scalar {
  // A time without a day gets an arbitrary day.
  const local = /^\d\d:/.test(value) ? `0001-01-01T${value}` : value.padEnd(19, 'T00:00:00');
  // A time that a clock change skips may be the limit of a day.
  const epoch = () =>
    zone ? (zone.toEpoch(local) ?? Date.parse(zone.toStartOfDay(local.slice(0, 10)))) : Date.parse(`${local}Z`);
  const unit = getUnit(format);
  if (unit !== undefined) return Math.floor(epoch() / unit);
  if (part !== undefined)
    return formatMoment(findPart(format, part) ?? (part === 'day' ? 'yyyy-MM-dd' : 'HH:mm'), { local });
  const token = findZoneToken(format);
  if (token === undefined) return formatMoment(format, { local });
  const offset = Math.round((Date.parse(`${local}Z`) - epoch()) / 60_000);
  return formatMoment(format, token === 'Z' ? { local: addMinutes(local, -offset) } : { local, offset });
}

function writeWholeNumber(value: string, digits: number | undefined): readonly Scalar[] {
  if (!/^(0|[1-9]\d{0,17})$/.test(value)) return [];
  if (digits !== undefined) return writeDigits(value, digits);
  return [Number.isSafeInteger(Number(value)) ? Number(value) : value];
}

/** With and without leading zeros, because both may be stored. A text that is not a number stays the same. */
const writeDigits = (value: string, digits: number): readonly string[] =>
  /^\d+$/.test(value) ? [...new Set([value.padStart(digits, '0'), value])] : [value];

/** Encodes ids that a URL path cannot carry: `1234/5` is `1234~2F5`. */
const encodeId = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\p{L}\p{N}_.:-]/gu, (character) =>
      character === '~' ? '~7E' : encodeURIComponent(character).replaceAll('%', '~'),
    );

/** Empty if the id is not encoded in this way. */
function decodeId(value: unknown): readonly string[] {
  try {
    const text = decodeURIComponent(String(value).replaceAll('%', '%25').replaceAll('~', '%'));
    return encodeId(text) === value ? [text] : [];
  } catch {
    return [];
  }
}
