import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectDayOfWork } from '../support/day-of-work.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { prepareFolder, run, toolchains } from './toolchains.ts';

// The client in TypeScript is part of npm test: its generator is a development dependency.
let gateway: RunningGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway();
  folder = mkdtempSync(join(tmpdir(), 'puente-clients-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gateway.stop();
});

const installed = await Promise.all(
  toolchains.map(async (toolchain) => {
    const problem = await toolchain.install().then(
      () => undefined,
      (error: Error) => error.message.trim(),
    );
    if (problem !== undefined) process.stdout.write(`${toolchain.generator} is skipped: ${problem}\n`);
    return { ...toolchain, problem };
  }),
);

describe.each(installed)('a client made by $generator', (toolchain) => {
  const { generator, generate, work, problem } = toolchain;
  const testHere = problem === undefined ? test : test.skip;
  const workAs = (token: string) => run(work, join(folder, generator), { PUENTE_URL: gateway.url, TOKEN: token });

  testHere(
    'is made without a complaint, and compiles',
    async () => {
      const here = join(folder, generator);
      prepareFolder(toolchain, here);
      expect(await run(generate, here)).not.toMatch(/Warning\(s\)|ERROR/);
      for (const command of toolchain.compile(here)) await run(command, here);
    },
    900_000,
  );

  testHere('registers, finds, books, cancels, files and edits', async () => {
    expectDayOfWork(await workAs(gateway.token));
  });

  testHere('ends with the code of the problem when the token is wrong', async () => {
    await expect(workAs('wrong')).rejects.toThrow('unauthenticated');
  });
});
