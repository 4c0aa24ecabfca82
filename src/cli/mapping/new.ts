import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { defaultTimeZone } from '../../config/schema.ts';
import { packageRoot } from '../../toolkit/package.ts';
import { ConfigProblems } from '../../toolkit/problems.ts';
import { formatYaml } from '../../toolkit/yaml-file.ts';

const server = (kind: string) => ({
  template: 'sql.yaml',
  source: `database:\n  kind: ${kind}\n  url: env:HIS_DATABASE # the variable that has the address: ${kind}://user:password@host/database`,
});
const http = (answers: string, more: string) => ({
  template: 'http.yaml',
  source: `http:\n  url: https://his.example/api\n  answers: ${answers}\n${more}`,
});

/** Kinds of systems, and how a mapping file begins for each. */
export const systemKinds = {
  sqlite: { about: 'SQLite', template: 'sql.yaml', source: 'database:\n  kind: sqlite\n  file: his.db' },
  postgres: { about: 'PostgreSQL', ...server('postgres') },
  mysql: { about: 'MySQL or MariaDB', ...server('mysql') },
  'http-json': { about: 'HTTP with JSON', ...http('json', '  # root: data # what is around every answer') },
  'http-xml': {
    about: 'HTTP with XML',
    ...http('xml', '  # charset: ISO-8859-1\n  # root: RESPUESTA # the element around every answer'),
  },
} as const;
export type SystemKind = keyof typeof systemKinds;

/**
 * Writes a mapping file, and beside it the configuration that names it.
 * @returns the path of the configuration; undefined when there is one already, which stays as it is.
 * @throws ConfigProblems when the file is there already; it stays as it is.
 */
export function writeMapping(path: string, kind: SystemKind): string | undefined {
  if (existsSync(path)) throw new ConfigProblems([`${path} is there already; name another file`]);
  const { template, source } = systemKinds[kind];
  const text = readFileSync(join(packageRoot, 'templates/mapping', template), 'utf8');
  writeFileSync(path, text.replace('{{source}}', source), { flag: 'wx' });
  const config = join(dirname(path), 'puente.yaml');
  if (existsSync(config)) return undefined;
  const institution = { timeZone: defaultTimeZone };
  const adapter = { name: 'mapping', settings: { file: basename(path) } };
  writeFileSync(config, formatYaml({ institution, adapter }), { flag: 'wx' });
  return config;
}

/** @throws ConfigProblems where nobody can be asked. */
export async function askKind(): Promise<SystemKind> {
  const kinds = Object.keys(systemKinds) as SystemKind[];
  if (!process.stdin.isTTY) throw new ConfigProblems([`say by --kind what the system is: ${kinds.join(', ')}`]);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const list = kinds.map((kind, i) => `  ${i + 1}  ${systemKinds[kind].about}\n`).join('');
    for (;;) {
      const kind = kinds[Number(await terminal.question(`What is the system?\n${list}> `)) - 1];
      if (kind) return kind;
    }
  } finally {
    terminal.close();
  }
}
