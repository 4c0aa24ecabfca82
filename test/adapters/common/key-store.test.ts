import { existsSync } from 'node:fs';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { type KeyStore, keyStoreSettings, openKeyStore } from '../../../adapters/common/key-store.ts';
import { createPortsSubject, portCases, runCase, sandbox } from '../../../src/contract/index.ts';
import { type Call, Failure, type Offer } from '../../../src/ports/index.ts';
import { callNow } from '../../support/fhir-calls.ts';
import { createPostgresSettings, createSqliteSettings } from '../../support/local-adapter.ts';
import { missing, startPostgres } from '../../support/postgres-server.ts';
import { openSandbox } from '../../support/sandbox.ts';

const server = missing === undefined ? await startPostgres() : undefined;
const stores: KeyStore[] = [];
const open = async (settings: object) => {
  const store = await openKeyStore(keyStoreSettings.parse(settings), 'keys');
  stores.push(store);
  return store;
};
afterEach(async () => {
  // Some tests have closed theirs.
  for (const each of stores.splice(0)) await each.close().catch(() => undefined);
});

const keyed = (idempotencyKey: string, client = 'platform'): Call => ({ ...callNow(), client, idempotencyKey });
const content = ['book', 'ana', { start: '2026-11-23T09:30:00' }];

/** A write to a system that knows no keys, which ends as it is told; `find` finds what is there. */
function createWrite(...ends: (string | Failure)[]) {
  const write = jest.fn(async () => {
    const end = ends.shift() ?? 'none';
    if (end instanceof Failure) throw end;
    return end;
  });
  const find = jest.fn(async (): Promise<string | undefined> => undefined);
  return { content, write, find };
}

const lost = new Failure('outcome_unknown', 'the answer was lost');

const kinds: readonly (readonly [string, (() => Promise<object>) | undefined])[] = [
  ['memory', async () => ({})],
  ['SQLite', async () => ({ kind: 'sqlite', ...createSqliteSettings() })],
  [
    `PostgreSQL${missing === undefined ? '' : `, skipped: ${missing}`}`,
    server && (async () => createPostgresSettings(await server.createUrl())),
  ],
];

describe.each(kinds)('the store of keys in %s', (_, createSettings) => {
  if (!createSettings) return void test.skip('has a server of its own', () => undefined);

  test('lets a write happen once under a key of one client, and tells what it made', async () => {
    const store = await open(await createSettings());
    const first = createWrite('41', '42', '43');
    expect(await store.once(keyed('k'), first)).toBe('41');
    expect(await store.once(keyed('k'), first)).toBe('41');
    expect(await store.once(keyed('k', 'another'), first)).toBe('42');
    expect(await store.once(callNow(), first)).toBe('43');
    expect(first.find).not.toHaveBeenCalled();
  });

  test('refuses another content under the key, and writes nothing', async () => {
    const store = await open(await createSettings());
    await store.once(keyed('k'), createWrite('41'));
    const other = { ...createWrite('42'), content: [...content, 'more'] };
    await expect(store.once(keyed('k'), other)).rejects.toMatchObject({
      kind: 'invalid',
      code: 'idempotency_key_reused',
    });
    expect(other.write).not.toHaveBeenCalled();
  });

  test('looks for what a write has made whose answer was lost, and writes again only when it finds nothing', async () => {
    const store = await open(await createSettings());
    const [made, unmade] = [createWrite(lost), createWrite(lost, '43')];
    await expect(store.once(keyed('made'), made)).rejects.toThrow(lost);
    made.find.mockResolvedValue('42');
    expect(await store.once(keyed('made'), made)).toBe('42');
    expect(await store.once(keyed('made'), made)).toBe('42');
    expect([made.write.mock.calls.length, made.find.mock.calls.length]).toEqual([1, 1]);
    await expect(store.once(keyed('unmade'), unmade)).rejects.toThrow(lost);
    expect(await store.once(keyed('unmade'), unmade)).toBe('43');
    expect([unmade.write.mock.calls.length, unmade.find.mock.calls.length]).toEqual([2, 1]);
  });

  test('frees the key of a write that was refused, but not after one whose answer was lost', async () => {
    const store = await open(await createSettings());
    const taken = new Failure('conflict', 'the slot is no longer free', { code: 'slot_taken' });
    const refused = createWrite(taken, '41');
    await expect(store.once(keyed('k'), refused)).rejects.toThrow(taken);
    expect(await store.once(keyed('k'), refused)).toBe('41');
    expect(refused.find).not.toHaveBeenCalled();
    // The first attempt takes effect after somebody looked for it.
    const late = createWrite(lost, taken);
    await expect(store.once(keyed('late'), late)).rejects.toThrow(lost);
    await expect(store.once(keyed('late'), late)).rejects.toThrow(taken);
    late.find.mockResolvedValue('42');
    expect(await store.once(keyed('late'), late)).toBe('42');
  });

  test('lets those wait who come with the key meanwhile', async () => {
    const store = await open(await createSettings());
    const slow = createWrite('41');
    const calls = Array.from({ length: 5 }, () => store.once(keyed('k'), slow));
    expect(await Promise.all(calls)).toEqual(['41', '41', '41', '41', '41']);
    expect(slow.write).toHaveBeenCalledTimes(1);
  });

  test('sends nothing when the store cannot be reached, and tells what was made when it cannot note it', async () => {
    const store = await open(await createSettings());
    const write = createWrite('41');
    write.write.mockImplementation(async () => {
      await store.close();
      return '41';
    });
    expect(await store.once(keyed('k'), write)).toBe('41');
    const unsent = createWrite('42');
    await expect(store.once(keyed('l'), unsent)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(unsent.write).not.toHaveBeenCalled();
  });
});

describe.each(kinds.slice(1))('a store of keys in %s that is opened again', (_, createSettings) => {
  if (!createSettings) return void test.skip('has a server of its own', () => undefined);

  test('knows what was made, and of what nobody knows', async () => {
    const settings = await createSettings();
    const store = await open(settings);
    await store.once(keyed('made'), createWrite('41'));
    await expect(store.once(keyed('lost'), createWrite(lost))).rejects.toThrow(lost);
    await store.close();
    const again = await open(settings);
    expect(await again.once(keyed('made'), createWrite())).toBe('41');
    const found = createWrite();
    found.find.mockResolvedValue('42');
    expect(await again.once(keyed('lost'), found)).toBe('42');
    expect(found.write).not.toHaveBeenCalled();
  });
});

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
      clock.mockReturnValue(start + days * 86_400_000);
      expect(await store.once(keyed('k'), createWrite('42'))).toBe(made);
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
  const { resumes: _, ...ports } = openSandbox();
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
    appointments: {
      list: (...given) => appointments.list(...given),
      slots: (...given) => appointments.slots(...given),
      cancel: (...given) => appointments.cancel(...given),
      book: (id, booking, call) =>
        once(call, ['book', id, booking], () => appointments.book(id, booking, withoutKey(call))),
    },
    tickets: {
      types: (...given) => tickets.types(...given),
      type: (...given) => tickets.type(...given),
      list: (...given) => tickets.list(...given),
      open: (id, type, ticket, call) =>
        once(call, ['open', id, type, ticket], () => tickets.open(id, type, ticket, withoutKey(call))),
    },
    practitioners: {
      list: (...given) => practitioners.list(...given),
      requestChange: (id, request, call) =>
        once(call, ['change', id, request], () => practitioners.requestChange(id, request, withoutKey(call))),
    },
    resumes: ['appointments.book', 'tickets.open', 'practitioners.requestChange'],
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
