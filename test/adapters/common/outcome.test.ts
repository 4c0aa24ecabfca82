import { describe, expect, test } from '@jest/globals';
import { findWritten, settleWrite } from '../../../adapters/common/outcome.ts';
import { Failure } from '../../../src/ports/index.ts';

const lost = new Failure('outcome_unknown', 'the answer is lost');

const lose = async () => {
  throw lost;
};

describe('a write whose answer is lost', () => {
  test('is told as made when what it made is there', async () => {
    await expect(settleWrite(lose, async () => '7')).resolves.toBe('7');
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
    await expect(settleWrite(lose, find)).rejects.toBe(lost);
  });

  test('is not looked for when it failed and changed nothing', async () => {
    const refused = new Failure('conflict', 'taken');
    const refuse = async () => {
      throw refused;
    };
    await expect(settleWrite(refuse, async () => '7')).rejects.toBe(refused);
  });

  test('ends in the error of the look where the caller says so, and nobody could look', async () => {
    const down = new Failure('unavailable', 'the system is down');
    const fail = async () => {
      throw down;
    };
    const whenUnseen = (_error: unknown, lookError: unknown) => lookError;
    await expect(settleWrite(lose, fail, { whenUnseen })).rejects.toBe(down);
  });

  test('is not judged by a bug in the look', async () => {
    const fail = async () => {
      throw new TypeError('a bug');
    };
    await expect(settleWrite(lose, fail)).rejects.toThrow('a bug');
  });
});

describe('the record of a write that the system accepted', () => {
  const failing = (error: unknown) => async () => {
    throw error;
  };

  test('is what the look finds', async () => {
    await expect(findWritten(async () => '7')).resolves.toBe('7');
  });

  test.each(['unavailable', 'timeout', 'overloaded', 'bad_answer'] as const)(
    'is of unknown outcome when the look fails with %s, because it may be there',
    async (kind) => {
      const down = new Failure(kind, 'the system is down');
      await expect(findWritten(failing(down))).rejects.toMatchObject({ kind: 'outcome_unknown', cause: down });
    },
  );

  test.each([new Failure('not_found', 'there is no such patient'), new TypeError('a bug')])(
    'has the error of a look that the system answers, or that has a bug: %s',
    async (error) => {
      await expect(findWritten(failing(error))).rejects.toBe(error);
    },
  );
});
