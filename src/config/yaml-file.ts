import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { ConfigProblems } from './problems.ts';

/** What messages about a file tell the operator. */
interface YamlFileHints {
  /** Where another file can be named. */
  readonly option: string;
  /** What such a file looks like. */
  readonly example: string;
}

const configuration: YamlFileHints = { option: '--config or PUENTE_CONFIG', example: 'config/default.yaml' };

/** A YAML file that knows the line of each key. */
export class YamlFile {
  /** Relative to the working directory when the file is below it, else absolute. */
  readonly name: string;
  readonly #hints: YamlFileHints;
  readonly #document: Document;
  readonly #lines = new LineCounter();

  /** @throws ConfigProblems when the file cannot be read or is not YAML. */
  constructor(file: string, hints: YamlFileHints = configuration) {
    this.#hints = hints;
    this.name = getName(file);
    this.#document = parseDocument(this.#read(file), { lineCounter: this.#lines, prettyErrors: false });
    const problems = this.#document.errors.map(({ pos, message }) => {
      const { line, col } = this.#lines.linePos(pos[0]);
      return `${this.name}:${line}:${col} is not valid YAML: ${message}`;
    });
    if (problems.length > 0) throw new ConfigProblems(problems);
  }

  /** The content of the file; an empty file is an empty object. @throws ConfigProblems when it is not a mapping. */
  toJS(): Record<string, unknown> {
    const { contents } = this.#document;
    if (contents !== null && !isMap(contents) && !(isScalar(contents) && contents.value === null)) {
      throw new ConfigProblems([`${this.name}:1 must contain keys and values, like ${this.#hints.example}`]);
    }
    try {
      return (this.#document.toJS({ maxAliasCount: 100 }) as Record<string, unknown> | null) ?? {};
    } catch (error) {
      throw new ConfigProblems([`${this.name} is not valid YAML: ${(error as Error).message}`]);
    }
  }

  /** `config/x.yaml:12`: the line of the key, or of the nearest section above it that exists. */
  findPlace(path: readonly PropertyKey[]): string {
    let offset: number | undefined;
    let node: unknown = this.#document.contents;
    for (const key of path) {
      if (isMap(node)) {
        const pair = node.items.find(({ key: name }) => isScalar(name) && String(name.value) === String(key));
        if (!pair) break;
        offset = isNode(pair.key) ? pair.key.range?.[0] : offset;
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(key)];
        if (!isNode(node)) break;
        offset = node.range?.[0] ?? offset;
      } else break;
    }
    return offset === undefined ? this.name : `${this.name}:${this.#lines.linePos(offset).line}`;
  }

  #read(file: string): string {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const why = code === 'ENOENT' ? 'file not found' : `cannot be read (${code})`;
      throw new ConfigProblems([`${this.name}: ${why}; set another one with ${this.#hints.option}`]);
    }
  }
}

function getName(file: string): string {
  const fromHere = relative(process.cwd(), file);
  return fromHere.startsWith('..') ? file : fromHere;
}
