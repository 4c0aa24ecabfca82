import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { runDoctor } from '../../src/runtime/doctor.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const folder = makeFolder();
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const source = 'src/cli/launch.cjs';

describe('a doctor in a process of its own', () => {
  test('finds what puente doctor finds', async () => {
    const found = await runDoctor(write('puente.yaml', 'adapter: { name: memory }\n'), { program: source });
    expect(found).toContainEqual(expect.objectContaining({ section: 'gateway', check: 'configuration', ok: true }));
    expect(found).toContainEqual(expect.objectContaining({ section: 'memory', check: 'listPractitioners', ok: true }));
  }, 60_000);

  test('says what is wrong with a configuration', async () => {
    const found = await runDoctor(write('wrong.yaml', 'http: { port: many }\n'), { program: source });
    expect(found).toContainEqual(expect.objectContaining({ section: 'gateway', ok: false }));
  }, 60_000);

  test('is ended when it takes too long, and says so', async () => {
    const program = write('hang.cjs', 'setInterval(() => undefined, 1000);\n');
    expect(await runDoctor('puente.yaml', { program, timeout: 500 })).toEqual([
      { section: 'doctor', check: 'run', ok: false, detail: 'it did not end within 0.5 seconds' },
    ]);
  });

  test('says that it could not run where it prints nothing', async () => {
    const program = write('silent.cjs', 'process.exit(2);\n');
    expect(await runDoctor('puente.yaml', { program })).toMatchObject(
      [{ ok: false, detail: /could not run/ }].map((each) => ({ ...each, detail: expect.stringMatching(each.detail) })),
    );
  });

  test('does not say that it took too long where it prints too much', async () => {
    const program = write(
      'long.cjs',
      "process.stdout.write('x'.repeat(9 << 20), () => setInterval(() => {}, 1000));\n",
    );
    expect(await runDoctor('puente.yaml', { program })).toEqual([
      { section: 'doctor', check: 'run', ok: false, detail: 'it could not run: run puente doctor on a terminal' },
    ]);
  });

  test('ends with its signal', async () => {
    const program = write('wait.cjs', 'setInterval(() => undefined, 1000);\n');
    const ended = new AbortController();
    const found = runDoctor('puente.yaml', { program, signal: ended.signal });
    ended.abort();
    expect(await found).toMatchObject([{ section: 'doctor', ok: false }]);
  });
});
