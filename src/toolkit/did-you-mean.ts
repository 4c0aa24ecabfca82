/**
 * `; did you mean x?` for the candidate with the fewest edits from the word; empty when none is close.
 * @param elsewhere what has the same word in another place, which is meant then.
 */
export function didYouMean(word: string, candidates: Iterable<string>, elsewhere: readonly string[] = []): string {
  if (elsewhere.length > 0) return `; did you mean ${elsewhere.join(' or ')}?`;
  let best: string | undefined;
  let fewest = Math.min(3, Math.max(1, Math.floor(word.length * 0.4))) + 1;
  for (const candidate of candidates) {
    const edits = countEdits(word.toLowerCase(), candidate.toLowerCase());
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best === undefined ? '' : `; did you mean ${best}?`;
}

/** The Levenshtein distance: letters inserted, deleted or replaced. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replace, above[j]! + 1, row[j - 1]! + 1));
    }
  }
  return row[b.length]!;
}
