import type { Conversion, Leaf } from '../file/schema.ts';
import { createMomentReader } from '../formats/date-pattern.ts';
import type { TableColumn } from '../sources/sql/tables.ts';
import { fold, words } from './words.ts';

/** A column with the values of some rows. */
export interface SeenColumn extends TableColumn {
  /** The values that are not empty. */
  readonly values: readonly string[];
}

/** The reading of a column as a field; `unless` is the reason for doubt. */
export interface ColumnReading {
  readonly conversion: Omit<Conversion, 'from'>;
  readonly unless?: string;
  /** A remark for review. */
  readonly note?: string;
}

export const isWholeType = (type: string): boolean => /int|serial|^number|^numeric|^decimal|oid/.test(type);
export const isTimeType = (type: string): boolean => /^(date|time|timestamp|smalldatetime|datetime)/.test(type);

/** True if nearly all values pass, or if there is no value. */
const most = ({ values }: SeenColumn, is: (value: string) => boolean, share = 0.9): boolean =>
  values.filter(is).length >= values.length * share;

/** The field for which a column is read. */
export type ReadField = Pick<Leaf, 'path' | 'kind'>;

/** Tables of codes by the field whose words they return. */
const codesOf = (thing: string, { path, kind }: ReadField): string => {
  const name = path.at(-1) ?? '';
  if (name === 'type') return path[0] === 'identifier' ? 'identifierType' : 'serviceType';
  if (kind === 'flag') return thing === 'slots' && name === 'free' ? 'free' : 'flag';
  return name;
};

/** Reads the column as the field, or returns the reason for doubt. @param isOpposite true for a contrary column, such as `inactive`. */
export function readColumn(thing: string, leaf: ReadField, column: SeenColumn, isOpposite = false): ColumnReading {
  const name = leaf.path.at(-1) ?? '';
  if (leaf.kind === 'word' || leaf.kind === 'flag') return readCodes(codesOf(thing, leaf), leaf, column, isOpposite);
  if (leaf.kind === 'number') return readNumbers(name, column);
  if (leaf.kind !== 'text' && leaf.kind !== 'ids') return readMoments(leaf, column);
  if (/id$/i.test(name)) return readIds(column);
  const unlike = texts.find(([field, , is]) => field.test(`${thing}.${leaf.path.join('.')}`) && !most(column, is, 0.7));
  return unlike ? { conversion: {}, unless: `its values are not ${unlike[1]}` } : { conversion: {} };
}

/** Tests for the values of some texts. */
const texts: readonly (readonly [RegExp, string, (value: string) => boolean])[] = [
  [/email$/, 'addresses of email', (value) => value.includes('@')],
  [/phone$/, 'telephone numbers', (value) => value.replaceAll(/\D/g, '').length >= 6],
  [/identifier\.value$/, 'documents', (value) => /\d/.test(value) && value.length >= 5],
  [/^(patients|practitioners|locations)\.(name|lastName|address\.city)$/, 'names', (value) => /\p{L}{2}/u.test(value)],
  [/address\.(number|floor|apartment)$/, 'parts of an address', (value) => value.length <= 12],
];

function readIds(column: SeenColumn): ColumnReading {
  if (isWholeType(column.type) || (column.values.length > 0 && most(column, (value) => /^\d+$/.test(value), 1)))
    return { conversion: { numeric: true } };
  return most(column, (value) => /^[\w.:-]+$/.test(value), 1) ? { conversion: {} } : { conversion: { encode: true } };
}

function readNumbers(name: string, column: SeenColumn): ColumnReading {
  if (name !== 'minutes') return most(column, (value) => /^\d+$/.test(value)) ? { conversion: {} } : unlike('numbers');
  const isLength = (value: string) => /^\d+$/.test(value) && Number(value) >= 5 && Number(value) <= 240;
  const isClock = (value: string) => /^0?\d:[0-5]\d(:00)?$/.test(value);
  return most(column, isLength, 1) || most(column, isClock, 1)
    ? { conversion: {} }
    : unlike('minutes of an appointment');
}

const unlike = (what: string): ColumnReading => ({ conversion: {}, unless: `its values are not ${what}` });

const dayFormats = ['dd/MM/yyyy', 'dd-MM-yyyy', 'dd.MM.yyyy', 'MM/dd/yyyy', 'yyyy/MM/dd', 'yyyyMMdd'];
const clocks = ['', ' HH:mm', ' HH:mm:ss'];

