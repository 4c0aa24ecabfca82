/** What V8 says of one script: nested ranges, each with the number of times that it ran. */
export interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
  }[];
}

/** The lines of which a part ran, counted from 1. Ranges within others come after them, and count. */
export function findCoveredLines(text: string, { functions }: ScriptCoverage): number[] {
  const ran = new Uint8Array(text.length);
  const ranges = functions.flatMap((each) => each.ranges);
  const outerFirst = ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { startOffset, endOffset, count } of outerFirst) ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  let start = 0;
  return text.split('\n').flatMap((line, index) => {
    const from = start + line.search(/\S|$/);
    start += line.length + 1;
    return ran.subarray(from, start - 1).includes(1) ? [index + 1] : [];
  });
}
