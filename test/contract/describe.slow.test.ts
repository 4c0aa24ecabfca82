import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');

/** Three lines of an adapter's own tests. */
const fileOfAnAdapter = `
import test from 'node:test';
import { createPortsSubject, describeContract, sandbox } from '${root}/src/contract/index.ts';
import { openSandbox } from '${root}/test/support/sandbox.ts';
await describeContract(test, () => createPortsSubject({ ports: { directory: openSandbox().directory }, fixtures: sandbox }));
`;

test('describeContract works under node:test: what is offered passes, and what is not is skipped for its reason', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'puente-contract-'));
  try {
    const file = join(folder, 'clinic.test.mjs');
    await writeFile(file, fileOfAnAdapter);
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', file], {
      env: { PATH: process.env.PATH },
      maxBuffer: 10_000_000,
    });
    expect(stdout).toMatch(/^ok \d+ - directory\.locations: [^#]*$/m);
    expect(stdout).toMatch(
      /^ok \d+ - \d+ cases skipped, because tickets\.list is not offered: .*tickets\.list\.none.* # SKIP/m,
    );
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(stdout).not.toMatch(/^not ok/m);
  } finally {
    await rm(folder, { recursive: true });
  }
});