function readMoments({ kind, path }: ReadField, column: SeenColumn): ColumnReading {
  if (kind === 'time') return readTimes(column);
  if (/^time/.test(column.type) && !column.type.startsWith('timestamp')) return unlike('days');
  const patterns = [undefined, ...dayFormats.flatMap((day) => clocks.map((clock) => day + clock))];
  const hasTime = (value: string) => /\d\d?:\d\d/.test(value);
  const fits = patterns.filter((pattern) => {
    const read = createMomentReader(pattern);
    return most(column, (value) => isPlausible(path, read(value)?.local), 0.95);
  });
  if (column.values.length === 0)
    return isTimeType(column.type)
      ? { conversion: {} }
      : { conversion: {}, unless: 'it has no value that shows the format of a day' };
  if (fits.length === 0) return unlike('readable days');
  if (fits.length > 1)
    return { conversion: {}, unless: `a day in it may be ${fits.map((each) => each ?? 'yyyy-MM-dd').join(' or ')}` };
  if (kind === 'dateTime' && !most(column, hasTime)) return unlike('days with a time');
  const [format] = fits;
  return { conversion: format === undefined ? {} : { format } };
}

const isPlausible = (path: readonly string[], local: string | undefined): boolean => {
  if (local === undefined) return false;
  if (local === '') return true;
  const year = Number(local.slice(0, 4));
  return path.at(-1) === 'birthDate'
    ? year >= 1890 && local.slice(0, 10) <= new Date().toISOString().slice(0, 10)
    : year >= 1950;
};

function readTimes(column: SeenColumn): ColumnReading {
  const read = createMomentReader(undefined, true);
  return most(column, (value) => read(value) !== undefined, 1) &&
    (column.values.length > 0 || /^time$/.test(column.type))
    ? { conversion: {} }
    : unlike('times of a day');
}

function readCodes(table: string, leaf: ReadField, column: SeenColumn, isOpposite: boolean): ColumnReading {
  const seen = [...new Set(column.values)];
  const turn = (word: string | boolean) => (isOpposite ? word === false : word);
  if (leaf.kind === 'flag' && table === 'flag') {
    const isFlag =
      /^(bool|bit|tinyint\(1\))/.test(column.type) ||
      (seen.length > 0 && seen.every((code) => /^([01]|true|false|t|f)$/.test(code)));
    const pair = /^[tf]/.test(seen[0] ?? '') ? ['true', 'false'] : ['1', '0'];
    if (isFlag && !isOpposite) return { conversion: {} };
    if (isFlag) return { conversion: { codes: { [pair[0]!]: false, [pair[1]!]: true } } };
  }
  if (table === 'weekday') {
    const counted = readWeekdays(seen);
    if (counted) return counted;
  }
  const known = words.codes[table] ?? [];
  const best = known.find((codes) => seen.every((code) => Object.hasOwn(codes, fold(code))));
  const partly = known.find((codes) => new Set(seen.flatMap((code) => codes[fold(code)] ?? [])).size > 1);
  const codes = best ?? partly;
  if (seen.length === 0 || !codes) return unlike('known codes');
  const isUpper = seen.every((code) => code === code.toUpperCase());
  const given = seen.flatMap((code) =>
    Object.hasOwn(codes, fold(code)) ? [[code, turn(codes[fold(code)]!)] as const] : [],
  );
  // Small sets of codes are written completely, including the codes that no row has.
  const rest = Object.entries(codes)
    .filter(([code]) => Object.keys(codes).length <= 3 && !seen.some((each) => fold(each) === code))
    .map(([code, word]) => [isUpper ? code.toUpperCase() : code, turn(word)] as const);
  const others = seen.filter((code) => !Object.hasOwn(codes, fold(code)));
  const note = others.length > 0 ? `what do ${listMasks(others).join(', ')} mean? add them to codes` : undefined;
  return { conversion: { codes: Object.fromEntries([...given, ...rest]) }, ...(note !== undefined && { note }) };
}

const weekdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

/** Numbers of weekdays, if only one numbering gives the days on which a clinic works. */
function readWeekdays(seen: readonly string[]): ColumnReading | undefined {
  if (seen.length === 0 || !seen.every((code) => /^\d$/.test(code))) return undefined;
  const numbers = seen.map(Number).toSorted();
  const [first, last] = [numbers[0]!, numbers.at(-1)!];
  if (last - first !== 4 || numbers.length !== 5 || first > 2)
    return { conversion: {}, unless: 'it is unclear which number is Monday' };
  return { conversion: { codes: Object.fromEntries(weekdays.map((day, i) => [String(first + i), day])) } };
}

/** The maximum consecutive letters and digits that a mask shows: the length of a name may reveal the person. */
const SHOWN = 3;

/** Masks a value: digits become 9, and letters at most three A. */
const maskShape = (value: string): string =>
  value
    .slice(0, 40)
    .replaceAll(/\p{N}/gu, '9')
    .replaceAll(/\p{L}|\p{M}/gu, 'A')
    .replaceAll(/A{4,}/g, (letters) => `${letters.slice(0, SHOWN)}…`)
    .replaceAll(/[^\p{L}\p{N}\s…./:@()+,;_-]/gu, '?')
    .replaceAll(/\s+/g, ' ');

/** At most ten different shapes of values. */
export const listMasks = (values: readonly string[]): string[] =>
  [...new Set(values.slice(0, 50).map(maskShape))].toSorted().slice(0, 10);
