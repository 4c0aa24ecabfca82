import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runPuente } from '../../../support/process.ts';
import { makeFolder } from '../../../support/sqlite-state.ts';

const folder = makeFolder();

/** Node's message for a missing package. */
const withoutTedious = `import { registerHooks } from 'node:module';
registerHooks({
  resolve: (name, context, next) => {
    if (name !== 'tedious') return next(name, context);
    throw Object.assign(new Error("Cannot find package 'tedious'"), { code: 'ERR_MODULE_NOT_FOUND' });
  },
});`;

test('a start with kind sqlserver says what to install where tedious is not', async () => {
  const hook = join(folder, 'without-tedious.mjs');
  writeFileSync(hook, withoutTedious);
  writeFileSync(
    join(folder, 'his.yaml'),
    'system: his\ndatabase: { kind: sqlserver, url: env:HIS }\npractitioners: { all: SELECT 1 AS id, fields: { id: id, name: id } }\n',
  );
  const config = join(folder, 'puente.yaml');
  writeFileSync(config, 'adapter: { name: mapping, settings: { file: his.yaml } }\n');
  const environment = { HIS: 'sqlserver://puente:secreta@127.0.0.1/his', NODE_OPTIONS: `--import ${hook}` };
  const { code, stderr } = await runPuente(['serve', '--port', '0', '--config', config], environment);
  expect(stderr).toContain('sqlserver needs the package tedious: run npm install --save-exact tedious@20.3.9');
  expect(code).toBe(78);
});
