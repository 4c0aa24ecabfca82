import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { adapters } from '../../../adapters/index.ts';
import { readConfig } from '../../../src/config/read.ts';
import { compose } from '../../../src/runtime/container.ts';
import { ConfigFolder } from '../../support/config-file.ts';
import { createSqliteSettings, runSql, saveKey } from '../../support/local-adapter.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

const fields = [{ id: 'nota', type: 'string' }];
const type = { id: 'receta', title: 'Receta', fields };

const saveSecret = (text: string): string => `file:${folder.write('secret', text)}`;
const webhook = { url: 'https://desk.hospital/', secret: '' };

/** The problems of a gateway with these settings, each with its line; none when it starts. */
async function listProblems(settings: object): Promise<readonly string[]> {
  const ports = { tickets: { adapter: 'local' } };
  const file = folder.write('local.yaml', stringify({ adapters: { local: { settings } }, ports }));
  try {
    const { close } = await compose(readConfig({ file, environment: {}, adapters }));
    await close();
    return [];
  } catch (error) {
    const { problems = [String(error)] } = error as { readonly problems?: readonly string[] };
    return problems.map((problem) => problem.replace(`${folder.formatPath('local.yaml')}:`, ''));
  }
}

describe('the settings of the local adapter', () => {
  test('are enough with a file and a key', async () => {
    expect(await listProblems(createSqliteSettings())).toEqual([]);
  });

  test.each([
    ['no file', { file: undefined }, '3 adapters.local.settings.file: is required for sqlite: add it'],
    ['no address', { kind: 'postgres' }, '3 adapters.local.settings.url: is required for postgres: add it'],
    ['a kind that is none', { kind: 'mysql' }, '6 adapters.local.settings.kind: must be one of sqlite, postgres'],
    [
      'a folder that is missing',
      { file: '/nowhere/local.db' },
      '4 adapters.local.settings.file: cannot be used (ENOENT: the folder does not exist: create it, or correct the path)',
    ],
    [
      'a pattern that is none',
      { ticketTypes: [{ ...type, fields: [{ ...fields[0], validationRegex: '(' }] }] },
      '12 adapters.local.settings.ticketTypes[0].fields[0].validationRegex: must be a regular expression of ECMAScript',
    ],
    [
      'a type that occurs twice',
      { ticketTypes: [type, type] },
      '13 adapters.local.settings.ticketTypes[1].id: an earlier type has this id',
    ],
    [
      'a field that occurs twice',
      { ticketTypes: [{ ...type, fields: [...fields, { id: 'nota', type: 'date' }] }] },
      '12 adapters.local.settings.ticketTypes[0].fields[1].id: an earlier field has this id',
    ],
    [
      'a day that is none',
      { ticketTypes: [{ ...type, created: '2026-02-30' }] },
      '12 adapters.local.settings.ticketTypes[0].created: must be a date YYYY-MM-DD that exists',
    ],
    [
      'a webhook that is no address of the web',
      { webhook: { url: 'ftp://desk.hospital', secret: saveSecret('') } },
      '7 adapters.local.settings.webhook.url: must be an http or https URL',
    ],
    [
      'a webhook with a password in its address',
      { webhook: { url: 'https://me:secret@desk.hospital/', secret: saveSecret('') } },
      '7 adapters.local.settings.webhook.url: must be a URL without credentials or fragment',
    ],
    [
      'a secret for the webhook that is short',
      { webhook: { ...webhook, secret: saveSecret('whsec_c2hvcnQ=') } },
      '8 adapters.local.settings.webhook.secret: must be whsec_ and 24 to 64 bytes in base64: echo "whsec_$(openssl rand -base64 32)"',
    ],
    ['no reasons', { changeReasons: [] }, '6 adapters.local.settings.changeReasons: must not be empty'],
  ])('keep the gateway from starting with %s', async (_what, changes, problem) => {
    expect(await listProblems({ ...createSqliteSettings(), ...changes })).toEqual([problem]);
  });

  test('keep the gateway from starting with another key, whose line is named', async () => {
    const settings = createSqliteSettings();
    // Only a gateway creates the file.
    await runSql(settings, 'SELECT 1');
    expect(await listProblems(settings)).toEqual([]);
    expect(await listProblems({ ...settings, encryptionKey: saveKey() })).toEqual([
      '5 adapters.local.settings.encryptionKey: is not the key that encrypted the content of the database',
    ]);
  });

  test('can be those of docs/reference/local.md', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/local.md'), 'utf8');
    const shown = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? '';
    const { adapters: given } = parse(shown) as {
      readonly adapters: { readonly local: { readonly settings: object } };
    };
    expect(await listProblems({ ...given.local.settings, ...createSqliteSettings() })).toEqual([]);
    const { config } = readConfig({ file: folder.write('shown.yaml', shown), environment: {}, adapters });
    expect(Object.keys(config.ports)).toEqual(['tickets', 'family-groups', 'practitioners']);
  });
});
