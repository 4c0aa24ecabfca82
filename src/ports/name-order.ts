interface Named {
  readonly id: string;
  readonly name?: string | undefined;
}

/** Compares by name as a language (BCP 47) orders words and numbers: case and accents only where all else is the same, then by id. */
export function createNameOrder(locale: string): (a: Named, b: Named) => number {
  const { compare } = new Intl.Collator(locale, { numeric: true });
  return (a, b) => compare(a.name ?? '', b.name ?? '') || (a.id < b.id ? -1 : 1);
}
