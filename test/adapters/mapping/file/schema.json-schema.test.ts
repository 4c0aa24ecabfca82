import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { conversion, createJsonSchema } from '../../../../adapters/mapping/file/schema.ts';

const published = readFileSync('adapters/mapping/mapping.schema.json', 'utf8');
const readYaml = (name: string): unknown => parse(readFileSync(`test/support/mapping/${name}.yaml`, 'utf8'));

describe('the schema for editors', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(published));

  test('is what the code has; write it with `npm run mapping:schema`', () => {
    expect(`${JSON.stringify(createJsonSchema(), null, 1)}\n`).toBe(published);
  });

  test.each(['small-sql', 'small-http', 'hospital'])('takes %s.yaml', (name) => {
    validate(readYaml(name));
    expect(validate.errors).toBeNull();
  });

  test('refuses a field that is not known', () => {
    expect(validate({ system: 'x', locations: { all: 'SELECT 1', fields: { id: 'a', nombre: 'b' } } })).toBe(false);
  });

  test('has no rule for the names of keys, by which editors would find fault with numbers', () => {
    expect(published).not.toContain('propertyNames');
  });

  test('names all logins in the place of one that is none, and the mending of a secret that is written out', () => {
    const take = (login: object) => validate({ system: 'x', http: { url: 'http://x', login } });
    expect(take({ request: 'POST /in' })).toBe(true);
    expect(take({ kind: 'basic', user: 'a', password: 'env:P' })).toBe(true);
    expect(take({ kind: 'basik', user: 'a', password: 'env:P' })).toBe(false);
    expect(validate.errors).toEqual([
      expect.objectContaining({
        instancePath: '/http/login/kind',
        params: {
          allowedValues: ['none', 'basic', 'bearer', 'oauth2-secret', 'oauth2-key', 'session', 'ws-security'],
        },
      }),
    ]);
    expect(take({ kind: 'basic', user: 'a', password: 'hunter2' })).toBe(false);
    expect(validate.errors).toContainEqual(
      expect.objectContaining({ instancePath: '/http/login/password', keyword: 'pattern' }),
    );
    expect(published).toContain('"patternErrorMessage": "must be env:NAME or file:/path, never the secret itself"');
  });

  test('explains keys', () => {
    expect(published).toContain('Only the part before this text.');
    expect(published).toContain('The patients of the institution.');
  });
});

test('docs/reference/mapping-details.md has a row for every key of a field', () => {
  const page = readFileSync('docs/reference/mapping-details.md', 'utf8').split('## Converters')[1] ?? '';
  const named = page
    .split('\n')
    .flatMap((line) => /^\| (`\w+`(?:, `\w+`)*) \|/.exec(line)?.[1] ?? [])
    .join();
  expect(Object.keys(conversion.shape).filter((key) => !named.includes(`\`${key}\``))).toEqual([]);
});
