import { describe, expect, test } from '@jest/globals';
import { adapters } from '../../adapters/index.ts';
import { readConfig } from '../../src/config/read.ts';

const read = (environment: Record<string, string>) => readConfig({ environment, adapters }).config.audit;

describe('the settings of the audit trail', () => {
  test('leave it to the state whether there is one', () => {
    expect(read({})).toEqual({
      whenUnavailable: 'refuseWrites',
      retentionDays: 3653,
      forward: { auth: { kind: 'none' } },
    });
  });

  test('can say that there is none', () => {
    expect(read({ PUENTE_AUDIT_ENABLED: 'false' })).toMatchObject({ enabled: false });
  });

  test('cannot ask for one that ends with the process', () => {
    expect(() => read({ PUENTE_AUDIT_ENABLED: 'true' })).toThrow(
      'PUENTE_AUDIT_ENABLED: needs a state that outlives the process: set state.kind to sqlite or postgres',
    );
  });
});
