import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { verifyChains } from '../../src/audit/verify.ts';
import { AuditWriter } from '../../src/audit/writer.ts';
import { WrongEncryptionKey } from '../../src/database/migrations.ts';
import type { State } from '../../src/state/state.ts';
import { createRecord } from './audit-records.ts';

/** Opens one state, again and again; each test has one of its own. */
export type OpenWith = (keys: readonly Buffer[]) => Promise<State>;

const [old, fresh] = [randomBytes(32), randomBytes(32)];
const log = { write: () => undefined };
const done = { state: 'done', response: { status: 201, headers: {}, body: 'Ferreyra' } } as const;
const claim = (state: State, fingerprint = 'a') => {
  const now = state.now();
  return { now, leaseUntil: now + 3_600_000, client: 'a', fingerprint, expiresAt: now + 86_400_000 };
};
const createWriter = (state: State) => new AuditWriter({ records: state.audit!, chain: 'north', log });

async function fill(state: State, name: string, count: number): Promise<void> {
  const writer = createWriter(state);
  for (let i = 0; i < count; i++) {
    await state.idempotency.claim(`${name}-${i}`, claim(state));
    await state.idempotency.settle(`${name}-${i}`, 1, done);
  }
  for (let i = 0; i < count; i++) {
    await writer.write([createRecord(`${name}-${i}`), createRecord(`${name}-${i}-other`, { patient: 'berta' })]);
  }
}

async function readRequestIds(state: State): Promise<string[]> {
  const found: string[] = [];
  for await (const { text } of state.audit!.find({ patient: 'ana' }))
    found.push(JSON.parse(text!.split('\n')[0]!).requestId);
  return found;
}

async function findFaults(state: State) {
  return (await verifyChains(state.audit!)).flatMap(({ faults }) => faults);
}

/** What holds of every database while its key is changed, and after. */
export function describeRotation(createOpen: () => Promise<OpenWith>): void {
  describe('a rotation of keys', () => {
    test('leaves nothing under the old key, while what was kept is found by its key, patient and chain', async () => {
      const open = await createOpen();
      const before = await open([old]);
      await fill(before, 'before', 250);
      await before.close();
      const gateway = await open([fresh, old]);
      await fill(gateway, 'after', 5);
      expect(await readRequestIds(gateway)).toHaveLength(255);
      const command = await open([fresh, old]);
      // The gateway goes on meanwhile.
      const [rotation] = await Promise.all([command.rotate!(), fill(gateway, 'meanwhile', 20)]);
      expect(rotation).toMatchObject({ left: 0, unreadable: 0 });
      expect(rotation.renewed).toBeGreaterThanOrEqual(250 + 250);
      await Promise.all([gateway.close(), command.close()]);

      const after = await open([fresh]);
      expect(new Set(await readRequestIds(after)).size).toBe(275);
      expect(await findFaults(after)).toEqual([]);
      for (const key of ['before-0', 'before-249', 'after-4', 'meanwhile-19']) {
        expect(await after.idempotency.claim(key, claim(after))).toMatchObject({ ...done, fingerprint: 'a' });
      }
      await createWriter(after).write([createRecord('last')]);
      expect(await findFaults(after)).toEqual([]);
      await after.close();
      await expect(open([old])).rejects.toThrow(WrongEncryptionKey);
    });

    test('that was stopped goes on where it was', async () => {
      const open = await createOpen();
      const before = await open([old]);
      await fill(before, 'before', 250);
      await before.close();
      const stopped = await open([fresh, old]);
      const stop = () => {
        throw new Error('stopped');
      };
      await expect(stopped.rotate!(stop)).rejects.toThrow('stopped');
      await stopped.close();
      // Both keys are still needed.
      await (await open([old])).close();
      const again = await open([fresh, old]);
      expect(await again.rotate!()).toMatchObject({ renewed: 250 - 100 + 250 + 1, left: 0, unreadable: 0 });
      expect(await again.rotate!()).toMatchObject({ renewed: 0, left: 0 });
      await again.close();
      const after = await open([fresh]);
      expect(await findFaults(after)).toEqual([]);
      expect(await readRequestIds(after)).toHaveLength(250);
      await after.close();
    });

    test('leaves the key of a request that runs, and says that it is left', async () => {
      const open = await createOpen();
      const before = await open([old]);
      await before.idempotency.claim('running', claim(before, 'b'));
      await before.close();
      const gateway = await open([fresh, old]);
      expect(await gateway.rotate!()).toMatchObject({ renewed: 0, left: 1 });
      await gateway.idempotency.settle('running', 1, done);
      expect(await gateway.rotate!()).toMatchObject({ renewed: 1, left: 0 });
      expect(await gateway.idempotency.claim('running', claim(gateway, 'b'))).toMatchObject({ fingerprint: 'b' });
      await gateway.close();
    });
  });
}
