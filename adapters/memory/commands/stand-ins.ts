/** Replaces the institution's own texts by numbered ones, so that the file has none of them. */
export class StandIns {
  readonly #kept: ReadonlySet<string>;
  readonly #given = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  /** Every text that `kept` may name, in the order of occurrence. */
  readonly texts = new Set<string>();

  /** @param kept the texts that are kept unchanged. */
  constructor(kept: ReadonlySet<string>) {
    this.#kept = kept;
  }

  #number(kind: string, separator: string, text: string): string {
    const key = `${kind} ${text}`;
    const known = this.#given.get(key);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    const given = kind + separator + String(count);
    this.#counts.set(kind, count);
    this.#given.set(key, given);
    return given;
  }

  /** Returns `service.3`, and the same for the same id. */
  id = (kind: string, id: string): string => this.#number(kind, '.', id);

  /** Returns a kept text unchanged. Otherwise returns `Servicio 3`, and the same for the same text. */
  name = (kind: string, text: string): string => {
    if (text !== '') this.texts.add(text);
    return this.#kept.has(text) ? text : this.#number(kind, ' ', text);
  };

  /** As `name`, but an empty text stays empty. */
  note = (kind: string, text: string): string => text && this.name(kind, text);
}
