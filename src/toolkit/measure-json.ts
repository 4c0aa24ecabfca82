const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** The number of bytes of a string that are read one by one. The end of a longer string is found by a search. */
const SHORT = 32;

/** The size of a JSON text, or a limit for it. */
export interface JsonSize {
  /** Levels of arrays and objects. */
  readonly depth: number;
  /** Members of objects and elements of arrays. An empty container counts as if it had one. */
  readonly values: number;
}

/**
 * Measures a text before it is parsed, and stops beyond `most`. Up to the first syntax error, it counts as `JSON.parse`
 * reads.
 * @param json in UTF-8.
 */
export function measureJson(json: Uint8Array, most: JsonSize): JsonSize {
  let level = 0;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < json.length && depth <= most.depth && values <= most.values; at++) {
    switch (json[at]) {
      case QUOTE: {
        // Short strings are frequent, so they cost no function call.
        const near = Math.min(at + SHORT, json.length);
        for (at++; at < near && json[at] !== QUOTE; at++) if (json[at] === BACKSLASH) at++;
        if (json[at] !== QUOTE || at >= near) at = findEnd(json, at);
        break;
      }
      case COMMA:
        values++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        values++;
        level++;
        if (level > depth) depth = level;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        level--;
        break;
      default:
    }
  }
  return { depth, values };
}

/** Returns the end of the string whose content continues at `from`. */
function findEnd(json: Uint8Array, from: number): number {
  for (let at = from; ; ) {
    const quote = at < json.length ? json.indexOf(QUOTE, at) : -1;
    if (quote === -1) return json.length;
    let run = quote;
    while (run > at && json[run - 1] === BACKSLASH) run--;
    if ((quote - run) % 2 === 0) return quote;
    at = quote + 1;
  }
}
