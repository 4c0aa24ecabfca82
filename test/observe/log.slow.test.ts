import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

test('the log has written everything when the process exits', () => {
  const program = `
    import { WinstonLog } from './src/observe/log.ts';
    const log = new WinstonLog({ level: 'info', format: 'json' });
    for (let i = 0; i < 1_000; i++) log.write('info', 'request', { status: i });
    process.exit();`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  expect(stdout.trim().split('\n')).toHaveLength(1_000);
});
