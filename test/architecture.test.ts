import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from '@jest/globals';

/**
 * The rooms of the house, the lowest first: a file imports from its own room and from lower ones. Rooms of one row do not
 * know each other.
 */
const rooms: readonly (readonly string[])[] = [
  ['src/ports'],
  ['src/toolkit'],
  ['src/http-client', 'src/database', 'adapters/adapter.ts'],
  ['src/api', 'src/state', 'adapters/command.ts', 'adapters/common'],
  [
    'adapters/public.ts',
    'adapters/memory',
    'adapters/fhir',
    'adapters/local',
    'adapters/mapping',
    'src/contract',
    'src/guard',
    'src/audit',
    'src/auth',
  ],
  ['adapters/loaders.ts', 'adapters/index.ts'],
  ['src/config', 'src/http', 'src/observe'],
  ['src/sandbox'],
  ['src/runtime'],
  ['src/cli'],
];

/** The room of a file, and how high it lies. */
function findRoom(file: string): { readonly room: string; readonly level: number } | undefined {
  const level = rooms.findIndex((row) => row.some((room) => file === room || file.startsWith(`${room}/`)));
  const room = rooms[level]?.find((each) => file === each || file.startsWith(`${each}/`));
  return room === undefined ? undefined : { room, level };
}

/** Packages, and the only places that may import them. */
const homes: Readonly<Record<string, RegExp>> = {
  express: /^src\/http\//,
  'prom-client': /^src\/observe\/metrics\.ts$/,
  '@opentelemetry/api': /^src\/observe\/tracing\.ts$/,
  '@opentelemetry/core': /^src\/observe\/tracing\.ts$/,
  '@opentelemetry/exporter-trace-otlp-http': /^src\/observe\/tracing\.ts$/,
  '@opentelemetry/resources': /^src\/observe\/tracing\.ts$/,
  '@opentelemetry/sdk-trace': /^src\/observe\/tracing\.ts$/,
  winston: /^src\/observe\/log\.ts$/,
  axios: /^(src\/http-client|adapters\/fhir|adapters\/mapping\/sources\/http)\//,
  commander: /^(src\/cli\/|adapters\/command\.ts$|adapters\/\w+\/commands(\.ts$|\/))/,
  yaml: /^src\/(toolkit\/yaml-file\.ts$|config\/)/,
  inversify: /^src\/runtime\//,
  jose: /^src\/(http-client|auth|config)\//,
  pg: /^(src\/database|adapters\/mapping\/sources\/sql)\/postgres\.ts$/,
  'mysql2/promise': /^adapters\/mapping\/sources\/sql\/mysql\.ts$/,
  tedious: /^adapters\/mapping\/sources\/sql\/sqlserver\.ts$/,
  '@rgrove/parse-xml': /^adapters\/mapping\/sources\/http\//,
  'csv-parse/sync': /^adapters\/mapping\/sources\/http\//,
  'iconv-lite': /^adapters\/(mapping\/sources\/http\/|common\/charset\.ts$)/,
  re2js: /^(src\/(api|toolkit)|adapters\/mapping\/formats)\//,
  '@marcbachmann/cel-js': /^adapters\/mapping\/formats\//,
  'zod-openapi': /^src\/api\//,
  'ajv/dist/2020.js': /^src\/contract\/document\.ts$/,
  'ajv-formats': /^src\/contract\/document\.ts$/,
};

function importsOf(file: string, text = readFileSync(file, 'utf8')): string[] {
  const names = [
    ...text.matchAll(/^\s*(?:import|export)\b[^;]*?from\s+'([^']+)'|^\s*import\s+'([^']+)'|\bimport\('([^']+)'\)/gm),
  ];
  return names
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .map((name) => (name.startsWith('.') ? normalize(join(dirname(file), name)) : name));
}

/** The rooms of the FHIR adapter, the lowest first; what is not named here is a port. */
const fhirRooms: readonly RegExp[] = [
  /^settings\.ts$/,
  /^schema\//,
  /^rest\//,
  /^(access|catalogue|context|location-hierarchy|readiness|writes)\.ts$/,
  /^(?!index\.ts$)/,
  /^index\.ts$/,
];
const findFhirRoom = (file: string): number =>
  fhirRooms.findIndex((room) => room.test(file.slice('adapters/fhir/'.length)));

/** Each port of the FHIR adapter, in the folder that has its name. */
const isFhirPort = (file: string): boolean => /^adapters\/fhir\/[\w-]+\/port\.ts$/.test(file);

