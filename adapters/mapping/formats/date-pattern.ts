/** Where each token stands in `YYYY-MM-DDThh:mm:ss`, the form in which a day or a time is between two ways of writing it. */
const tokens = { yyyy: [0, 4], MM: [5, 7], dd: [8, 10], HH: [11, 13], mm: [14, 16], ss: [17, 19] } as const;
type Token = keyof typeof tokens;
export const dateTokens: readonly Token[] = ['yyyy', 'MM', 'dd'];
export const timeTokens: readonly Token[] = ['HH', 'mm'];

const tokenOrWord = /yyyy|MM|dd|HH|mm|ss|T(?=HH)|[A-Za-z]+/g;
const anyToken = /yyyy|MM|dd|HH|mm|ss/g;
const listTokens = (pattern: string): string[] => pattern.match(tokenOrWord) ?? [];

/** What is meant by tokens that other libraries have. */
const meant: Readonly<Record<string, string>> = {
  YYYY: 'write yyyy',
  DD: 'write dd',
  hh: 'write HH',
  SS: 'write ss',
  yy: 'a year of two digits has no century; write yyyy',
  YY: 'a year of two digits has no century; write yyyy',
};

/** What is wrong with the pattern, and what mends it; undefined when nothing is, and all needed tokens are there. */
export function findPatternFault(pattern: string, needed: readonly Token[]): string | undefined {
  const found = listTokens(pattern);
  const has = (token: string): boolean => found.includes(token);
  const unknown = found.find((token) => !(token in tokens) && token !== 'T');
  if (unknown !== undefined) {
    return `has the letters ${unknown}; ${meant[unknown] ?? 'only yyyy MM dd HH mm ss stand for something'}`;
  }
  if (has('mm') && !has('HH')) return 'has minutes (mm) without hours; write MM for the month';
  const twice = found.find((token, i) => found.indexOf(token) !== i);
  if (twice === 'MM' && !has('mm')) return 'has the month (MM) twice; write mm for minutes';
  if (twice === 'mm' && !has('MM')) return 'has minutes (mm) twice; write MM for the month';
  if (twice !== undefined) return `has ${twice} twice`;
  const missing = needed.filter((token) => !has(token));
  return missing.length > 0 ? `has no ${missing.join(' ')}; e.g. ${suggest(needed)}` : undefined;
}

const suggest = (needed: readonly Token[]): string =>
  [needed.includes('yyyy') ? 'dd/MM/yyyy' : '', needed.includes('HH') ? 'HH:mm' : ''].filter(Boolean).join(' ');

/** Reads texts that are written by the pattern to `YYYY-MM-DDThh:mm:ss`; undefined when there is no such day or time. */
export function createDateParser(pattern: string): (text: string) => string | undefined {
  const source = pattern
    .split(/(yyyy|MM|dd|HH|mm|ss)/)
    .map((part) => (part in tokens ? `(?<${part}>\\d{${part.length}})` : RegExp.escape(part)));
  const expression = new RegExp(`^${source.join('')}$`);
  return (text) => {
    const found = expression.exec(text)?.groups;
    if (!found) return undefined;
    const { yyyy = '0001', MM = '01', dd = '01', HH = '00', mm = '00', ss = '00' } = found;
    return exists(`${yyyy}-${MM}-${dd}T${HH}:${mm}:${ss}`);
  };
}

const iso = /^(?<day>\d{4}-\d\d-\d\d)(?:[T ](?<time>\d\d:\d\d)(?<seconds>:\d\d)?(?:\.\d+)?)?$/;

/** Reads days and times as ISO 8601 and databases write them, a blank or a T before the time. */
export function parseIso(text: string): string | undefined {
  const { day, time = '00:00', seconds = ':00' } = iso.exec(text)?.groups ?? {};
  return day && exists(`${day}T${time}${seconds}`);
}

const clock = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

/** Not 30 February, nor 24:00. */
function exists(local: string): string | undefined {
  const [, year, month, day] = clock.exec(local)?.map(Number) ?? [];
  return day && month && month <= 12 && day <= new Date(Date.UTC(year!, month, 0)).getUTCDate() ? local : undefined;
}

/** Writes `YYYY-MM-DDThh:mm:ss`, or a day, by the pattern. */
export const formatDate = (pattern: string, local: string): string =>
  pattern.replaceAll(anyToken, (token) => local.slice(...tokens[token as Token]) || token.replaceAll(/./g, '0'));

/** The part of the pattern that writes the day, or the time; undefined when it has none. */
export function findPart(pattern: string, part: 'day' | 'time'): string | undefined {
  const wanted = part === 'day' ? /yyyy|MM|dd/g : /HH|mm|ss/g;
  const found = [...pattern.matchAll(wanted)];
  const last = found.at(-1);
  return last && pattern.slice(found[0]!.index, last.index + last[0].length);
}
