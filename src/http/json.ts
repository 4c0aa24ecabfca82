import { isAscii, isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { Rejection } from '../api/index.ts';

/** Limits of a JSON text, checked before it is parsed. */
const MAX_DEPTH = 20;
const MAX_NODES = 2_000;
/** How many bytes are scanned or decoded in one turn of the event loop: they take some 0.1 ms. */
const PIECE = 64 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const malformed = (happened: string) => new Rejection('malformed_request', { happened });

/**
 * Parses a JSON text in UTF-8 as `JSON.parse` does. What is long in it are files: strings of more than 64 KiB are decoded in
 * pieces, each in a turn of the event loop, and put in place when the short rest has been parsed.
 * @throws Rejection `malformed_request`.
 */
export async function parseJson(text: Buffer): Promise<unknown> {
  if (!isUtf8(text)) throw malformed('The body is not valid UTF-8.');
  const scan = new Scan(text);
  while (scan.advance()) await setImmediate();
  try {
    if (scan.long.length === 0) return JSON.parse(decode(text));
    const strings = new Map<unknown, string>();
    const rest: Buffer[] = [];
    let end = 0;
    for (const literal of scan.long) {
      // Nobody can know it and send it as a value.
      const placeholder = crypto.randomUUID();
      strings.set(placeholder, await decodeString(text.subarray(literal.start, literal.end)));
      rest.push(text.subarray(end, literal.start), Buffer.from(placeholder));
      end = literal.end;
    }
    rest.push(text.subarray(end));
    return JSON.parse(decode(Buffer.concat(rest)), (_name, value: unknown) => strings.get(value) ?? value);
  } catch {
    throw malformed('The body is not valid JSON.');
  }
}

/** Without a byte order mark. */
const decode = (text: Buffer): string => new TextDecoder().decode(text);

/** Where the content of a string stands, between its quotes. */
interface Literal {
  readonly start: number;
  readonly end: number;
}

/** Finds the long strings of a text that are values, and rejects one that would be expensive to parse or to traverse. */
class Scan {
  readonly long: Literal[] = [];
  readonly #text: Buffer;
  #at = 0;
  #depth = 0;
  #nodes = 0;
  /** Of the string that has not ended. */
  #start: number | undefined;

  constructor(text: Buffer) {
    this.#text = text;
  }

  /** Goes on for a piece; false when the whole text was scanned. */
  advance(): boolean {
    const text = this.#text;
    const end = Math.min(text.length, this.#at + PIECE);
    let i = this.#at;
    for (; i < end; i++) {
      const byte = text[i];
      if (this.#start !== undefined) {
        if (byte === BACKSLASH) i++;
        else if (byte === QUOTE) this.#endString(i);
      } else if (byte === QUOTE) {
        this.#start = i + 1;
        i = Math.max(i, findQuoteOrBackslash(text, i + 1) - 1);
      } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
        if (++this.#depth > MAX_DEPTH) throw malformed(`The body is nested deeper than ${MAX_DEPTH} levels.`);
        this.#nodes++;
      } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) this.#depth--;
      else if (byte === COMMA && ++this.#nodes > MAX_NODES)
        throw malformed(`The body has more than ${MAX_NODES.toLocaleString('en')} values.`);
    }
    this.#at = i;
    return i < text.length;
  }

  /** Leaves out names: what has a long one is refused for it. */
  #endString(end: number): void {
    const start = this.#start ?? end;
    if (end - start > PIECE && findNext(this.#text, end + 1) !== COLON) this.long.push({ start, end });
    this.#start = undefined;
  }
}

/** The index of the next quote or backslash. Native searches keep strings of megabytes fast. */
function findQuoteOrBackslash(text: Buffer, from: number): number {
  const quote = text.indexOf(QUOTE, from);
  const end = quote < 0 ? text.length : quote;
  const backslash = text.subarray(from, end).indexOf(BACKSLASH);
  return backslash < 0 ? end : from + backslash;
}

const blanks: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** The next byte that is not white space. */
function findNext(text: Buffer, from: number): number | undefined {
  let i = from;
  while (blanks.has(text[i])) i++;
  return text[i];
}

/** The value of a string literal without its quotes. */
async function decodeString(literal: Buffer): Promise<string> {
  const isVerbatim = isAscii(literal) && !literal.includes(BACKSLASH);
  const pieces: string[] = [];
  for (let start = 0; start < literal.length; ) {
    const end = findEnd(literal, start);
    // Also what is verbatim is parsed, since it may contain control characters.
    const piece: string = JSON.parse(`"${literal.toString('utf8', start, end)}"`);
    if (!isVerbatim) pieces.push(piece);
    start = end;
    await setImmediate();
  }
  return isVerbatim ? literal.toString('latin1') : pieces.join('');
}

/** Where a piece ends that splits neither a character nor an escape sequence. */
function findEnd(literal: Buffer, start: number): number {
  let end = start + PIECE;
  if (end >= literal.length) return literal.length;
  while (((literal[end] ?? 0) & 0xc0) === 0x80) end--;
  const backslash = literal.lastIndexOf(BACKSLASH, end - 1);
  if (backslash < end - '\\u0000'.length) return end;
  let first = backslash;
  while (first > start && literal[first - 1] === BACKSLASH) first--;
  // Of an odd number the last one begins an escape sequence, which may go on beyond the end.
  return (backslash - first) % 2 === 0 ? backslash : end;
}
