import { relative } from 'node:path';
import {
  type Document,
  type ErrorCode,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  stringify,
  visit,
} from 'yaml';
import { getErrorCode } from './failures.ts';
import { ConfigProblems } from './problems.ts';
import { isRecord } from './records.ts';
import { explainUnreadable, isCut, readRegularFile } from './settings-file.ts';

/** Texts for the messages about a file. */
interface YamlFileHints {
  /** The option that names another file. */
  readonly option: string;
  /** An example of such a file. */
  readonly example: string;
}

const configuration: YamlFileHints = { option: '--config or PUENTE_CONFIG', example: 'config/default.yaml' };

/**
 * A YAML file with the place of each key. Keys are texts. Numbers with leading zeros and octal numbers are texts too,
 * because they are codes.
 */
export class YamlFile {
  /** Relative to the working directory if the file is below it. Otherwise absolute. */
  readonly name: string;
  readonly #hints: YamlFileHints;
  readonly #document: Document;
  readonly #lines = new LineCounter();

  /** @throws ConfigProblems when the file cannot be read or is not YAML. */
  constructor(file: string, hints: YamlFileHints = configuration) {
    this.#hints = hints;
    this.name = getName(file);
    const options = { lineCounter: this.#lines, prettyErrors: false, stringKeys: true };
    this.#document = parseDocument(this.#read(file), options);
    const problems = this.#document.errors.map(({ pos: [offset], code }) => {
      return `${this.#formatOffset(offset)} is not valid YAML: ${explanations[code] ?? 'syntax error: check this line'}`;
    });
    visit(this.#document, {
      Scalar: (key, node) => {
        if (key === 'key' && node.source === '<<' && node.type === 'PLAIN')
          problems.push(`${this.#formatOffset(node.range?.[0])} ${merging}`);
        if (typeof node.value === 'number' && /^0[\dxo]/.test(node.source ?? '')) node.value = node.source;
      },
    });
    if (problems.length > 0) throw new ConfigProblems(problems);
  }

  /** The content of the file. An empty file is an empty object. @throws ConfigProblems when it is not a mapping. */
  toJS(): Record<string, unknown> {
    const { contents } = this.#document;
    if (contents !== null && !isMap(contents) && !(isScalar(contents) && contents.value === null)) {
      throw new ConfigProblems([`${this.name}:1 must contain keys and values, like ${this.#hints.example}`]);
    }
    const value = this.#toValue();
    return isRecord(value) ? value : {};
  }

  /** The entries of a file with a list. @throws ConfigProblems when it is not a list. */
  toList(): unknown[] {
    const value = this.#toValue();
    if (Array.isArray(value)) return value;
    throw new ConfigProblems([`${this.name}:1 must contain a list, like ${this.#hints.example}`]);
  }

  #toValue(): unknown {
    try {
      return copyApart(this.#document.toJS({ maxAliasCount: 100 }));
    } catch {
      throw new ConfigProblems([
        `${this.name} is not valid YAML: an alias (*name) has no anchor (&name), is inside it, or too many refer to it`,
      ]);
    }
  }

  /** `config/x.yaml:12`: the line of the key, or of the nearest enclosing section that exists. */
  findPlace(path: readonly PropertyKey[]): string {
    const offset = this.#findOffset(path);
    return offset === undefined ? this.name : `${this.name}:${this.#lines.linePos(offset).line}`;
  }

  /** As `findPlace`, with the column: `his.yaml:12:5`. */
  findColumn(path: readonly PropertyKey[]): string {
    return this.#formatOffset(this.#findOffset(path));
  }

  #formatOffset(offset = 0): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.name}:${line}:${col}`;
  }

  #findOffset(path: readonly PropertyKey[]): number | undefined {
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
    return offset;
  }

  #read(file: string): string {
    const refuse = (why: string) =>
      new ConfigProblems([
        `${this.name}: ${why}${why.includes(': ') ? ', or' : ':'} set another one with ${this.#hints.option}`,
      ]);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(readRegularFile(file, MAX_BYTES));
    } catch (error) {
      const code = getErrorCode(error);
      const why = unfit[code] ?? explainUnreadable(error);
      throw isCut(error) ? new ConfigProblems([`${this.name}: ${why}`]) : refuse(why);
    }
  }
}

/** Far more than any configuration. The library compares each key of a section with all others. */
const MAX_BYTES = 256 << 10;

const unfit: Readonly<Record<string, string>> = {
  TOO_LARGE: `is larger than ${MAX_BYTES >> 10} KiB`,
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not in UTF-8, so letters with accents are lost: save it as UTF-8',
};

const merging =
  'is a merge key (<<), which is not supported: write its keys out, or use an alias (*name) for a whole value';
const unexpected = 'unexpected text: close a quote or a bracket above, or quote the value';
const unquoted = "the value needs quotes: put it between single quotes (')";

/**
 * The explanations of syntax errors. They replace the library's messages, which repeat values and could repeat a
 * secret.
 */
const explanations: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: 'the line is indented with tabs: use spaces',
  BAD_INDENT: 'the line is indented differently from its section: align it',
  DUPLICATE_KEY: 'the section already has this key above: remove one',
  MISSING_CHAR: 'a quote, a bracket, a comma or a colon is missing: add it',
  MULTILINE_IMPLICIT_KEY: unexpected,
  BLOCK_AS_IMPLICIT_KEY: unexpected,
  BLOCK_IN_FLOW: unexpected,
  UNEXPECTED_TOKEN: unexpected,
  BAD_SCALAR_START: unquoted,
  BAD_DQ_ESCAPE: unquoted,
  MULTIPLE_DOCS: 'a second document begins here (---), but only one is allowed: remove it',
};

/** Formats a value as YAML without line breaks in texts. */
export const formatYaml = (value: unknown): string => stringify(value, { lineWidth: 0 });

/**
 * Copies a value so that each alias becomes a value of its own, which an override can change alone.
 * @throws RangeError for an alias inside its own anchor.
 */
function copyApart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyApart);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copyApart(each)]));
}

function getName(file: string): string {
  const fromHere = relative(process.cwd(), file) || '.';
  return fromHere.startsWith('..') ? file : fromHere;
}
