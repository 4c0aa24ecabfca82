import { afterAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { addFixtures, formatMap, listUsed, readMap } from '../../../src/cli/contract/map.ts';
import { describeTarget } from '../../../src/cli/contract/target.ts';
import { describedFixtures, rules } from '../../../src/contract/fixtures.ts';
import { cases, portCases, sandbox } from '../../../src/contract/index.ts';
import { type Capability, capabilities } from '../../../src/ports/index.ts';
import { ConfigFolder } from '../../support/config-file.ts';

const folder = new ConfigFolder();

afterAll(() => folder.remove());

const getProblems = (text: string): string[] => {
  try {
    readMap(folder.write('map.yaml', text));
    return [];
  } catch (error) {
    return (error as Error).message.split('\n').map((line) => line.replace(/^\S*map\.yaml/, 'map.yaml'));
  }
};

describe('a fixture map', () => {
  test('can hold every fixture that the contract knows', () => {
    const { timeZone, locale } = sandbox;
    const values = [...describedFixtures.keys()].map((name) => {
      const value = name.split('.').reduce<unknown>((at, key) => Reflect.get(Object(at), key), sandbox);
      return [name, value ?? (name === 'patients.spare' ? ['a', 'b', 'c'] : 24)] as const;
    });
    const known = new Map<string, unknown>([...Object.entries({ timeZone, locale }), ...values]);
    const text = formatMap({ known, offered: new Set() }, [...describedFixtures.keys()]);
    const { patients, ...read } = readMap(folder.write('whole.yaml', text));
    const { patients: people, unknown: _, ...rest } = sandbox;
    expect(read).toMatchObject(rest);
    expect(patients).toEqual({ ...people, spare: expect.any(Array) });
    expect(text).not.toContain(': # TODO');
  });

  test('may leave out everything, and a key without a value counts as left out', () => {
    expect(readMap(folder.write('empty.yaml', '# nothing yet\n'))).toEqual({});
    expect(readMap(folder.write('todo.yaml', 'patients:\n  complete: # TODO\nidentity: # TODO e.g. x\n'))).toEqual({
      patients: {},
    });
  });

  test('with a wrong key is refused with the line and the one that was meant', () => {
    expect(getProblems('# a map\npatients:\n  complet: "1"\nservcies: {}\n')).toEqual([
      'map.yaml:3 patients.complet: unknown fixture: did you mean complete?',
      'map.yaml:4 servcies: unknown fixture: did you mean services?',
    ]);
  });

  test('with a field of a record that the API does not show is refused, also below another', () => {
    const text =
      'records:\n  patients:\n    - id: ana\n      lastname: F\n  appointments:\n    - id: a\n      practitioner: { nombre: P }\n';
    expect(getProblems(text)).toEqual([
      'map.yaml:4 records.patients[0].lastname: the API has no such field: did you mean last_name?',
      'map.yaml:7 records.appointments[0].practitioner.nombre: the API has no such field',
    ]);
  });

  test('with an object where the API has text is refused', () => {
    const text = 'records:\n  places:\n    - id: a\n      address: { street: Mitre }\n';
    expect(getProblems(text)).toEqual(['map.yaml:4 records.places[0].address: must be text, as in the API']);
  });

  test('asks for the rules of the system in words', () => {
    const text = formatMap({ known: new Map(), offered: new Set() }, []).replaceAll(/\n# */g, ' ');
    for (const words of Object.values(rules)) expect(text).toContain(words);
    expect(text).toContain('lag: 1000');
  });

  test('with a wrong value is refused with the line and what it must be', () => {
    const text =
      'timeZone: America/Buenos\npatients:\n  bare: 7\nidentity: { identifierType: DNI, identifier: 1, birthDate: 1/2/80, gender: F }\noffers: [patients.gets]\n';
    expect(getProblems(text)).toEqual(
      [
        'map.yaml:5 offers[0]: must be one of patients.search',
        'map.yaml:1 timeZone: must be an IANA time zone',
        'map.yaml:3 patients.bare: must be text: put a number between quotation marks',
        'map.yaml:4 identity.birthDate: must have the format date',
        'map.yaml:4 identity.gender: must be one of Male, Female, Other',
      ].map((line) => expect.stringContaining(line)),
    );
    expect(getProblems(text)[0]).toContain('did you mean patients.get?');
  });

  test('with fewer than three patients to write for is refused', () => {
    expect(getProblems('patients: { spare: ["1", "2", "3"] }')).toEqual([]);
    expect(getProblems('patients: { spare: ["1", "2"] }')).toEqual([
      'map.yaml:1 patients.spare: must have at least 3 entries',
    ]);
  });

  test.each([
    [sandbox, 'map.yaml', 'map.yaml'],
    [sandbox, undefined, 'built in'],
    [undefined, undefined, expect.stringMatching(/^none: .* contract init writes a map$/)],
  ])('is named in the report, which says without one where its fixtures come from', (builtIn, file, source) => {
    const target = { name: 'x', supports: new Set<Capability>(), institution: {}, builtIn };
    expect(describeTarget(target, file === undefined ? undefined : {}, file)).toMatchObject({ source });
  });

  test('that is not there is reported with the option that names it', () => {
    expect(() => readMap('nowhere.yaml')).toThrow(
      'nowhere.yaml: does not exist: correct the path, or set another one with --map',
    );
  });
});

const list = (...offered: Capability[]) => listUsed(new Set(offered), [...cases, ...portCases]);

describe('a fixture map that is extended', () => {
  const names = ['patients.complete', 'patients.bare', 'ticketType'] as const;
  const extend = (text: string) => addFixtures(text, parse(text) ?? {}, names, new Map());

  test.each(['', '# nothing yet\n', 'patients:\n  complete: ana', '---\npatients: # ours\r\n    complete: ana\r\n'])(
    'gets what it lacks, and stays YAML (%j)',
    (text) => {
      const { text: extended, left } = extend(text);
      expect(parse(extended)).toMatchObject({ ...parse(text), ticketType: null });
      expect(left).toEqual([]);
    },
  );

  test.each(['{}\n', '{\n  patients: { complete: ana }\n}\n', '  patients:\n    complete: ana\n', 'unknown: x\n...\n'])(
    'stays as it is when lines at its end would not be YAML, and names what it lacks (%j)',
    (text) => {
      const { text: extended, added, left } = extend(text);
      expect({ extended, added }).toEqual({ extended: text, added: [] });
      expect(left).toEqual(expect.arrayContaining(['patients.bare', 'ticketType']));
    },
  );
});

describe('a fixture map that is written', () => {
  test('has what is known, marks the rest, and says of each what it is', () => {
    const known = new Map<string, unknown>([
      ['timeZone', 'UTC'],
      ['patients.complete', '"1"'],
    ]);
    const used = ['patients.complete', 'patients.child', 'carriers.withPlans'] as const;
    const text = formatMap({ known, offered: new Set() }, used);
    const lines = text.split('\n').filter((line) => !/^ *#/.test(line) && line !== '');
    expect(lines).toEqual([
      'timeZone: "UTC"',
      'locale: # TODO e.g. es-AR',
      'unknown: "puente-contract-unknown"',
      'patients:',
      '  complete: "\\"1\\""',
      '  child: # TODO',
      'carriers:',
      '  withPlans: # TODO e.g. { id: "7", name: OSDE }',
    ]);
    expect(text).toContain(`  # ${describedFixtures.get('patients.child')?.description}\n  child:`);
    expect(text.split('\n').filter((line) => line.startsWith('#') && line.length > 100)).toEqual([]);
  });

  test('leaves to a person what is offered where the institution does not say it', () => {
    const text = formatMap({ known: new Map(), offered: undefined }, []);
    expect(text).toContain('\noffers:\n  # - patients.search # TODO\n');
    expect(text.match(/^ {2}- .*/gm)).toBeNull();
  });

  test('has no fixtures for what is not offered', () => {
    expect(list('directory.locations', 'patients.register')).toEqual(['locations.first', 'locations.another']);
    const people = ['complete', 'bare', 'spare', 'removed'].map((name) => `patients.${name}`);
    expect(list('family-groups.list')).toEqual(people);
  });

  test('has every fixture where everything is offered, but people to write for, who can be registered then', () => {
    expect(list(...capabilities)).toEqual([...describedFixtures.keys()].filter((name) => name !== 'patients.spare'));
  });
});
