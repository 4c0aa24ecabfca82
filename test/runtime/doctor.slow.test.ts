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

describe('a doctor in a process of its own', () => {
  test('finds what puente doctor finds', async () => {
    const found = await runDoctor(write('puente.yaml', 'adapter: { name: memory }\n'), 'src/cli/launch.cjs');
    expect(found).toContainEqual(expect.objectContaining({ section: 'gateway', check: 'configuration', ok: true }));
    expect(found).toContainEqual(expect.objectContaining({ section: 'memory', check: 'listPractitioners', ok: true }));
  }, 60_000);

  test('says what is wrong with a configuration', async () => {
    const found = await runDoctor(write('wrong.yaml', 'http: { port: many }\n'), 'src/cli/launch.cjs');
    expect(found).toContainEqual(expect.objectContaining({ section: 'gateway', ok: false }));
  }, 60_000);

  test('is ended when it takes too long, and says so', async () => {
    const program = write('hang.cjs', 'setInterval(() => undefined, 1000);\n');
    expect(await runDoctor('puente.yaml', program, 500)).toEqual([
      { section: 'doctor', check: 'run', ok: false, detail: 'it did not end within 0.5 seconds' },
    ]);
  });

  test('says that it could not run where it prints nothing', async () => {
    const program = write('silent.cjs', 'process.exit(2);\n');
    expect(await runDoctor('puente.yaml', program)).toMatchObject(
      [{ ok: false, detail: /could not run/ }].map((each) => ({ ...each, detail: expect.stringMatching(each.detail) })),
    );
  });
});