/** What is still imported at run time, when the types are gone. */
const runtimeImportsOf = (file: string): string[] =>
  importsOf(file, readFileSync(file, 'utf8').replaceAll(/^(?:import|export) type\b[^;]*;/gm, ''));

/** Under each file the length of the longest way down its imports: 1 for a file that imports none of the others. */
function computeLevels(files: readonly string[]): Map<string, number> {
  const levels = new Map<string, number>();
  const computeLevel = (file: string): number => {
    const below = runtimeImportsOf(file).filter((name) => files.includes(name));
    const level = levels.get(file) ?? 1 + Math.max(0, ...below.map(computeLevel));
    levels.set(file, level);
    return level;
  };
  for (const file of files) computeLevel(file);
  return levels;
}

/** Those of the files that import the module, or another of them that does. */
function findImporters(module: string, files: readonly string[]): string[] {
  const imports = files.map((file) => [file, runtimeImportsOf(file)] as const);
  const found = new Set([module]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const [file, names] of imports) if (names.some((name) => found.has(name))) found.add(file);
  }
  return files.filter((file) => found.has(file));
}

/** The first circle in which the files import each other, if there is one. */
function findCycle(files: readonly string[]): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    const cycle = importsOf(file)
      .filter((name) => files.includes(name))
      .map((name) => visit(name, [...path, file]))
      .find(Boolean);
    done.add(file);
    return cycle;
  };
  return files.map((file) => visit(file, [])).find(Boolean);
}

const sources = globSync(['src/**/*.ts', 'adapters/**/*.ts']).sort();

describe('who may import what', () => {
  test('the house has rooms to look at', () => {
    expect(sources.length).toBeGreaterThan(30);
    expect(importsOf('src/http/app.ts')).toContain('express');
  });

  test('every file of the sources stands in a room', () => {
    expect(sources.filter((file) => findRoom(file) === undefined)).toEqual([]);
  });

  test('every file imports from its own room and from lower ones', () => {
    const climbing = sources.flatMap((file) =>
      importsOf(file)
        .map((name) => ({ name, from: findRoom(file), to: findRoom(name) }))
        .filter(({ from, to }) => to && from && to.room !== from.room && to.level >= from.level)
        .map(({ name }) => `${file} imports ${name}`),
    );
    expect(climbing).toEqual([]);
  });

  test('the commands of the program import no adapter: its own commands live with it', () => {
    const commands = sources.filter((file) => file.startsWith('src/cli/'));
    const named = commands.flatMap((file) => importsOf(file)).filter((name) => name.startsWith('adapters/'));
    expect([...new Set(named)].toSorted()).toEqual(['adapters/command.ts', 'adapters/loaders.ts']);
  });

  test('no file imports another one twice, or says all of it again', () => {
    const twice = sources.flatMap((file) => {
      const named = readFileSync(file, 'utf8').matchAll(/^((?:import|export)(?: type)?)\b[^;]*?from\s+('[^']+')/gm);
      const all = [...named].map(([, how, module]) => `${file}: ${how} ${module}`);
      return all.filter((each, index) => all.indexOf(each) < index);
    });
    expect(twice).toEqual([]);
  });

  test('a comment names no file that is not there', () => {
    const there = new Set(globSync('{src,adapters,test,templates,examples}/**/*.*').map((file) => basename(file)));
    const named = sources.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^\s*(?:\/\/|\/?\*).*?\b([\w.-]+\.ts)\b/gm)]
        .filter(([, name]) => !there.has(name!))
        .map(([, name]) => `${file}: ${name}`),
    );
    expect(named).toEqual([]);
  });

  test('packages with a place of their own are imported nowhere else', () => {
    const elsewhere = Object.entries(homes).flatMap(([name, home]) =>
      sources.filter((file) => importsOf(file).includes(name) && !home.test(file)).map((file) => `${file}: ${name}`),
    );
    expect(elsewhere).toEqual([]);
  });

  test('FHIR’s own types are gone at run time, since their package is not installed then', () => {
    expect(sources.filter((file) => importsOf(file).includes('@medplum/fhirtypes'))).not.toEqual([]);
    expect(sources.filter((file) => runtimeImportsOf(file).includes('@medplum/fhirtypes'))).toEqual([]);
  });

  test('a gateway loads no case of the contract when it starts, nor what only commands or other adapters need', () => {
    const loaded = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      if (!sources.includes(file)) return;
      const atOnce = readFileSync(file, 'utf8').replaceAll(/(?:import|export) type\b[^;]*;|\bimport\('[^']+'\)/g, '');
      for (const name of importsOf(file, atOnce)) load(name);
    };
    for (const file of ['src/cli/index.ts', 'src/cli/serve.ts']) load(file);
    expect([...loaded].filter((name) => name.startsWith('adapters/memory/'))).toEqual([]);
    load('adapters/memory/index.ts');
    expect([...loaded]).toEqual(expect.arrayContaining(['src/runtime/main.ts', 'winston']));
    const unwanted =
      /^src\/(contract|sandbox|cli\/doctor|observe\/(metrics|tracing)|http-client)\b|^adapters\/((fhir|local)\/|\w+\/commands\b)|^(axios|jose|pg|zod-openapi)$/;
    expect([...loaded].filter((name) => unwanted.test(name))).toEqual([]);
  });

  test('no source file is longer than 500 lines', () => {
    const long = sources.filter((file) => readFileSync(file, 'utf8').split('\n').length > 500);
    expect(long).toEqual([]);
  });
});

