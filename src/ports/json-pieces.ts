/** About how many characters a piece has. To write one takes some 0.1 ms. */
const PIECE = 64 * 1024;

/** Whether the JSON text of the value has more characters than that, as far as can be told without writing it. */
export const isLongJson = (value: unknown, max: number): boolean => subtractLength(value, max) < 0;

/**
 * The JSON text of data as `JSON.stringify` writes it, in pieces, so that whoever writes or hashes megabytes can let others have
 * their turn after each.
 */
export function* writeJson(value: unknown): Generator<string, void> {
  let text = '';
  for (const part of listParts(value)) {
    if (text !== '' && text.length + part.length > PIECE) {
      yield text;
      text = '';
    }
    text += part;
  }
  if (text !== '') yield text;
}

/** Gives the pieces to `take`, each in a turn of the event loop of its own. */
export async function takePieces(value: unknown, take: (piece: string) => void): Promise<void> {
  let isFirst = true;
  for (const piece of writeJson(value)) {
    if (!isFirst) await new Promise((resolve) => setImmediate(resolve));
    isFirst = false;
    take(piece);
  }
}

function* listParts(value: unknown): Generator<string, void> {
  if (!isLongJson(value, PIECE)) yield JSON.stringify(value);
  else if (typeof value === 'string') yield* listPartsOfString(value);
  else if (Array.isArray(value)) yield* listPartsOfArray(value);
  else if (typeof value === 'object' && value !== null) yield* listPartsOfObject(value);
}

function* listPartsOfString(value: string): Generator<string, void> {
  yield '"';
  for (let start = 0; start < value.length; ) {
    const end = start + PIECE - (isFirstHalf(value.charCodeAt(start + PIECE - 1)) ? 1 : 0);
    yield JSON.stringify(value.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

/** Of a character that has two code units, which are not written alike when they stand alone. */
const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

/** Short items are written together: one call for each would cost more than the writing. */
function* listPartsOfArray(items: readonly unknown[]): Generator<string, void> {
  let separator = '[';
  for (let start = 0; start < items.length; ) {
    let left = PIECE;
    let end = start;
    while (end < items.length && left >= 0) left = subtractLength(items[end++], left);
    // The last of them was too much, unless it is the only one.
    if (left < 0 && end > start + 1) end -= 1;
    yield separator;
    separator = ',';
    if (end > start + 1) yield JSON.stringify(items.slice(start, end)).slice(1, -1);
    else yield* listParts(items[start] ?? null);
    start = end;
  }
  yield ']';
}

function* listPartsOfObject(value: object): Generator<string, void> {
  let separator = '{';
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    yield* listParts(item);
  }
  yield '}';
}

/** About what is left of so many characters after the text of the value; looks at no more when it is negative. */
function subtractLength(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left - 5;
  let rest = left - 2;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && rest >= 0; i++) rest = subtractLength(value[i], rest);
    return rest;
  }
  for (const name in value) {
    if (rest < 0) break;
    rest = subtractLength((value as Record<string, unknown>)[name], rest - name.length);
  }
  return rest;
}
