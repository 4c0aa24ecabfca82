import { globSync, readFileSync } from 'node:fs';

export interface CommandBlock {
  /** The page and the line, e.g. `README.md:22`. */
  readonly place: string;
  readonly text: string;
}

const commands =
  /^(\(|\w+=|(apt|cd|createdb|curl|docker|echo|export|for|git|install|kcadm\.sh|kubectl|ln|node|npm|npx|openssl|psql|puente|set|sh)\b)/;

/** The blocks of commands on the pages that readers paste from: those without a language whose first word is a command. */
export function listCommandBlocks(): readonly CommandBlock[] {
  const pages = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md', 'templates/**/*.md']);
  return pages
    .filter((page) => !page.includes('node_modules') && page !== 'CHANGELOG.md')
    .toSorted()
    .flatMap((page) => listBlocks(page, readFileSync(page, 'utf8').split('\n')));
}

function listBlocks(page: string, lines: readonly string[]): CommandBlock[] {
  const fences = lines.flatMap((line, at) => (/^ *```/.test(line) ? [at] : []));
  const blocks: CommandBlock[] = [];
  for (let i = 0; i + 1 < fences.length; i += 2) {
    const [from = 0, to = 0] = fences.slice(i, i + 2);
    const [, indent = '', language = ''] = /^( *)```(\w*)/.exec(lines[from] ?? '') ?? [];
    const text = lines.slice(from + 1, to).map((line) => line.slice(indent.length));
    if (!['', 'sh', 'bash'].includes(language) || !commands.test(text[0] ?? '')) continue;
    blocks.push({ place: `${page}:${from + 2}`, text: `${text.join('\n')}\n` });
  }
  return blocks;
}
