import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getModuleName } from '../../src/config/import-adapter.ts';
import type { Loaded } from '../support/load-configs.ts';

const root = join(import.meta.dirname, '../..');
const here = realpathSync(mkdtempSync(join(tmpdir(), 'puente-modules-')));
afterAll(() => rmSync(here, { recursive: true }));

const imports = `import { adapter } from '${root}/adapters/adapter.ts';
import { z } from '${root}/node_modules/zod/index.js';
`;
const offer = 'offer: () => ({ directory: { locations: async () => [] } })';
const whole = `${imports}export default adapter({ settings: z.object({ url: z.url() }), ${offer} });\n`;
const raw = (fields: string): string => `${imports}export default { ${fields} };\n`;

/** What lies in the folder of the configuration files. */
const files: Readonly<Record<string, string>> = {
  'whole.mjs': whole,
  'typed.ts': `${whole}export const typed: string = 'erased';\n`,
  'his/src/index.mjs': whole,
  'node_modules/@hospital/his-adapter/package.json':
    '{ "name": "@hospital/his-adapter", "exports": { "import": "./index.mjs" } }',
  'node_modules/@hospital/his-adapter/index.mjs': whole,
  'node_modules/in-typescript/package.json': '{ "name": "in-typescript", "exports": "./index.ts", "type": "module" }',
  'node_modules/in-typescript/index.ts': whole,
  'elsewhere/node_modules/of-the-program/package.json': '{ "name": "of-the-program", "exports": "./index.mjs" }',
  'elsewhere/node_modules/of-the-program/index.mjs': whole,
  'elsewhere/mine.mjs': whole,
  'named.mjs': `${imports}export const clinic = adapter({ settings: z.object({}), ${offer} });\n`,
  'empty.mjs': '',
  'plain.mjs': raw(`settings: z.object({}), ${offer}`),
  'function.mjs': 'export default () => ({});\n',
  'newer.mjs': raw(`api: 3, settings: z.object({}), ${offer}`),
  'no-offer.mjs': raw('api: 2, settings: z.object({})'),
  'no-settings.mjs': raw(`api: 2, ${offer}`),
  'zod-3.mjs': raw(`api: 2, settings: { _def: { typeName: 'ZodObject' }, strict() {} }, ${offer}`),
  'zod-5.mjs': raw(`api: 2, settings: { _zod: { def: { type: 'object' }, version: { major: 5 } } }, ${offer}`),
  'zod-mini.mjs': `import { z } from '${root}/node_modules/zod/mini/index.js';
export default { api: 2, settings: z.object({}), ${offer} };\n`,
  'zod-list.mjs': raw(`api: 2, settings: z.array(z.string()), ${offer}`),
  'needs.mjs': raw(`api: 2, settings: z.object({}), needs: { 'patients.gte': ['directory.locations'] }, ${offer}`),
  'needs-text.mjs': raw(`api: 2, settings: z.object({}), needs: ['patients.get'], ${offer}`),
  'misspelt.mjs': raw('api: 2, settings: z.object({}), offer: () => ({ directory: { location: async () => [] } })'),
  'nothing.mjs': raw('api: 2, settings: z.object({}), offer: () => undefined'),
  'breaks.mjs': raw("api: 2, settings: z.object({}), offer() {\nthrow new TypeError('postgres://user:secret@db');\n}"),
  'refused.mjs': raw(
    "api: 2, settings: z.object({}), offer: () => Promise.reject(Object.assign(new Error('secret'), { code: 'ECONNREFUSED', stack: '' }))",
  ),
  'throws.mjs': "\nthrow new Error('the licence is over\\nsecond line');\n",
  'throws-text.mjs': "throw 'secret';\n",
  'syntax.mjs': 'export default {;\n',
  'enum.ts': 'enum A {\n  a,\n}\nexport default A;\n',
  'imports.mjs': "import 'not-installed';\nexport default 1;\n",
};

