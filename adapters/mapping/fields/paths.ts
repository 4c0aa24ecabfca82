import { findValue, isRecord, outer, type SourceRecord, type SourceValue, splitPath } from '../sources/source.ts';

/** The text of a value, those of a list joined; undefined where it is a record that is no text. */
export function toText(value: SourceValue | undefined, separator: string): string | undefined {
  if (typeof value === 'string') return value.trim();
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) {
    const texts = (value as readonly SourceValue[]).map((each) => toText(each, separator));
    return texts.includes(undefined) ? undefined : texts.filter(Boolean).join(separator);
  }
  if (!isRecord(value)) return String(value);
  return Object.hasOwn(value, '#text') ? toText(value['#text'], separator) : undefined;
}

/** The names before the last one that all paths have in common, e.g. `A` and `B` of `A.B.C` and `A.B.D.E`. */
export function findCommonNames(paths: readonly string[]): readonly string[] {
  const [first = [], ...others] = paths.map((path) => (path.startsWith(outer) ? [] : splitPath(path).slice(0, -1)));
  const end = first.findIndex((name, i) => others.some((other) => other[i] !== name));
  return end === -1 ? first : first.slice(0, end);
}

/**
 * One record for each place in the lists that stand at the paths: what has no list is the same in all of them.
 * @param separators what parts a text at a path into a list.
 */
export function zip(record: SourceRecord, paths: readonly string[], separators: Readonly<Record<string, string>>) {
  const columns = paths.map((path) => {
    const value = findValue(record, path);
    const separator = separators[path];
    const parted = separator === undefined ? value : toText(value, separator)?.split(separator);
    return [path, parted ?? null] as const;
  });
  const length = Math.max(1, ...columns.map(([, value]) => (Array.isArray(value) ? value.length : 1)));
  return Array.from({ length }, (_, i) =>
    Object.fromEntries<SourceValue>([
      ...Object.entries(record),
      ...columns.map(
        ([path, value]) =>
          [path, Array.isArray(value) ? ((value as readonly SourceValue[])[i] ?? null) : value] as const,
      ),
    ]),
  );
}
