import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { adapter } from '../../adapters/adapter.ts';
import { readConfig } from '../../src/config/read.ts';
import { folder, listProblems, shorten } from '../support/read-config.ts';

afterAll(() => folder.remove());

const memory = adapter({ settings: z.strictObject({ size: z.int().default(3) }), offer: () => ({}) });
const desk = adapter({
  settings: z.strictObject({
    file: z.string().meta({ file: true }).optional(),
    wait: z.int().default(1_000).meta({ timeout: true }),
  }),
  offer: () => ({}),
});

const read = (yaml: string, environment: Record<string, string> = {}) =>
  readConfig({ file: folder.write('x.yaml', yaml), environment, adapters: { memory, desk } });
const listWarnings = (yaml: string): string[] => read(yaml).listWarnings().map(shorten);
const findProblems = (...given: Parameters<typeof read>) => listProblems(() => read(...given));

const withDesk = (ports: string): string => `adapters:\n  desk: {}\nports:\n  ${ports}\n`;

describe('further adapters', () => {
  test('have the name of their key, and settings with defaults', () => {
    const { config, adapters } = read(withDesk('tickets: { adapter: desk }'));
    expect(config.adapters).toEqual({ desk: { name: 'desk', settings: { wait: 1_000 } } });
    expect(config.ports).toEqual({ tickets: { adapter: 'desk' } });
    expect(adapters.slice(1)).toMatchObject([{ name: 'desk', adapter: desk }]);
  });

  test('may have keys of another choice, also several of one kind', () => {
    const yaml =
      'adapters:\n  front-desk: { name: desk, settings: { wait: 1 } }\n  back-desk: { name: desk }\nports: {}\n';
    const { config, adapters } = read(yaml);
    expect(config.adapters).toEqual({
      'front-desk': { name: 'desk', settings: { wait: 1 } },
      'back-desk': { name: 'desk', settings: { wait: 1_000 } },
    });
    expect(adapters.slice(1)).toMatchObject([
      { name: 'front-desk', adapter: desk },
      { name: 'back-desk', adapter: desk },
    ]);
  });

  test('are none when their section is empty, or all of it is commented out', () => {
    for (const yaml of ['', 'adapters:\nports:\n', 'adapters: {}\nports: {}\n']) {
      const { config, adapters } = read(yaml);
      expect({ adapters: config.adapters, ports: config.ports, further: adapters.slice(1) }).toEqual({
        adapters: {},
        ports: {},
        further: [],
      });
    }
    expect(read('adapters:\n  desk:\n').config.adapters.desk?.name).toBe('desk');
  });

  test('have a variable for each of their keys, with an underscore for a dash, and ports has one', () => {
    const { config } = read('adapters:\n  front-desk: {}\n', {
      PUENTE_ADAPTERS_FRONT_DESK_NAME: 'desk',
      PUENTE_ADAPTERS_FRONT_DESK_SETTINGS_WAIT: '7',
      PUENTE_PORTS: '{ tickets: { adapter: front-desk, only: [list] } }',
    });
    expect(config.adapters).toEqual({ 'front-desk': { name: 'desk', settings: { wait: 7 } } });
    expect(config.ports).toEqual({ tickets: { adapter: 'front-desk', only: ['list'] } });
  });

  test('have files in the folder of the configuration', () => {
    const { config } = read('adapters: { desk: { settings: { file: state/desk.db } } }');
    expect(config.adapters.desk?.settings.file).toBe(join(folder.path, 'state/desk.db'));
  });

  test('are warned of when no port is theirs, and when a deadline comes before their timeout', () => {
    expect(listWarnings('adapters:\n  desk:\n    settings: { wait: 6000 }\n')).toEqual([
      'x.yaml:2 adapters.desk: is not started, because no port in ports names it',
      'x.yaml:3 adapters.desk.settings.wait: does not end before http.readDeadline: set it below 6000',
    ]);
    expect(listWarnings(withDesk('tickets: { adapter: desk }'))).toEqual([]);
  });
});

describe('a problem of further adapters', () => {
  test('is shown with its line together with all others', () => {
    const yaml = [
      'adapters:',
      '  desk:',
      '    name: desk2',
      '    settings: { wait: long }',
      '  second: { name: desk, setings: {}, settings: { wait: long } }',
      '  Third_1: { name: desk }',
      '  memory: { settings: { sise: 1 } }',
      '  fourth: {}',
      'ports:',
      '  directry: { adapter: desk }',
      '  tickets: { adapter: secnd, only: [lisst, open] }',
      '  patients: { only: [] }',
      '  insurance: { adapter: second, only: [everything] }',
      '  practitioners: { adapter: desk, onlyy: [list] }',
      '  appointments: desk',
    ].join('\n');
    expect(findProblems(yaml)).toEqual([
      'x.yaml:3 adapters.desk.name: must be one of memory, desk: did you mean desk?',
      'x.yaml:5 adapters.second.settings.wait: must be a number',
      'x.yaml:5 adapters.second.setings: unknown setting: did you mean settings?',
      'x.yaml:7 adapters.memory.settings.sise: unknown setting: did you mean size?',
      'x.yaml:8 adapters.fourth.name: must be one of memory, desk',
      'x.yaml:6 adapters.Third_1: must be a name of lower-case letters, digits and dashes',
      'x.yaml:7 adapters.memory: is the name of the default adapter: rename this key, and set the name below it',
      'x.yaml:11 ports.tickets.adapter: no adapter of this name is in adapters: did you mean second?',
      'x.yaml:12 ports.patients.adapter: is missing: add it',
      'x.yaml:12 ports.patients.only: must not be empty',
      'x.yaml:14 ports.practitioners.onlyy: unknown setting: did you mean only?',
      'x.yaml:15 ports.appointments: must be a section with keys',
      'x.yaml:10 ports.directry: unknown port: did you mean directory?',
      'x.yaml:11 ports.tickets.only[0]: tickets has no such method: did you mean list?',
      'x.yaml:13 ports.insurance.only[0]: insurance has no such method: use one of carriers, plans, coverages, create, edit',
    ]);
  });

  test('is the default adapter in ports, which has them anyway', () => {
    expect(findProblems(withDesk('tickets: { adapter: memory }'))).toEqual([
      'x.yaml:4 ports.tickets.adapter: is the default adapter, which has all other ports: remove the entry',
    ]);
  });

  test('is a section of another type', () => {
    expect(findProblems('adapters: desk\nports: [desk]\n')).toEqual([
      'x.yaml:1 adapters: must be a section with keys',
      'x.yaml:2 ports: must be a section with keys',
    ]);
  });

  test('is named by its variable, and settings of an adapter that does not exist are not judged', () => {
    const environment = {
      PUENTE_ADAPTERS_DESK_NAME: 'dsk',
      PUENTE_ADAPTERS_DESK_SETTINGS_WAIT: 'long',
      PUENTE_ADAPTERS_DESK_SETTINGS_WHAT: '1',
      PUENTE_ADAPTERS_DISK_NAME: 'desk',
    };
    expect(findProblems(withDesk('tickets: { adapter: desk }'), environment)).toEqual([
      'PUENTE_ADAPTERS_DESK_NAME: must be one of memory, desk: did you mean desk?',
      'PUENTE_ADAPTERS_DISK_NAME: unknown setting: did you mean PUENTE_ADAPTERS_DESK_NAME?',
    ]);
    expect(findProblems('', { PUENTE_PORTS: '{ tickets: { adapter: desk } }' })).toEqual([
      'PUENTE_PORTS.tickets.adapter: no adapter of this name is in adapters: add it there',
    ]);
  });
});
