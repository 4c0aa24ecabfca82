import { describe, expect, test } from '@jest/globals';
import { memory } from '../../adapters/memory/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { describeAdapters, listBindings, listMatrix } from '../../src/runtime/adapters.ts';
import { compose } from '../../src/runtime/container.ts';
import { formatAdapterRows } from '../../src/runtime/main.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { createDesk, deskYaml } from '../support/desk-adapter.ts';

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
