import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, jest, test } from '@jest/globals';
import { computeDigest, type KeyStore, keyStoreSettings } from '../../../adapters/common/key-store.ts';
import { createPortsSubject, portCases, runCase, sandbox } from '../../../src/contract/index.ts';
import type { Call, Offer } from '../../../src/ports/index.ts';
import { replace } from '../../support/faults/port-fault.ts';
import {
  createWrite,
  describeDurableKeyStore,
  describeKeyStore,
  keyed,
  open,
} from '../../support/key-store-contract.ts';
import { createSqliteSettings } from '../../support/local-adapter.ts';
import { openSandbox } from '../../support/sandbox.ts';

const createSettings = async () => ({ kind: 'sqlite', ...createSqliteSettings() });

describeKeyStore('memory', async () => ({}));

describeKeyStore('SQLite', createSettings);

describeDurableKeyStore('SQLite', createSettings);

test('a key is forgotten after 31 days, when a gateway no longer knows it either', async () => {
  const settings = { kind: 'sqlite', ...createSqliteSettings() };
  const store = await open(settings);
  await store.once(keyed('k'), createWrite('41'));
  const start = performance.now();
  const clock = jest.spyOn(performance, 'now');
  try {
    for (const [days, made] of [
      [29, '41'],
      [32, '42'],
    ] as const) {
      const later = days * 86_400_000;
      clock.mockReturnValue(start + later);
      const call = { ...keyed('k'), now: new Date(Date.now() + later).toISOString() };
      expect(await store.once(call, createWrite('42'))).toBe(made);
    }
  } finally {
    clock.mockRestore();
  }
});

test('a store that cannot be opened says which setting is wrong, below that of the adapter', async () => {
  const settings = { kind: 'sqlite', ...createSqliteSettings() };
  await expect(open({ ...settings, encryptionKey: 'env:NO_SUCH_KEY' })).rejects.toMatchObject({
    setting: 'keys.encryptionKey',
  });
  expect(keyStoreSettings.safeParse({ kind: 'postgres' }).error?.issues.map(({ path }) => path.join('.'))).toEqual([
    'url',
    'encryptionKey',
  ]);
});

test('a store in memory makes no file', async () => {
  await open({});
  expect(existsSync(':memory:')).toBe(false);
});

/** A system that takes no notice of keys, behind the store: its own ports, called without them. */
function putBefore(store: KeyStore) {
  const { retryableWrites: _, ...ports } = openSandbox();
  const { appointments, tickets, practitioners } = ports;
  const made = new Map<string, unknown>();
  const once = async <T extends { readonly id: string }>(
    call: Call,
    what: readonly unknown[],
    write: () => Promise<T>,
  ) => {
    const id = await store.once(call, {
      content: what,
      write: async () => {
        const result = await write();
        made.set(result.id, result);
        return result.id;
      },
      find: async () => undefined,
    });
    return made.get(id) as T;
  };
  const withoutKey = ({ idempotencyKey: _key, ...call }: Call): Call => call;
  const offer: Offer = {
    ...ports,
    appointments: replace(appointments, {
      book: (id, booking, call) =>
        once(call, ['book', id, booking], () => appointments.book(id, booking, withoutKey(call))),
    }),
    tickets: replace(tickets, {
      open: (id, type, ticket, call) =>
        once(call, ['open', id, type, ticket], () => tickets.open(id, type, ticket, withoutKey(call))),
    }),
    practitioners: replace(practitioners, {
      requestChange: (id, request, call) =>
        once(call, ['change', id, request], () => practitioners.requestChange(id, request, withoutKey(call))),
    }),
    retryableWrites: ['appointments.book', 'tickets.open', 'practitioners.requestChange'],
  };
  return offer;
}

describe('a system that knows no keys passes behind the store', () => {
  const proved = portCases.filter(({ id }) => /^idempotency\.(book|ticket|change)/.test(id));

  test.each(proved.map((each) => [each.id, each] as const))('%s', async (_, each) => {
    const store = await open({});
    const start = async () => createPortsSubject({ ports: putBefore(store), fixtures: sandbox });
    expect(await runCase(each, start)).toMatchObject({ outcome: 'pass' });
  });
});

test.each([
  ['short data', ['x', { a: 1, b: undefined }, null]],
  ['a file', ['x', { file: 'QUJD'.repeat(100_000) }]],
])('the digest of %s is that of its JSON', (_name, content) => {
  const expected = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  expect(computeDigest(content)).toBe(expected);
});
