import { afterAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type Adapter, adapter } from '../../adapters/adapter.ts';
import { memory } from '../../adapters/memory/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { Failure } from '../../src/ports/index.ts';
import { describeAdapters, listBindings, listMatrix } from '../../src/runtime/adapters.ts';
import { compose } from '../../src/runtime/container.ts';
import { formatAdapterRows } from '../../src/runtime/main.ts';
import { ConfigProblems, SettingsProblem } from '../../src/toolkit/problems.ts';
import { readSecret, secretReference } from '../../src/toolkit/secret.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { createDesk, deskYaml } from '../support/desk-adapter.ts';
import { folder, shorten } from '../support/read-config.ts';

async function readMatrix(yaml: string) {
  const folder = new ConfigFolder();
  const adapters = { memory, desk: createDesk() };
  try {
    const loaded = readConfig({ file: folder.write('x.yaml', yaml), environment: {}, adapters });
    const { operations, ...composition } = await compose(loaded);
    return { operations, matrix: { ...composition, adapters: composition.adapters.map(({ name }) => name) } };
  } finally {
    folder.remove();
  }
}

describe('the matrix of adapters and ports', () => {
  test('has a port once for each adapter that has methods of it', async () => {
    const { matrix } = await readMatrix(deskYaml);
    const rows = listMatrix(matrix);
    expect(rows.map(({ port, adapter }) => `${port} ${adapter}`)).toEqual([
      'patients memory',
      'tickets desk',
      'appointments memory',
      'insurance memory',
      'practitioners memory',
      'practitioners desk',
      'care-services memory',
      'family-groups desk',
      'directory memory',
    ]);
    expect(rows.find(({ port }) => port === 'family-groups')).toMatchObject({
      offered: ['list'],
      missing: ['add', 'remove'],
    });
    expect(listBindings(matrix)).toEqual(['tickets=desk', 'practitioners.changeReasons=desk', 'family-groups=desk']);
  });

  test('is one line for one adapter, and at most 80 columns wide for several', async () => {
    const one = await readMatrix('');
    const all = one.operations.length;
    expect(describeAdapters(one.matrix, one.operations)).toEqual([`memory (offers ${all} of ${all} operations)`]);
    expect(listBindings(one.matrix)).toEqual([]);

    const { matrix, operations } = await readMatrix(deskYaml);
    const lines = describeAdapters(matrix, operations);
    expect(lines).toEqual([
      `memory (offers ${all - 7} of ${all} operations)`,
      'desk (offers 5): tickets, practitioners (changeReasons), family-groups',
    ]);
    expect(formatAdapterRows(lines)).toEqual([
      ['Adapters', lines[0]],
      ['', 'desk (offers 5): tickets, practitioners (changeReasons),'],
      ['', '  family-groups'],
    ]);
  });
});

afterAll(() => folder.remove());

async function composeYaml(yaml: string, adapters: Record<string, Adapter> = { memory, desk: createDesk() }) {
  return compose(readConfig({ file: folder.write('x.yaml', yaml), environment: {}, adapters }));
}

async function findProblems(...given: Parameters<typeof composeYaml>): Promise<readonly string[]> {
  try {
    await composeYaml(...given);
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    return error.problems.map(shorten);
  }
  return [];
}

const throwNotFound = async () => {
  throw new Failure('not_found', 'there is no such patient');
};

const withDesk = (...ports: string[]): string => ['adapters:', '  desk:', 'ports:', ...ports].join('\n');

describe('every method has one owner', () => {
  test('which is the default adapter, the adapter of its port, or that of the method', async () => {
    const { findOwner, supports, adapters } = await composeYaml(deskYaml);
    expect(adapters.map(({ name }) => name)).toEqual(['memory', 'desk']);
    expect(findOwner('patients.get')).toBe('memory');
    expect(findOwner('tickets.open')).toBe('desk');
    expect(findOwner('practitioners.changeReasons')).toBe('desk');
    expect(findOwner('practitioners.list')).toBe('memory');
    expect(supports.has('practitioners.list')).toBe(true);
    expect(supports.has('family-groups.list')).toBe(true);
    expect(supports.has('family-groups.add')).toBe(false);
  });

  test('which says whether a write may be sent again', async () => {
    const silent = adapter({
      ...createDesk(),
      offer: async (...given) => ({ ...(await createDesk().offer(...given)), retryableWrites: [] }),
    });
    expect((await composeYaml(deskYaml)).retryableWrites.has('tickets.open')).toBe(true);
    const { retryableWrites } = await composeYaml(deskYaml, { memory, desk: silent });
    expect(retryableWrites.has('tickets.open')).toBe(false);
    expect(retryableWrites.has('patients.update')).toBe(true);
  });

  test('and a warning says what is 501 although the default adapter offers it', async () => {
    expect((await composeYaml(deskYaml)).warnings.map(shorten)).toEqual([
      'x.yaml:5 ports.family-groups.adapter: desk does not offer add, remove, but memory does: they answer 501 unless only names the other methods',
    ]);
    const { warnings } = await composeYaml(withDesk('  family-groups: { adapter: desk, only: [list] }'));
    expect(warnings).toEqual([]);
  });
});

