import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { adapters } from '../adapters/index.ts';
import { memory } from '../adapters/memory/index.ts';
import { operations } from '../src/api/index.ts';
import type { Key } from '../src/config/keys.ts';
import { defaultOf, keysWith } from './tools/reference/configuration.ts';

const read = (file: string): string => readFileSync(join(import.meta.dirname, '..', file), 'utf8');

const isSetting = ({ path }: Key): boolean => path[0] === 'adapter' && path[1] === 'settings';

describe('config/default.yaml', () => {
  const lines = read('config/default.yaml').split('\n');

  test('shows every key, some of them commented out', () => {
    const shown = new Set(lines.flatMap((line) => /^ *(?:# )?(\w+):/.exec(line)?.[1] ?? []));
    const missing = keysWith(memory.settings).filter(({ path }) => !shown.has(path.at(-1)!));
    expect(missing.map(({ path }) => path.join('.'))).toEqual([]);
  });

  test('says of every key what it means', () => {
    const isKey = (line = ''): boolean => /^ +(?:# )?\w+: \S/.test(line);
    const bare = lines.filter(
      (line, at) => isKey(line) && (isKey(lines[at - 1]) || !/^ *# /.test(lines[at - 1] ?? '')),
    );
    expect(bare).toEqual([]);
  });

  test('sets every key that it shows to its default', () => {
    const shown: unknown = parse(lines.join('\n'));
    const differing = keysWith(memory.settings).filter((key) => {
      if (isSetting(key) || key.path.includes('jwt')) return false;
      const value = key.path.reduce<unknown>((section, part) => (section as Record<string, unknown>)[part], shown);
      return JSON.stringify(value) !== JSON.stringify(defaultOf(key.schema));
    });
    expect(differing.map(({ path }) => path.join('.'))).toEqual([]);
  });
});

describe('the settings of an adapter', () => {
  test.each(Object.entries(adapters))(
    'stand on the page of %s, or in the configuration that comes with it',
    (name, adapter) => {
      const files: Record<string, string> = { memory: 'config/default.yaml', fhir: 'config/fhir.yaml' };
      const page = read(files[name] ?? `docs/reference/${name === 'mapping' ? 'mapping-details' : name}.md`);
      const settings = keysWith(adapter.settings).filter(isSetting);
      expect(
        settings
          .map(({ path }) => path.slice(2))
          .filter(
            (path) =>
              !page.includes(path.join('.')) && !(name in files && path.every((part) => page.includes(`${part}:`))),
          )
          .map((path) => path.join('.')),
      ).toEqual([]);
    },
  );
});

describe('docs/reference/fhir/operations.md', () => {
  const rows = read('docs/reference/fhir/operations.md')
    .split('\n')
    .filter((line) => /^\| `[A-Z]+ \//.test(line));

  test('has a row for every operation, with its route, and none twice', () => {
    const named = rows.map((row) => /^\| `([^`]+)` `([^`]+)` \|/.exec(row)?.slice(1).join(' '));
    expect(named.toSorted()).toEqual(operations.map(({ name, route }) => `${route} ${name}`).toSorted());
  });

  test('says of every operation what it reads, and in which step of the set-up that is', () => {
    const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
    expect(cells.filter((row) => row.length !== 7 || row[2] === '' || !/^(\d|-$)/.test(row[3]!))).toEqual([]);
  });
});

describe('docs/explanation/reliability.md', () => {
  const page = read('docs/explanation/reliability.md');
  const named = [...page.matchAll(/\[`([^`]+)`\]\(\.\.\/\.\.\/(test\/[^)]+\.ts)\)/g)].map((match) => match.slice(1));

  test('has a test for each of its ten promises, and each test is there', () => {
    const promises = page.split('\n').filter((line) => /^\| R\d+ \|/.test(line));
    expect(promises).toHaveLength(10);
    expect(promises.filter((line) => !/\[`[^`]+`\]\(\.\.\/\.\.\/test\//.test(line))).toEqual([]);
    expect(named.filter(([title, file]) => !read(file!).includes(`${title}'`))).toEqual([]);
  });
});

describe('the decisions', () => {
  const index = read('docs/explanation/decisions/README.md');
  const pages = new Map(
    globSync('docs/explanation/decisions/*.md')
      .map((file) => file.slice('docs/explanation/decisions/'.length))
      .filter((file) => file !== 'README.md')
      .map((file) => [file, read(`docs/explanation/decisions/${file}`)]),
  );

  test('stand on at most 20 pages by subject, all of them in the index', () => {
    expect(pages.size).toBeGreaterThan(10);
    expect(pages.size).toBeLessThanOrEqual(20);
    expect([...pages.keys()].filter((file) => !/^[a-z-]+\.md$/.test(file) || !index.includes(`(${file})`))).toEqual([]);
  });

  test('say under each heading, in at most 30 lines, what holds, why and what it costs', () => {
    const sections = [...pages].flatMap(([file, text]) =>
      text
        .split(/^## /m)
        .slice(1)
        .map((section) => ({ at: `${file}: ${section.split('\n')[0]}`, section })),
    );
    const unfit = sections.filter(
      ({ section }) =>
        !/\n\n[^*].*\n\*\*Why\.\*\* .*\n\*\*Cost\.\*\* /s.test(section) || section.trimEnd().split('\n').length > 30,
    );
    expect(unfit.map(({ at }) => at)).toEqual([]);
  });

  test('list by day what was replaced, with what holds now', () => {
    const rows = [...index.matchAll(/^\| (\d{4}-\d\d-\d\d) \| [^|]+ \| [^|]+ \|$/gm)].map((match) => match[1]);
    expect(rows.length).toBeGreaterThan(10);
    expect(rows).toEqual(rows.toSorted());
  });

  test('name only files and folders that are there', () => {
    const named = [...pages].flatMap(([page, text]) =>
      [...text.matchAll(/`((?:src|adapters|test|deploy|examples)\/[\w./-]+)`/g)].map(([, path = '']) => ({
        page,
        path,
      })),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ path }) => !existsSync(path))).toEqual([]);
  });

  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  test('name every package that package.json names', () => {
    const packages = Object.keys({ ...dependencies, ...devDependencies });
    expect(packages.filter((name) => ![...pages.values()].some((text) => text.includes(`\`${name}\``)))).toEqual([]);
  });

  test('are there when the code names them', () => {
    const named = globSync(['*.js', '{src,adapters,test}/**/*.{ts,js}']).flatMap((file) =>
      [...read(file).matchAll(/docs\/explanation\/decisions\/([a-z-]+\.md)(?:#([a-z0-9-]+))?/g)].map(
        ([, page = '', heading]) => ({
          file,
          page,
          heading,
        }),
      ),
    );
    expect(named.map(({ heading }) => heading)).toContain('no-id-can-bend-a-path');
    const broken = named.filter(
      ({ page, heading }) =>
        !pages.has(page) ||
        (heading !== undefined && !headingsOf(`docs/explanation/decisions/${page}`).includes(heading)),
    );
    expect(broken).toEqual([]);
  });
});

test('the glossary has at most 40 words in their order, each in one sentence', () => {
  const entries = [...read('docs/reference/glossary.md').matchAll(/^- (.*)$/gm)].map(([, entry = '']) => entry);
  const words = entries.map((entry) => /^\*\*([^*]+)\*\*: [^.]+\.?[^.]*\.$/.exec(entry)?.[1]);
  expect(words).toEqual(words.toSorted());
  expect(words).not.toContain(undefined);
  expect(words.length).toBeLessThanOrEqual(40);
});

test('the pages link only to files and headings that are there', () => {
  const links = globSync(['*.md', 'docs/**/*.md', 'examples/**/README.md']).flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map((match) => ({ file, link: match[1]! })),
  );
  const broken = links.filter(({ file, link }) => {
    const [path, heading] = link.split('#');
    const target = path ? join(dirname(file), path) : file;
    return !existsSync(target) || (heading !== undefined && !headingsOf(target).includes(heading));
  });
  expect(links.length).toBeGreaterThan(50);
  expect(broken).toEqual([]);
});

test('a page that says npx puente names the tarball, or has a project beside it that installs it', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.{md,ts,py,go}', 'templates/**/*.md']);
  const installs = (file: string): boolean => {
    const project = join(dirname(file), 'package.json');
    return existsSync(project) && /"puente": "/.test(read(project));
  };
  const bare = pages.filter(
    (file) =>
      // Decisions say why; nobody pastes from them.
      !file.startsWith('docs/explanation/decisions/') &&
      /npx puente\b/.test(read(file)) &&
      !/npm install (?:--save-dev )?\.\/puente-[\w.-]+\.tgz/.test(read(file)) &&
      !installs(file),
  );
  expect(bare).toEqual([]);
});

/** The anchors of a page's headings, as code hosts make them. */
const headingsOf = (file: string): string[] =>
  [...read(file).matchAll(/^#+ (.+)$/gm)].map((match) =>
    match[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