describe('the example of an adapter in a package of its own', () => {
  const files = globSync('examples/clinic-adapter/{src,test}/**/*.ts').sort();

  test('imports nothing of this repository but what the package exports', () => {
    const allowed = /^(examples\/clinic-adapter\/.*|puente\/(adapter|contract)|node:.*)$/;
    expect(files.flatMap((file) => importsOf(file)).filter((name) => !allowed.test(name))).toEqual([]);
  });

  test('is made of small files, and its adapter needs no case of the contract', () => {
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 300)).toEqual([]);
    const sources = files.filter((file) => file.startsWith('examples/clinic-adapter/src/'));
    expect(sources.filter((file) => importsOf(file).includes('puente/contract'))).toEqual([]);
  });
});

describe('the tests', () => {
  const files = globSync('test/**/*.ts');

  test.each([
    ['start processes', 'node:child_process', 'test/cli/serve.slow.test.ts'],
    ['explore at random', 'fast-check', 'test/twins/twins.slow.test.ts'],
  ])('that %s are called *.slow.test.ts, so that npm test leaves them out', (_, module, known) => {
    const found = findImporters(module, files).filter((file) => file.endsWith('.test.ts'));
    expect(found).toContain(known);
    expect(found.filter((file) => !file.endsWith('.slow.test.ts'))).toEqual([]);
  });
});

describe('the FHIR adapter', () => {
  const files = sources.filter((file) => file.startsWith('adapters/fhir/'));

  test('imports from each room only that room and lower ones', () => {
    const higher = files.flatMap((file) =>
      importsOf(file)
        .filter((name) => files.includes(name) && findFhirRoom(name) > findFhirRoom(file))
        .map((name) => `${file} imports ${name}`),
    );
    expect(higher).toEqual([]);
    expect(fhirRooms.filter((_, room) => !files.some((file) => findFhirRoom(file) === room))).toEqual([]);
  });

  test('only its index imports a port: what two ports need stands in neither', () => {
    const ports = files.filter(isFhirPort);
    expect(ports).toHaveLength(8);
    const importers = files.filter((file) => importsOf(file).some((name) => ports.includes(name)));
    expect(importers).toEqual(['adapters/fhir/index.ts']);
  });

  test('no files import each other in a circle', () => {
    expect(findCycle(sources)).toBeUndefined();
  });

  test('is at most eight levels deep', () => {
    const levels = computeLevels(files);
    expect(levels.get('adapters/fhir/index.ts')).toBeGreaterThan(3);
    expect([...levels].filter(([, level]) => level > 8)).toEqual([]);
  });

  test('no port imports another port', () => {
    const ports = files.filter(isFhirPort);
    expect(ports).toHaveLength(8);
    expect(ports.filter((file) => importsOf(file).some(isFhirPort))).toEqual([]);
  });

  test('what speaks HTTP knows no FHIR', () => {
    const client = sources.filter((file) => file.startsWith('src/http-client/'));
    expect(client.length).toBeGreaterThan(3);
    expect(client.filter((file) => /fhir/i.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});

describe('the name of a type', () => {
  const declaration = /^[ \t]*(?:export )?(?:abstract )?(?:interface|type|class) (\w+)(?=[ <])/gm;
  const names = sources.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [...new Set([...text.matchAll(declaration)].map(([, name = '']) => name))].map((name) => ({ name, file }));
  });

  test('means one thing: of the names that files declare twice there are 15 at most', () => {
    expect(names.length).toBeGreaterThan(500);
    const twice = [...Map.groupBy(names, ({ name }) => name)].filter(([, places]) => places.length > 1);
    expect(twice.map(([name, places]) => [name, ...places.map(({ file }) => file)].join(' ')).slice(15)).toEqual([]);
  });
});
