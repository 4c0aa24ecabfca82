/** One small change of a source file. */
export interface Mutant {
  /** Path below the root of the checkout. */
  readonly file: string;
  /** Where the replaced text begins and ends, in UTF-16 units of the file. */
  readonly start: number;
  readonly end: number;
  /** The line of `start`, counted from 1. */
  readonly line: number;
  /** That line without the blanks around it, as it stays when lines above it come and go. */
  readonly code: string;
  readonly operator: string;
  readonly original: string;
  readonly replacement: string;
}

/** The text of the file with the change made. */
export const applyMutant = (text: string, { start, end, replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end);

/** A line for people: where, and what became of what. */
export const describeMutant = ({ file, line, operator, original, replacement }: Mutant): string =>
  `${file}:${line} ${operator}: ${shorten(original)} -> ${shorten(replacement) || '(nothing)'}`;

function shorten(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, ' ');
  return oneLine.length > 90 ? `${oneLine.slice(0, 60)} ... ${oneLine.slice(-25)}` : oneLine;
}
