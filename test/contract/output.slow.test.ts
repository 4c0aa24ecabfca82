import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

// In a process of its own, because modules of jest's contexts do not follow what Node's modules export.
test('what a call writes by a function of node:fs that it imports by name is read, and nothing after the call', () => {
  const { href } = new URL('../../src/contract/output.ts', import.meta.url);
  const code = `
    import { writeSync } from 'node:fs';
    import { readOutput } from ${JSON.stringify(href)};
    const written = [];
    await readOutput('update', written, async () => writeSync(2, 'during the call'));
    writeSync(2, 'after the call');
    console.log(JSON.stringify(written));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  expect(JSON.parse(printed)).toEqual([{ method: 'update', text: 'during the call' }]);
});