describe('a problem of adapters together', () => {
  test('is a port of which its adapter offers nothing, or not what only names', async () => {
    const yaml = withDesk(
      '  directory: { adapter: desk }',
      '  family-groups: { adapter: desk, only: [list, add] }',
      '  practitioners:',
      '    adapter: desk',
      '    only:',
      '      - list',
    );
    expect(await findProblems(yaml)).toEqual([
      'x.yaml:4 ports.directory.adapter: desk has no method of directory: remove the entry',
      'x.yaml:5 ports.family-groups.only[1]: desk does not offer family-groups.add: use one of list',
      'x.yaml:9 ports.practitioners.only[0]: desk does not offer practitioners.list: use one of changeReasons',
    ]);
  });

  test('is an operation whose methods are not all of one adapter', async () => {
    expect(await findProblems(withDesk('  tickets: { adapter: desk, only: [open, list] }'))).toEqual([
      'x.yaml:4 ports.tickets.only: the operation openTicket uses tickets.open and tickets.type: name all of them, or none',
    ]);
    expect(await findProblems(withDesk('  tickets: { adapter: desk, only: [open, type] }'))).toEqual([]);
  });

  test('is a need that nobody else meets', async () => {
    const patients = adapter({ settings: z.strictObject({}), offer: () => ({ patients: { search: async () => [] } }) });
    expect(await findProblems(`adapter: { name: patients }\n${deskYaml}`, { patients, desk: createDesk() })).toEqual([
      'x.yaml:3 adapters.desk.name: the adapter desk needs patients.get of another adapter for tickets.open, tickets.list, but no adapter offers it: add one that does',
    ]);
    const knowing = adapter({
      ...createDesk(),
      offer: async (...given) => ({ ...(await createDesk().offer(...given)), patients: { get: throwNotFound } }),
    });
    for (const desk of [knowing, createDesk()]) {
      expect(await findProblems('adapter:\n  name: desk\n', { desk })).toEqual([
        'x.yaml:2 adapter.name: the adapter desk needs patients.get of another adapter for tickets.open, tickets.list, but no adapter offers it: add one that does',
      ]);
    }
  });

  test('is no need of a method that the adapter is not to serve', async () => {
    const patients = adapter({ settings: z.strictObject({}), offer: () => ({ patients: { search: async () => [] } }) });
    const yaml = `adapter: { name: patients }\n${withDesk('  practitioners: { adapter: desk, only: [changeReasons] }')}`;
    expect(await findProblems(yaml, { patients, desk: createDesk() })).toEqual([]);
  });

  test('is a setting that one of them cannot use, with those of the others', async () => {
    const shy = adapter({
      settings: z.strictObject({ password: secretReference }),
      offer: ({ password }) => {
        readSecret(password, 'password');
        return {};
      },
    });
    const broken = adapter({
      settings: z.strictObject({ world: z.string().default('x') }),
      offer: () => {
        throw new SettingsProblem('world', ['there is no such file', 'or it is empty']);
      },
    });
    const yaml = [
      'adapter:',
      '  name: broken',
      'adapters:',
      '  shy:',
      '    settings:',
      '      password: env:NO_SUCH_VARIABLE',
      'ports: { tickets: { adapter: shy } }',
    ].join('\n');
    expect(await findProblems(yaml, { broken, shy })).toEqual([
      'x.yaml:1 adapter.settings.world: there is no such file',
      'x.yaml:1 adapter.settings.world: or it is empty',
      'x.yaml:6 adapters.shy.settings.password: env:NO_SUCH_VARIABLE is not set or empty',
    ]);
    expect(await findProblems(yaml.replace('env:NO_SUCH_VARIABLE', 'hunter2'), { broken, shy })).toEqual([
      'x.yaml:6 adapters.shy.settings.password: must be env:NAME or file:/path, never the secret itself',
    ]);
  });
});

describe('closing', () => {
  /** Each as an adapter of one port, that tells when it opens and closes. */
  const createAll = (events: string[], ...failing: string[]) => {
    const create = (name: string, port: string) =>
      adapter({
        settings: z.strictObject({}),
        offer: () => {
          events.push(`opens ${name}`);
          if (failing.includes(`open ${name}`)) throw new Error('bug');
          return {
            [port]: { list: async () => [] },
            close: async () => {
              events.push(`closes ${name}`);
              if (failing.includes(`close ${name}`)) throw new Error(`bug of ${name}`);
            },
          };
        },
      });
    return { a: create('a', 'practitioners'), b: create('b', 'tickets'), c: create('c', 'family-groups') };
  };
  const yaml =
    'adapter: { name: a }\nadapters: { b: {}, c: {} }\nports: { tickets: { adapter: b }, family-groups: { adapter: c } }\n';
  const opened = ['opens a', 'opens b', 'opens c'];
  const closed = ['closes c', 'closes b', 'closes a'];

  test('lets go of the adapters in the reverse order of their start', async () => {
    const events: string[] = [];
    const { close } = await composeYaml(yaml, createAll(events));
    await close();
    expect(events).toEqual([...opened, ...closed]);
  });

  test('lets go of all of them also when one of them fails, which is told', async () => {
    const events: string[] = [];
    const { close } = await composeYaml(yaml, createAll(events, 'close c', 'close b'));
    await expect(close()).rejects.toThrow('bug of c');
    expect(events).toEqual([...opened, ...closed]);
  });

  test('lets go of those that had started when a later one cannot', async () => {
    const events: string[] = [];
    await expect(composeYaml(yaml, createAll(events, 'open c'))).rejects.toThrow('bug');
    expect(events).toEqual([...opened, 'closes b', 'closes a']);
  });

  test('lets go of all when they do not fit together', async () => {
    const events: string[] = [];
    const problems = await findProblems(`${yaml.slice(0, -3)}, directory: { adapter: c } }`, createAll(events));
    expect(problems).toEqual(['x.yaml:3 ports.directory.adapter: c has no method of directory: remove the entry']);
    expect(events).toEqual([...opened, ...closed]);
  });
});
