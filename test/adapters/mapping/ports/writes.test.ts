import { describe, expect, test } from '@jest/globals';
import { keyStoreSettings, openKeyStore } from '../../../../adapters/common/key-store.ts';
import { getMadeId, makeOnce, settle } from '../../../../adapters/mapping/ports/writes.ts';
import { Failure } from '../../../../src/ports/index.ts';
import { callNow } from '../../../support/fhir-calls.ts';

const lost = new Failure('outcome_unknown', 'the answer is lost');
const lose = async () => {
  throw lost;
};

describe('a write whose answer is lost', () => {
  test('is told as made when what it made is there', async () => {
    await expect(settle(lose, async () => '7')).resolves.toBe('7');
  });

  test.each([
    ['nothing is there', async () => undefined],
    [
      'nobody can look',
      async () => {
        throw new Failure('unavailable', 'the system is down');
      },
    ],
  ])('stays unknown when %s', async (_what, find) => {
    await expect(settle(lose, find)).rejects.toBe(lost);
  });

  test('is not looked for when it failed and changed nothing', async () => {
    const refused = new Failure('conflict', 'taken');
    const refuse = async () => {
      throw refused;
    };
    await expect(settle(refuse, async () => '7')).rejects.toBe(refused);
  });
});

describe('a write that makes something', () => {
  const make = async (write: () => Promise<string | undefined>, find: () => Promise<string | undefined>) =>
    makeOnce(await openKeyStore(keyStoreSettings.parse({}), 'keys'), callNow(), { content: ['make'], write, find });

  test('has the id that the system says', async () => {
    expect(
      await make(
        async () => '7',
        async () => '8',
      ),
    ).toEqual({ id: '7' });
  });

  test('is found by content when the system says no id', async () => {
    expect(
      await make(
        async () => undefined,
        async () => '8',
      ),
    ).toEqual({ id: '8' });
  });

  test('is of unknown outcome when the system says no id, and has it not', async () => {
    const nothing = async () => undefined;
    await expect(make(nothing, nothing)).rejects.toMatchObject({ kind: 'outcome_unknown' });
  });
});

describe('what a change means', () => {
  test.each([
    ['slot_taken', 'conflict', 'slot_taken'],
    ['slot_unknown', 'invalid', 'slot_unknown'],
    ['not_cancelable', 'conflict', 'not_cancelable'],
    ['busy', 'overloaded', undefined],
    ['refused', 'unavailable', undefined],
    ['session', 'unavailable', undefined],
    ['invalid', 'invalid', undefined],
    ['nothing', 'bad_answer', undefined],
    ['exists', 'bad_answer', undefined],
  ] as const)('%s fails with %s', (meaning, kind, code) => {
    expect(() => getMadeId({ meaning })).toThrow(expect.objectContaining({ kind, code }));
  });

  test('fails as the write expects it', () => {
    const missing = new Failure('not_found', 'there is no such thing');
    expect(() => getMadeId({ meaning: 'nothing' }, { nothing: missing })).toThrow(missing);
  });

  test('is no failure when it was done already', () => {
    expect(getMadeId({ meaning: 'done' })).toBeUndefined();
    expect(getMadeId({ id: '7' })).toBe('7');
  });
});