interface Case {
  readonly title: string;
  readonly yaml: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Each with the file called `x.yaml`, and the folder of it `HERE`. */
  readonly problems?: readonly string[];
  /** The names of the adapters, when there are no problems. */
  readonly adapters?: readonly string[];
}

const settings = '  settings: { url: "http://127.0.0.1" }';
const entry = (module: string, more = ''): string => `adapter:\n  module: '${module}'\n${more}`;
const is = (module: string, adapter: string): Case => ({
  title: `${module} is the adapter ${adapter}`,
  yaml: entry(module, settings),
  adapters: [adapter],
});
const fails = (module: string, problem: string): Case => ({
  title: `${module} ${problem}`,
  yaml: entry(module),
  problems: [`x.yaml:2 adapter.module: ${problem}`],
});

const cases: readonly Case[] = [
  is('./whole.mjs', 'whole'),
  is('./typed.ts', 'typed'),
  is('./his/src/index.mjs', 'his'),
  is(`${here}/whole.mjs`, 'whole'),
  is('@hospital/his-adapter', 'his-adapter'),
  is('of-the-program', 'of-the-program'),
  {
    title: 'a path in a variable is from the working directory',
    yaml: `adapter:\n${settings}`,
    environment: { PUENTE_ADAPTER_MODULE: './mine.mjs' },
    adapters: ['mine'],
  },
  {
    title: 'a further adapter can be a module, and its name is its key',
    yaml: `adapters:\n  his:\n    module: ./whole.mjs\n  ${settings}\nports:\n  directory: { adapter: his }`,
    adapters: ['memory', 'his'],
  },
  {
    title: 'the settings are those of the module, in variables too',
    yaml: entry('./whole.mjs', '  settings: { urll: x }'),
    environment: { PUENTE_ADAPTER_SETTINGS_URL: 'nowhere' },
    problems: [
      'PUENTE_ADAPTER_SETTINGS_URL: must be a URL',
      'x.yaml:3 adapter.settings.urll: unknown setting: did you mean url?',
    ],
  },
  {
    title: 'a name beside a module is a problem',
    yaml: entry('./whole.mjs', `  name: memory\n${settings}`),
    problems: ['x.yaml:3 adapter.name: names another adapter than module: remove one of them'],
  },
  {
    title: 'the settings of a module that cannot be used are not judged',
    yaml: entry('./nowhere.mjs', '  settings: { what: 1 }\nhttp: { port: x }'),
    environment: { PUENTE_ADAPTER_SETTINGS_WHAT: '1' },
    problems: [
      'x.yaml:4 http.port: must be a whole number between 0 and 65535',
      'x.yaml:2 adapter.module: there is no file HERE/nowhere.mjs',
    ],
  },
  {
    title: 'two modules have two problems',
    yaml: 'adapter: { module: ./empty.mjs }\nadapters:\n  his: { module: 12 }\n  lab: { module: not-there }',
    problems: [
      'x.yaml:1 adapter.module: has no default export: end it with export default adapter({ settings, offer })',
      'x.yaml:3 adapters.his.module: must be text',
      'x.yaml:4 adapters.lab.module: there is no such package in HERE or HERE/elsewhere: run npm install for it there, or begin the path of a file with ./',
    ],
  },
  fails('data:text/javascript,export default 1', 'is a URL: name a package, or a path that begins with ./'),
  fails('./nowhere.mjs', 'there is no file HERE/nowhere.mjs'),
  fails('./his', 'is a folder: name the file in it, e.g. ./his/index.ts'),
  fails(
    '@hospital/his-adapter/other',
    'has no such entry (ERR_PACKAGE_PATH_NOT_EXPORTED): check exports in the package.json of the package',
  ),
  fails('in-typescript', 'is TypeScript in node_modules, which Node does not run: its package must contain JavaScript'),
  fails(
    './named.mjs',
    'has no default export; it exports clinic: end it with export default adapter({ settings, offer })',
  ),
  fails('./plain.mjs', 'its default export is not an adapter: create it with adapter() of puente/adapter'),
  fails('./function.mjs', 'its default export is not an adapter: create it with adapter() of puente/adapter'),
  fails(
    './newer.mjs',
    'was built for version 3 of puente/adapter, and this Puente has 2: install matching releases of both',
  ),
  fails('./no-offer.mjs', 'its adapter has no function offer: add one that returns the ports'),
  fails('./no-settings.mjs', 'its adapter has no settings: write z.object({}) if there are none'),
  fails('./zod-3.mjs', 'its settings are not a schema of zod 4: create them with the z of puente/adapter'),
  fails(
    './zod-5.mjs',
    'its settings are a schema of zod 5, and this Puente has zod 4: create them with the z of puente/adapter',
  ),
  fails('./zod-mini.mjs', 'its settings are a schema of zod/mini: create them with the z of puente/adapter'),
  fails('./zod-list.mjs', 'its settings are a z.array(), and must be a z.object()'),
  fails('./needs.mjs', 'names in needs the unknown method patients.gte: did you mean patients.get?'),
  fails('./needs-text.mjs', 'its needs are not lists of its own methods, e.g. { "patients.get": ["tickets.open"] }'),
  fails('./misspelt.mjs', 'the adapter misspelt offers an unknown method directory.location: did you mean locations?'),
  fails('./nothing.mjs', 'the adapter nothing offers nothing: its offer must return an object with ports'),
  fails(
    './breaks.mjs',
    'the adapter breaks cannot start: its offer throws TypeError (HERE/breaks.mjs:4): it may throw only SettingsProblem',
  ),
  fails(
    './refused.mjs',
    'the adapter refused cannot start: its offer throws Error ECONNREFUSED: it may throw only SettingsProblem',
  ),
  fails('./throws.mjs', 'cannot be loaded: Error: the licence is over (HERE/throws.mjs:2)'),
  fails('./throws-text.mjs', 'cannot be loaded: it throws a string instead of an Error'),
  fails('./syntax.mjs', "cannot be loaded: SyntaxError: Unexpected token ';'"),
  fails(
    './enum.ts',
    'cannot be loaded: SyntaxError: TypeScript enum is not supported in strip-only mode (HERE/enum.ts:1)',
  ),
  fails(
    './imports.mjs',
    'HERE/imports.mjs imports not-installed, which does not exist: run npm install for its dependencies',
  ),
];

