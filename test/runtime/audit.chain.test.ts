import { describe, expect, test } from '@jest/globals';
import { adapters } from '../../adapters/index.ts';
import { loadConfig } from '../../src/config/read.ts';
import { listChainWarnings } from '../../src/runtime/audit.ts';

describe('the name of a chain', () => {
  const list = async (environment: Readonly<Record<string, string>>, host: string) =>
    listChainWarnings((await loadConfig({ environment, adapters })).config, host);
  const kept = { PUENTE_STATE_KIND: 'sqlite', PUENTE_STATE_FILE: 'a.db', PUENTE_STATE_ENCRYPTION_KEY: 'env:KEY' };

  test('is warned of where it would be the id of a container, with what to set', async () => {
    const [warning, ...others] = await list(kept, '3f2a09c1d4e7');
    expect(warning).toMatch(/^audit\.chain: is not set, .*3f2a09c1d4e7.*: set PUENTE_AUDIT_CHAIN/);
    expect(others).toEqual([]);
  });

  test.each([
    ['it is set', { ...kept, PUENTE_AUDIT_CHAIN: 'north-1' }, '3f2a09c1d4e7'],
    ['the host has a name', kept, 'gateway-one'],
    ['there is no trail', { ...kept, PUENTE_AUDIT_ENABLED: 'false' }, '3f2a09c1d4e7'],
    ['nothing outlives the process', {}, '3f2a09c1d4e7'],
  ])('is not where %s', async (_where, environment, host) => {
    expect(await list(environment, host)).toEqual([]);
  });
});
