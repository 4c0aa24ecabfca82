import { describe, test } from '@jest/globals';
import { openPostgres } from '../../src/database/postgres.ts';
import { openDurableState } from '../../src/state/open.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';
import { describeRotation } from '../support/rotation-contract.ts';

const server = missing === undefined ? await startPostgres() : undefined;

describe(`PostgreSQL${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  if (!server) return void test.skip('has a server of its own', () => undefined);

  describeRotation(async () => {
    const url = await server.createUrl();
    return async (keys) => openDurableState(await openPostgres(url), keys);
  });
});
