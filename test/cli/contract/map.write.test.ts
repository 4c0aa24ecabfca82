import { describe, expect, test } from '@jest/globals';
import { fixtures, formatMap, listUsed } from '../../../src/cli/contract/map.ts';
import { cases, portCases } from '../../../src/contract/index.ts';
import { type Capability, capabilities } from '../../../src/ports/index.ts';

const list = (...offered: Capability[]) => listUsed(new Set(offered), [...cases, ...portCases]);

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
    expect(text).toContain(`  # ${fixtures.get('patients.child')?.description}\n  child:`);
    expect(text.split('\n').filter((line) => line.startsWith('#') && line.length > 100)).toEqual([]);
  });

  test('leaves to a person what is offered where the institution does not say it', () => {
    const text = formatMap({ known: new Map(), offered: undefined }, []);
    expect(text).toContain('\noffers:\n  # - patients.search # TODO\n');
    expect(text.match(/^ {2}- .*/gm)).toBeNull();
  });

  test('has no fixtures for what is not offered', () => {
    expect(list('directory.locations', 'patients.register')).toEqual(['locations.first', 'locations.another']);
    expect(list('family-groups.list')).toEqual(['patients.complete', 'patients.bare', 'patients.spare']);
  });

  test('has every fixture where everything is offered, but people to write for, who can be registered then', () => {
    expect(list(...capabilities)).toEqual([...fixtures.keys()].filter((name) => name !== 'patients.spare'));
  });
});
