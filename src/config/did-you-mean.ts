/** `; did you mean x?` for the candidate that a slip of the fingers away is, else nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  let best: string | undefined;
  let least = Math.min(3, Math.max(1, Math.floor(word.length * 0.4))) + 1;
  for (const candidate of candidates) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best === undefined ? '' : `; did you mean ${best}?`;
}

/** Edits from one word to the other: letters put in, left out or exchanged (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const exchange = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(exchange, above[j]! + 1, row[j - 1]! + 1));
    }
  }
  return row[b.length]!;
}
