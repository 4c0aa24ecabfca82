/** Numbers what an institution calls its own, so that none of its texts stands in the file. */
export class StandIns {
  readonly #kept: ReadonlySet<string>;
  readonly #given = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  /** Every text that `kept` could let stay, in the order in which it was met. */
  readonly texts = new Set<string>();

  /** @param kept the texts that stay as they are. */
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

  /** `service.3`: the same for the same id. */
  id = (kind: string, id: string): string => this.#number(kind, '.', id);

  /** The text if it stays, `Servicio 3` otherwise: the same for the same text. */
  name = (kind: string, text: string): string => {
    if (text !== '') this.texts.add(text);
    return this.#kept.has(text) ? text : this.#number(kind, ' ', text);
  };

  /** The same, but empty where the text is empty. */
  note = (kind: string, text: string): string => text && this.name(kind, text);
}
