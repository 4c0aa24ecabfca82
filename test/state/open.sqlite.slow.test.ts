import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { mountSmallDisk } from '../support/small-disk.ts';
import { openState } from '../support/sqlite-state.ts';
import { fillAndFree } from '../support/state-contract.ts';

const disk = mountSmallDisk(2_048);

describe(`SQLite on a full disk${disk.obstacle === undefined ? '' : `, skipped: ${disk.obstacle}`}`, () => {
  const testOnDisk = disk.obstacle === undefined ? test : test.skip;

  testOnDisk('refuses what it cannot keep, keeps what it was told, and recovers when there is space', async () => {
    const code = expect.stringMatching(/^SQLITE_(FULL|IOERR)$/);
    await fillAndFree(await openState(join(disk.path, 'state.db')), disk, code);
  });
});
