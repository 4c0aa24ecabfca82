import { test } from '@jest/globals';
import { describeDurableKeyStore, describeKeyStore } from '../../support/key-store-contract.ts';
import { createPostgresSettings } from '../../support/local-adapter.ts';
import { missing, startPostgres } from '../../support/postgres-server.ts';

if (missing === undefined) {
  const server = await startPostgres();
  const createSettings = async () => createPostgresSettings(await server.createUrl());
  describeKeyStore('PostgreSQL', createSettings);
  describeDurableKeyStore('PostgreSQL', createSettings);
} else test.skip(`the store of keys in PostgreSQL, skipped: ${missing}`, () => undefined);
