const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** Bytes of a string that are looked at one by one; the end of a longer one is searched for. */
const SHORT = 32;

/** How large a JSON text is, or may be. */
export interface JsonSize {
  /** Levels of arrays and objects. */
  readonly depth: number;
  /** Members of objects and elements of arrays. An empty one counts like one with one. */
  readonly values: number;
}

/**
 * How large a text is, counted before it is parsed: stops at what is beyond `most`. Up to its first mistake it counts as
 * `JSON.parse` reads.
 * @param json in UTF-8.
 */
export function measureJson(json: Uint8Array, most: JsonSize): JsonSize {
  let level = 0;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < json.length && depth <= most.depth && values <= most.values; at++) {
    switch (json[at]) {
      case QUOTE: {
        // No call for a short string, of which there are many.
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

/** Where the string ends whose content goes on there. */
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
