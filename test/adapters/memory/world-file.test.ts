import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { memory } from '../../../adapters/memory/index.ts';
import { findBundledWorld, readWorld } from '../../../adapters/memory/world-file.ts';
import { SettingsProblem } from '../../../src/toolkit/problems.ts';
import { makeSmallWorld } from './small-world.ts';

const folder = mkdtempSync(join(tmpdir(), 'world-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'world.json');

function findProblems(text: string): readonly string[] {
  writeFileSync(path, text);
  return findProblemsAt(path);
}

function findProblemsAt(file: string): readonly string[] {
  try {
    readWorld(file);
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    expect(error.setting).toBe('world');
    return error.problems;
  }
  return [];
}

test('the setting of a world file takes every name but an empty one', () => {
  expect(memory.settings.safeParse({ world: 'w' }).success).toBe(true);
  expect(memory.settings.safeParse({ world: '' }).success).toBe(false);
});

test('a name may have one letter, and none is missing', () => {
  const world = JSON.parse(readFileSync(findBundledWorld(), 'utf8'));
  const rename = (name: string) =>
    JSON.stringify({ ...world, services: [{ ...world.services[0], name }, ...world.services.slice(1)] });
  expect(findProblems(rename('X'))).toEqual([]);
  expect(findProblems(rename(''))).not.toEqual([]);
});

describe('a world file', () => {
  test('takes the sandbox hospital that comes with the package', () => {
    expect(findProblemsAt(findBundledWorld())).toEqual([]);
  });

  test('takes a world with nothing but an institution', () => {
    expect(findProblems(JSON.stringify({ institution: { id: 'vacia', name: 'Vacía' } }))).toEqual([]);
  });

  test('is refused with its path when it does not exist', () => {
    const missing = join(folder, 'missing.json');
    expect(findProblemsAt(missing)).toEqual([`${missing} does not exist: name a JSON file`]);
  });

  test('is refused with the reason when it cannot be read', () => {
    expect(findProblemsAt(folder)).toEqual([`${folder} cannot be read (EISDIR)`]);
  });

  test('is refused with line and column, and without what stands there, when it is not JSON', () => {
    expect(findProblems('{\n  "patients": [{ "name": "Ana" "id": 1 }]\n}')).toEqual([
      `${path} is not JSON: look at line 2, column 32`,
    ]);
    expect(findProblems('Ana Ferreyra').join()).not.toMatch(/Ferreyra/);
  });

  test('is refused with the path to every part that is wrong, and no value of it', () => {
    const world = makeSmallWorld();
    const [first, second] = world.patients;
    Object.assign(first!, { birthDate: '1985-02-30', gender: 'female', email: 7, unheardOf: 'Anita' });
    Object.assign(second!, { id: 'bruno ferreyra', lastName: undefined });
    Object.assign(world.schedules[0]!, { from: '9:00', minutes: 1, days: [] });
    const prefix = (problem: string) => `${path} ${problem}`;
    expect(findProblems(JSON.stringify(world))).toEqual(
      [
        'schedules/0/days: must be at least 1 long',
        'schedules/0/from: must be a time hh:mm',
        'schedules/0/minutes: must be at least 5',
        'patients/0/gender: must be one of Male, Female, Other',
        'patients/0/birthDate: must be a date YYYY-MM-DD that exists',
        'patients/0/email: must be of type string',
        'patients/0/unheardOf: unknown field',
        'patients/1/id: must be 1 to 64 letters, digits, dots, dashes or underscores',
        'patients/1/lastName: is missing: add it',
      ].map(prefix),
    );
  });

  test('shows 20 problems and says how many more there are', () => {
    const world = makeSmallWorld();
    world.locations = Array.from({ length: 23 }, (_, index) => ({ id: `l${index}`, name: '', address: {} }));
    const problems = findProblems(JSON.stringify(world));
    expect(problems).toHaveLength(21);
    expect(problems[19]).toBe(`${path} locations/19/name: must be at least 1 long`);
    expect(problems[20]).toBe('and 3 more');
  });

  test('that the settings name is the one that the adapter reads', () => {
    const institution = { timeZone: 'UTC', locale: 'es-AR', bookingHorizonDays: 1 };
    const missing = join(folder, 'missing.json');
    expect(() => memory.offer({ world: missing }, institution, {})).toThrow(SettingsProblem);
    expect(() => memory.offer({}, institution, {})).not.toThrow();
  });
});

test('the sandbox has patterns that engines without Unicode properties take, and that match as with the flag u', () => {
  const fields = readWorld(findBundledWorld()).ticketTypes.flatMap((type) => type.fields);
  const patterns = fields.map(({ validationRegex }) => validationRegex).filter((pattern) => pattern !== '');
  expect(patterns.length).toBeGreaterThan(1);
  for (const pattern of patterns) {
    expect(pattern).not.toContain('\\p{');
    for (const value of ['Losartan', 'Ibuprofeno 400 mg', 'Ácido fólico', '7', '$%&!'])
      expect([pattern, value, new RegExp(pattern).test(value)]).toEqual([
        pattern,
        value,
        new RegExp(pattern, 'u').test(value),
      ]);
  }
});
