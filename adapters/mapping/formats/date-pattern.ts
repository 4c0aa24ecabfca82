/** The position of each token in `YYYY-MM-DDThh:mm:ss`, the intermediate form between two patterns. */
const tokens = { yyyy: [0, 4], MM: [5, 7], dd: [8, 10], HH: [11, 13], mm: [14, 16], ss: [17, 19] } as const;
type DateToken = keyof typeof tokens;
export const dateTokens: readonly DateToken[] = ['yyyy', 'MM', 'dd'];
export const timeTokens: readonly DateToken[] = ['HH', 'mm'];

const tokenOrWord = /yyyy|MM|dd|HH|mm|SSS|ss|XXX|Z|T(?=HH|\d)|[A-Za-z]+/g;
const anyToken = /yyyy|MM|dd|HH|mm|SSS|ss|XXX|Z/g;
const others = ['T', 'SSS', 'XXX', 'Z'];
const listTokens = (pattern: string): string[] => pattern.match(tokenOrWord) ?? [];

/** The equivalents of other libraries' tokens. */
const meant: Readonly<Record<string, string>> = {
  YYYY: 'write yyyy',
  DD: 'write dd',
  hh: 'write HH',
  SS: 'write ss',
  yy: 'a year of two digits has no century: write yyyy',
  YY: 'a year of two digits has no century: write yyyy',
};

/** The fault of the pattern and its fix. Undefined if it is valid and has all needed tokens. */
export function findPatternFault(pattern: string, needed: readonly DateToken[]): string | undefined {
  if (pattern in epochs)
    return needed.includes('yyyy') ? undefined : `${pattern} has a day, and this is a time: write HH:mm`;
  const found = listTokens(pattern);
  const has = (token: string): boolean => found.includes(token);
  const unknown = found.find((token) => !(token in tokens) && !others.includes(token));
  if (unknown !== undefined) {
    return `has the letters ${unknown}: ${meant[unknown] ?? 'use only yyyy MM dd HH mm ss SSS XXX Z'}`;
  }
  if (has('mm') && !has('HH')) return 'has minutes (mm) without hours: write MM for the month';
  const twice = found.find((token, i) => found.indexOf(token) !== i);
  if (twice === 'MM' && !has('mm')) return 'has the month (MM) twice: write mm for minutes';
  if (twice === 'mm' && !has('MM')) return 'has minutes (mm) twice: write MM for the month';
  if (twice !== undefined) return `has ${twice} twice: remove one`;
  const missing = needed.filter((token) => !has(token));
  return missing.length > 0 ? `has no ${missing.join(' ')}: write it, e.g. ${suggest(needed)}` : undefined;
}

const suggest = (needed: readonly DateToken[]): string =>
  [needed.includes('yyyy') ? 'dd/MM/yyyy' : '', needed.includes('HH') ? 'HH:mm' : ''].filter(Boolean).join(' ');

/**
 * A parsed day or time, `YYYY-MM-DDThh:mm:ss` (also `24:00:00`). If a zone is written, its offset ahead of UTC in
 * minutes. `local` is empty for an incomplete day, whose missing parts are zeros.
 */
export interface Moment {
  readonly local: string;
  readonly offset?: number;
}

/** The unit of epoch numbers (since 1970, UTC), in milliseconds. */
const epochs: Readonly<Record<string, number>> = { seconds: 1_000, milliseconds: 1 };
export const getUnit = (format: string): number | undefined => epochs[format];

const zone = 'Z|[+-]\\d\\d(?::?\\d\\d){0,2}';
const sources: Readonly<Record<string, string>> = { HH: '\\d{1,2}', SSS: '\\d+', XXX: zone, Z: zone };

const compile = (pattern: string): RegExp => {
  const source = pattern.replaceAll(/\W/g, '\\$&').replaceAll(anyToken, (token) => {
    const digits = sources[token] ?? `\\d{${token.length}}`;
    return `(?<${digits === zone ? 'zone' : token}>${digits})`;
  });
  return new RegExp(`^${source}$`);
};