const results = new Map<string, Loaded>();

beforeAll(async () => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(here, name)), { recursive: true });
    writeFileSync(join(here, name), text);
  }
  const given = cases.map(({ yaml, environment }, i) => {
    const file = join(here, `${i}.yaml`);
    writeFileSync(file, yaml);
    return { file, environment };
  });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'test/support/load-configs.ts'), JSON.stringify(given)],
    { cwd: join(here, 'elsewhere'), env: { PATH: process.env.PATH, NODE_PATH: '' } },
  );
  for (const [i, { problems, ...rest }] of (JSON.parse(stdout) as Loaded[]).entries()) {
    const shorten = (line: string) => line.replaceAll(here, 'HERE').replace(/^HERE\/\d+\.yaml/, 'x.yaml');
    results.set(cases[i]?.title ?? '', { ...rest, ...(problems && { problems: problems.map(shorten) }) });
  }
});

describe('an adapter from a module', () => {
  test.each(cases)('$title', ({ title, problems, adapters }) => {
    expect(results.get(title)).toMatchObject(problems ? { problems } : { adapters });
  });

  test('offers what its object has', () => {
    expect(results.get(cases[0]?.title ?? '')?.supports).toEqual(['directory.locations']);
  });

  test.each([
    ['@hospital/his-adapter', 'his-adapter'],
    ['@hospital/his-adapter/test', 'his-adapter'],
    ['his_adapter', 'his-adapter'],
    ['./adapter.ts', 'adapter'],
    ['../lab/src/index.ts', 'lab'],
    ['./src/index.ts', 'clinic'],
    ['/srv/Clínica Norte/dist/main.js', 'cl-nica-norte'],
  ])('%s is called %s in logs', (module, name) => {
    expect(getModuleName(module, '/srv/clinic')).toBe(name);
  });
});
