import { describe, expect, test } from '@jest/globals';
import { fixtures } from '../../../../src/cli/contract/map/about.ts';
import { formatMap, listUsed } from '../../../../src/cli/contract/map/write.ts';
import { cases, portCases } from '../../../../src/contract/index.ts';
import { type Capability, capabilities } from '../../../../src/ports/index.ts';

const [timeZone, locale] = [{ value: 'UTC' }, { value: 'es-AR', note: 'is it this one?' }];
const list = (...offered: Capability[]) => listUsed(new Set(offered), [...cases, ...portCases]);

describe('a fixture map that is written', () => {
  test('has what was found, marks what was not or is unsure, and says of each what it is', () => {
    const findings = new Map([
      ['patients.complete', { value: '"1"' }],
      ['services.womenOnly', { value: 'w', note: 'is it for women?' }],
    ] as const);
    const text = formatMap({ timeZone, locale, answered: undefined, findings }, [
      'patients.complete',
      'patients.child',
      'services.womenOnly',
      'carriers.withPlans',
    ]);
    const lines = text.split('\n').filter((line) => !/^ *#/.test(line) && line !== '');
    expect(lines).toEqual([
      'timeZone: "UTC"',
      'locale: "es-AR" # TODO is it this one?',
      'unknown: "puente-contract-unknown"',
      'patients:',
      '  complete: "\\"1\\""',
      '  child: # TODO',
      'services:',
      '  womenOnly: "w" # TODO is it for women?',
      'carriers:',
      '  withPlans: # TODO e.g. { id: "7", name: OSDE }',
    ]);
    expect(text).toContain(`  # ${fixtures['patients.child'].about}\n  child:`);
    expect(text.split('\n').filter((line) => line.startsWith('#') && line.length > 100)).toEqual([]);
  });

  test('says what is offered where the institution does not, and leaves what is no list to a person', () => {
    const text = formatMap({ timeZone, locale, answered: ['directory.locations'], findings: new Map() }, []);
    expect(text).toContain('\noffers:\n  # - patients.search # TODO\n');
    expect(text.match(/^ {2}- .*/gm)).toEqual(['  - directory.locations']);
  });

  test('has no fixtures for what is not offered', () => {
    expect(list('directory.locations', 'patients.register')).toEqual(['locations.first', 'locations.another']);
    expect(list('family-groups.list')).toEqual(['patients.complete', 'patients.bare', 'patients.spare']);
  });

  test('has every fixture where everything is offered, but people to write for, who can be registered then', () => {
    expect(list(...capabilities)).toEqual(Object.keys(fixtures).filter((name) => name !== 'patients.spare'));
  });
});
