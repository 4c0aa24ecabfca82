// Compares the prose of this repository with the language guide: `npm run lint:prose`, or with names of files.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import dictionary from 'dictionary-en';
import nspell from 'nspell';
import { checkSentence, listSentences, listWords } from './rules.ts';
import { type Paragraph, readComments, readMarkdown } from './texts.ts';

const pages = ['*.md', 'docs/**/*.md', 'examples/**/*.md', 'templates/**/*.md', 'test/**/*.md'];
/** Folders whose comments keep the rules. */
const sources = ['src/**/*.ts', 'adapters/**/*.ts', 'test/tools/prose/*.ts'];

const spelling = nspell({ aff: Buffer.from(dictionary.aff), dic: Buffer.from(dictionary.dic) });
spelling.personal(readFileSync(join(import.meta.dirname, 'words.txt'), 'utf8'));

function* check({ line, text }: Paragraph): Generator<string> {
  for (const sentence of listSentences(text)) {
    const findings = checkSentence(sentence).map(({ rule, text: why }) => `${rule}: ${why}`);
    const unknown = listWords(sentence).filter((word) => !spelling.correct(word));
    for (const finding of [...findings, ...unknown.map((word) => `spelling: ${word}`)])
      yield `${line} ${finding}\n    ${sentence}`;
  }
}

const isForeign = (file: string): boolean => file.startsWith('docs/tutorials/es/') || file.includes('node_modules');
const given = process.argv.slice(2);
const files = (given.length > 0 ? given : globSync([...pages, ...sources])).filter((file) => !isForeign(file));
const findings = files
  .toSorted()
  .flatMap((file) =>
    (file.endsWith('.md') ? readMarkdown(file) : readComments(file)).flatMap((each) =>
      [...check(each)].map((finding) => `${file}:${finding}`),
    ),
  );
for (const finding of findings) process.stdout.write(`${finding}\n`);
process.stdout.write(`${files.length} files, ${findings.length} findings\n`);
if (findings.length > 0) process.exitCode = 1;