const time = '(?<HH>\\d{1,2}):?(?<mm>\\d\\d)(?::?(?<ss>\\d\\d)(?:[.,]\\d+)?)?';
const iso = new RegExp(`^(?<yyyy>\\d{4})-(?<MM>\\d\\d)-(?<dd>\\d\\d)(?:[T ]${time} ?(?<zone>${zone})?)?$`);
const timeAlone = new RegExp(`^${time}$`);

/**
 * Reads texts in this format. Without a format, it reads ISO 8601 and the formats of databases. Undefined if the day or
 * time does not exist.
 */
export function createMomentReader(format?: string, isTime = false): (text: string) => Moment | undefined {
  const unit = format === undefined ? undefined : getUnit(format);
  if (unit !== undefined) return (text) => readEpoch(text, unit);
  const expression = format === undefined ? (isTime ? timeAlone : iso) : compile(format);
  return (text) => {
    const found = expression.exec(text)?.groups;
    if (!found) return undefined;
    const { yyyy = '0001', MM = '01', dd = '01', HH = '00', mm = '00', ss = '00' } = found;
    if ([yyyy, MM, dd].some((part) => Number(part) === 0)) return { local: '' };
    const local = `${yyyy}-${MM}-${dd}T${HH.padStart(2, '0')}:${mm}:${ss}`;
    if (!exists(local)) return undefined;
    return found.zone === undefined ? { local } : { local, offset: readOffset(found.zone) };
  };
}

function readEpoch(text: string, unit: number): Moment | undefined {
  const date = new Date(/^-?\d{1,16}$/.test(text) ? Number(text) * unit : Number.NaN);
  const isKnown = !Number.isNaN(date.getTime()) && date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;
  return isKnown ? { local: date.toISOString().slice(0, 19), offset: 0 } : undefined;
}

function readOffset(text: string): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):?(\d\d)?:?(\d\d)?/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes) + Number(seconds) / 60);
}

/** Milliseconds since 1970 (UTC). A time without a zone counts as UTC. */
export const toEpoch = ({ local, offset = 0 }: Moment): number => Date.parse(`${local}Z`) - offset * 60_000;

const clock = /^(\d{4})-(\d\d)-(\d\d)T(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d|24:00:00)$/;

/** Not 30 February. */
function exists(local: string): boolean {
  const [, year, month, day] = clock.exec(local)?.map(Number) ?? [];
  return !!day && !!month && month <= 12 && day <= new Date(Date.UTC(year!, month, 0)).getUTCDate();
}

/** The zone token of the pattern: `Z` is UTC, and `XXX` an offset. Undefined if it has none. */
export const findZoneToken = (pattern: string): string | undefined =>
  listTokens(pattern).find((token) => token === 'Z' || token === 'XXX');

/** Writes `YYYY-MM-DDThh:mm:ss`, or a day, by the pattern. */
export const formatMoment = (pattern: string, { local, offset = 0 }: Moment): string =>
  pattern.replaceAll(anyToken, (token) => {
    if (token === 'Z') return token;
    if (token === 'SSS') return '000';
    if (token === 'XXX') return formatOffset(offset);
    return local.slice(...tokens[token as DateToken]) || token.replaceAll(/./g, '0');
  });

/** E.g. `-03:00`. @param minutes the offset from UTC. */
export const formatOffset = (minutes: number): string =>
  (minutes < 0 ? '-' : '+') + new Date(Math.abs(minutes) * 60_000).toISOString().slice(11, 16);

/** The part of the pattern with the day or the time. Undefined if it has none. */
export function findPart(pattern: string, part: 'day' | 'time'): string | undefined {
  const wanted = part === 'day' ? /yyyy|MM|dd/g : /HH|mm|ss/g;
  const found = [...pattern.matchAll(wanted)];
  const last = found.at(-1);
  return last && pattern.slice(found[0]!.index, last.index + last[0].length);
}
