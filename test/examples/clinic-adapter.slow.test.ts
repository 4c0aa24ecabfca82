import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import clinic from '../../examples/clinic-adapter/src/index.ts';
import { fixtures, institution } from '../../examples/clinic-adapter/test/fixtures.ts';
import { cases, createPortsSubject, describeContract, portCases, startCases } from '../../src/contract/index.ts';
import { listOffered } from '../../src/ports/index.ts';
import { concernsClinic } from '../support/mapped-clinic.ts';
import { offeredMethods, runsOver } from '../support/offered-methods.ts';

const start = async () =>
  createPortsSubject({ ports: await clinic.offer(clinic.settings.parse({}), institution, {}), fixtures });

await describeContract(test, start, {
  cases: [...startCases, ...cases, ...portCases].filter(runsOver(offeredMethods.clinic)).filter(concernsClinic),
  complete: true,
});

test('the clinic offers everything but what it does not have', async () => {
  const offer = await clinic.offer(clinic.settings.parse({}), institution, {});
  expect(listOffered(offer)).toEqual(offeredMethods.clinic);
});

describe('the guide of the example', () => {
  const folder = 'examples/clinic-adapter';
  const guide = readFileSync(`${folder}/README.md`, 'utf8');
  const sources = globSync(`${folder}/src/*.ts`);

  test('names columns that the clinic has', () => {
    const tables = readFileSync(`${folder}/legacy/schema.sql`, 'utf8').split('CREATE TABLE ').slice(1);
    const columns = new Map(tables.map((text) => [text.split(' ')[0] ?? '', text]));
    const [, mapping = ''] = guide.split('\n## Columns and fields\n');
    const named = [...(mapping.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)\.(\w+)`/gm)];
    expect(named.length).toBeGreaterThan(20);
    expect(
      named.filter(([, table = '', column]) => !new RegExp(`\\b${column}\\b`).test(columns.get(table) ?? '')),
    ).toEqual([]);
  });

  test('says how long the adapter is', () => {
    const lines = sources.flatMap((file) => readFileSync(file, 'utf8').trimEnd().split('\n')).length;
    expect(guide).toContain(`The adapter is ${lines} lines of TypeScript in ${sources.length} files`);
  });

  test('names every file of the adapter', () => {
    expect(sources.filter((file) => !guide.includes(file.slice(folder.length + 1)))).toEqual([]);
  });
});
