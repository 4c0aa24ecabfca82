/** A median with the quartiles around it. */
export interface Summary {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
}

/** The value below which that share of the values lies, between two of them in proportion; NaN of no values. */
export function computeQuantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

export const summarize = (values: readonly number[]): Summary => ({
  median: computeQuantile(values, 0.5),
  lower: computeQuantile(values, 0.25),
  upper: computeQuantile(values, 0.75),
});

/** Summarizes what each value is of the one from the same round: what slows the machine for a while slows both. */
export const summarizeRatio = (values: readonly number[], references: readonly number[]): Summary =>
  summarize(values.map((value, round) => value / (references[round] ?? Number.NaN)));

/** Summarizes by how much each value exceeds the one from the same round. */
export const summarizeDifference = (values: readonly number[], references: readonly number[]): Summary =>
  summarize(values.map((value, round) => value - (references[round] ?? Number.NaN)));

/** Three significant digits, and no more than two behind the point. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const digits = Math.max(0, Math.min(2, 2 - Math.floor(Math.log10(Math.abs(value) || 1))));
  return value.toFixed(digits);
}

/** `0.37 [0.35-0.39]`: the median and the quartiles. */
export const formatSummary = ({ median, lower, upper }: Summary): string =>
  `${formatNumber(median)} [${formatNumber(lower)}-${formatNumber(upper)}]`;
