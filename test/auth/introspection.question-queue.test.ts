import { expect, test } from '@jest/globals';
import { QuestionQueue } from '../../src/auth/introspection.ts';

/** A queue of which nothing is answered unless the test does so, and which addresses were asked for. */
function createQueue() {
  const queue = new QuestionQueue();
  const asked: string[] = [];
  const open: (() => void)[] = [];
  const ask = (address: string) =>
    queue
      .run(address, async () => {
        asked.push(address);
        await new Promise<void>((resolve) => open.push(resolve));
      })
      .then(
        () => 'answered',
        ({ code }: { code: string }) => code,
      );
  const answer = async (count: number) => {
    for (const resolve of open.splice(0, count)) resolve();
    await new Promise(setImmediate);
  };
  return { ask, answer, asked, open };
}

test('asks 32 questions at the same time, and then those that wait in turns of their addresses', async () => {
  const { ask, answer, asked } = createQueue();
  for (let i = 0; i < 100; i++) void ask('first');
  for (let i = 0; i < 3; i++) void ask('second');
  void ask('third');
  expect(asked).toHaveLength(32);
  for (let i = 0; i < 7; i++) await answer(1);
  expect(asked.slice(32)).toEqual(['first', 'second', 'third', 'first', 'second', 'first', 'second']);
});

test('refuses what is more than 256 waiting of one address, and nothing of another', async () => {
  const { ask, answer, open } = createQueue();
  const answers = Array.from({ length: 330 }, () => ask('first'));
  const others = Array.from({ length: 40 }, () => ask('second'));
  await new Promise(setImmediate);
  while (open.length > 0) await answer(32);
  expect(Object.groupBy(await Promise.all(answers), (each) => each)).toMatchObject({
    answered: { length: 32 + 256 },
    auth_provider_unavailable: { length: 330 - 32 - 256 },
  });
  expect(new Set(await Promise.all(others))).toEqual(new Set(['answered']));
});

test('has a place again after a question that failed', async () => {
  const queue = new QuestionQueue();
  const fail = () => queue.run('', () => Promise.reject(new Error('no')));
  for (let i = 0; i < 40; i++) await expect(fail()).rejects.toThrow('no');
  await expect(queue.run('', async () => 'answered')).resolves.toBe('answered');
});
