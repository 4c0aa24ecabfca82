import { expect, test } from '@jest/globals';
import { type DriverSubject, describeDriver, type Test } from '../../src/contract/index.ts';
import { createSqlite } from '../support/driver-subjects.ts';

/** SQLite through a driver that changes the texts that it sends. */
function createChanging(change: (text: string) => string): DriverSubject {
  const { open, ...subject } = createSqlite();
  return {
    ...subject,
    open: async (options) => {
      const driver = await open(options);
      return {
        ...driver,
        connect: async (purpose) => {
          const connection = await driver.connect(purpose);
          return {
            ...connection,
            run: ({ sql, values }) =>
              connection.run({
                sql,
                values: values.map((value) => (typeof value === 'string' ? change(value) : value)),
              }),
          };
        },
      };
    },
  };
}

/** Runs the case of the driver kit with this title. */
async function runCase(title: string, subject: DriverSubject): Promise<void> {
  const tests = new Map<string, Parameters<Test>[1]>();
  const note: Test = Object.assign((name: string, run: Parameters<Test>[1]) => tests.set(name, run), {
    skip: () => undefined,
  });
  describeDriver(note, () => subject, 'driver');
  await tests.get(`driver: ${title}`)!();
}

const keepsTexts = 'texts keep every character';

test('texts that a driver keeps are accepted', async () => {
  await expect(
    runCase(
      keepsTexts,
      createChanging((text) => text),
    ),
  ).resolves.toBeUndefined();
});

test.each(["'", 'ñ', '"', '`', '%', '_', '\\', '-', ':', '$', '@', '?'])(
  'a driver that loses the character %s is found',
  async (lost) => {
    const subject = createChanging((text) => text.replaceAll(lost, ''));
    await expect(runCase(keepsTexts, subject)).rejects.toMatchObject({ code: 'ERR_ASSERTION' });
  },
);
