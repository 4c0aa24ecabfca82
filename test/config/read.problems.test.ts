import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { adapter } from '../../adapters/adapter.ts';
import { adapters as builtIn } from '../../adapters/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { findProblems, folder, listProblems, memory, read } from '../support/read-config.ts';

afterAll(() => folder.remove());

const hash = 'ab'.repeat(32);

describe('a problem in the configuration', () => {
  test('comes with all others, each with file, line and path', () => {
    const yaml = [
      'institution:',
      '  timeZone: America/Argentina/BuenosAires',
      '  locale: Castellano del Río',
      'http:',
      '  port: 99999',
      '  basePath: /api/',
      'auth:',
      '  groupA: none',
      '  tokens:',
      '    - client: app',
      '      sha256: xyz',
      '      scopes: [patient:read]',
      'log:',
      '  levle: info',
    ].join('\n');
    expect(findProblems(yaml, { PUENTE_HTTP_READ_DEADLINE: '8s' })).toEqual([
      'x.yaml:2 institution.timeZone: must be an IANA time zone: did you mean America/Argentina/Buenos_Aires?',
      'x.yaml:3 institution.locale: must be a language of BCP 47, e.g. es-AR',
      'x.yaml:5 http.port: must be a whole number between 0 and 65535',
      'x.yaml:6 http.basePath: must be empty, or a path such as /api without a slash at its end',
      'PUENTE_HTTP_READ_DEADLINE: must be a whole number between 1 and 3600000',
      'x.yaml:11 auth.tokens[0].sha256: must be 64 hexadecimal digits: run npm run puente -- token create',
      expect.stringMatching(
        /^x\.yaml:12 auth\.tokens\[0\]\.scopes\[0\]: must be one of .*did you mean patients:read\?$/,
      ),
      'x.yaml:8 auth.groupA: none exposes every patient to anyone who can reach the port: to allow that, set auth.allowAnonymousGroupA to true',
      'x.yaml:14 log.levle: unknown setting: did you mean level?',
    ]);
  });

  test('names a port that two listeners would share', () => {
    const taken = 'ops.port: is also http.port: choose another port, e.g. 8081';
    const find = (http: string, ops: string) => findProblems(`http: { ${http} }\nops: { ${ops} }`);
    expect(find('port: 9000', 'port: 9000')).toEqual([`x.yaml:2 ${taken}`]);
    expect(find('host: 0.0.0.0', 'port: 8080')).toEqual([`x.yaml:2 ${taken}`]);
    expect(find('host: 10.0.0.5', 'port: 8080')).toEqual([]);
    expect(find('port: 0', 'port: 0')).toEqual([]);
    expect(findProblems('ops: { port: 9000 }', {}, '9000')).toEqual([`x.yaml:1 ${taken}`]);
  });

  test('in the environment is named by its variable', () => {
    const environment = {
      PUENTE_HTTP_PROT: '1',
      PUENTE_AUTH_TOKENS: '[{ client: a, sha256: 12 }]',
      PUENTE_API_PATHS: '{ createCoverge: POST /x }',
    };
    expect(findProblems('', environment)).toEqual([
      'PUENTE_AUTH_TOKENS[0].sha256: must be text',
      'PUENTE_AUTH_TOKENS[0].scopes: is missing: add it',
      'PUENTE_API_PATHS.createCoverge: unknown operation of Group B: did you mean createCoverage?',
      'PUENTE_HTTP_PROT: unknown setting: did you mean PUENTE_HTTP_PORT?',
    ]);
    expect(findProblems('', {}, '80a')).toEqual(['--port: must be a whole number between 0 and 65535']);
  });

  test('is no setting when another command reads it', () => {
    expect(findProblems('', { PUENTE_CONTRACT_TOKEN: 'a-token', PUENTE_URL: 'http://127.0.0.1:8080' })).toEqual([]);
  });

  test('is a setting in the wrong place, and then the right ones are named', () => {
    expect(findProblems('port: 8123\nhttp: { sha256: x }\n', { PUENTE_READ_DEADLINE: '1' })).toEqual([
      'x.yaml:2 http.sha256: unknown setting: remove it',
      'x.yaml:1 port: unknown setting: did you mean http.port or ops.port?',
      'PUENTE_READ_DEADLINE: unknown setting: did you mean PUENTE_HTTP_READ_DEADLINE?',
    ]);
  });

  test('is a short and a long name of one setting at once', () => {
    expect(findProblems('', { PUENTE_PORT: '1', PUENTE_HTTP_PORT: '2' })).toEqual([
      'PUENTE_PORT: is an alias of PUENTE_HTTP_PORT: set only one of them',
    ]);
  });

  test('is an adapter that does not exist, and then its settings are not judged', () => {
    const yaml = 'adapter:\n  name: memry\n  settings: { what: 1 }\n';
    expect(findProblems(yaml, { PUENTE_ADAPTER_SETTINGS_WHAT: '1', PUENTE_ADAPTER_NMAE: 'memory' })).toEqual([
      'x.yaml:2 adapter.name: must be one of memory, other: did you mean memory?',
      'PUENTE_ADAPTER_NMAE: unknown setting: did you mean PUENTE_ADAPTER_NAME?',
    ]);
  });

  test('is a file that is not YAML, with line and column', () => {
    expect(findProblems('a: 1\nb: [1, 2\nc: 3\n')).toEqual([expect.stringMatching(/^x\.yaml:3:1 is not valid YAML: /)]);
    expect(findProblems('a: *nobody\n')).toEqual([expect.stringMatching(/^x\.yaml.* is not valid YAML: /)]);
  });

  test.each([
    ['a: b\n\tc: d\n', 'x.yaml:2:1 is not valid YAML: the line is indented with tabs: use spaces'],
    [
      'http:\n  port: 1\n  port: 2\n',
      'x.yaml:3:3 is not valid YAML: the section already has this key above: remove one',
    ],
    [
      'a: 1\n---\nb: 2\n',
      'x.yaml:2:1 is not valid YAML: a second document begins here (---), but only one is allowed: remove it',
    ],
    ["a: 's3cret\n", 'x.yaml:2:1 is not valid YAML: a quote, a bracket, a comma or a colon is missing: add it'],
    ['a: s3cret: s3cret\n', expect.stringMatching(/^x\.yaml:1:4 is not valid YAML: (?!.*s3cret)/)],
    [
      'a: &s3cret\n  b: *s3cret\n',
      'x.yaml is not valid YAML: an alias (*name) has no anchor (&name), is inside it, or too many refer to it',
    ],
    ['a: @s3cret\n', "x.yaml:1:4 is not valid YAML: the value needs quotes: put it between single quotes (')"],
  ])('says what is wrong with the YAML in our words, without repeating it (%#)', (yaml, line) => {
    expect(findProblems(yaml)).toContainEqual(line);
  });

  test('a file that is a folder, or larger than any configuration, is named with its reason', () => {
    const refuse = (file: string) => () => readConfig({ file, environment: {}, adapters: { memory } });
    expect(refuse(import.meta.dirname)).toThrow(/: is a folder: name a file, or set another one with --config/);
    const large = folder.write('large.yaml', '#'.repeat((256 << 10) + 1));
    expect(refuse(large)).toThrow(/large\.yaml: is larger than 256 KiB:/);
  });

  test.each(['ART', 'IST', 'PST', 'AGT', 'BST'])('%s is no time zone, though Intl takes it for one', (name) => {
    expect(findProblems(`institution:\n  timeZone: ${name}\n`)).toEqual([
      expect.stringMatching(/^x\.yaml:2 institution\.timeZone: must be an IANA time zone/),
    ]);
  });

  test('a choice that decides on the other keys is told with what there is to choose', () => {
    const kinds = z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('none') }),
      z.strictObject({ kind: z.literal('basic'), user: z.string() }),
    ]);
    const chooser = adapter({ settings: z.strictObject({ auth: kinds }), offer: () => ({}) });
    const find = (auth: string) => {
      const file = folder.write('x.yaml', `adapter:\n  name: chooser\n  settings:\n    auth: ${auth}\n`);
      return () => readConfig({ file, environment: {}, adapters: { chooser } });
    };
    expect(find('{}')).toThrow(/:4 adapter\.settings\.auth\.kind: must be one of none, basic$/);
    expect(find('{ kind: basik }')).toThrow(/kind: must be one of none, basic: did you mean basic\?$/);
  });

  test('a misspelt production is not taken for something else', () => {
    for (const mode of ['Production', 'PRODUCTION', ' production', 'prod']) {
      expect(findProblems('', { NODE_ENV: mode })).toEqual([
        'NODE_ENV: must be production, in lower case, or another value for trials',
      ]);
    }
    expect(findProblems('', { NODE_ENV: 'staging' })).toEqual([]);
  });

  test('a token that can be guessed is warned of', () => {
    expect(read('', { PUENTE_TOKEN: 'abc' }).listWarnings()).toEqual([
      'PUENTE_TOKEN: is shorter than 16 characters: use a longer one, because it grants all scopes',
    ]);
    expect(read('', { PUENTE_TOKEN: 'abcdefghijklmnop' }).listWarnings()).toEqual([]);
    expect(findProblems('- a\n')).toEqual(['x.yaml:1 must contain keys and values, like config/default.yaml']);
  });

  test('is a limit of callers that is too small or too large, told with both ends', () => {
    const find = (requests: number, seconds: number, concurrent: number) =>
      findProblems(
        [
          'limits:',
          `  clients: { read: { requests: ${requests}, seconds: ${seconds}, concurrent: ${concurrent} } }`,
          `  failedTokens: { requests: ${requests}, seconds: ${seconds} }`,
        ].join('\n'),
      );
    const problems = [
      'x.yaml:2 limits.clients.read.requests: must be a whole number between 1 and 10000000',
      'x.yaml:2 limits.clients.read.seconds: must be a whole number between 1 and 3600',
      'x.yaml:2 limits.clients.read.concurrent: must be a whole number between 1 and 100000',
      'x.yaml:3 limits.failedTokens.requests: must be a whole number between 1 and 10000000',
      'x.yaml:3 limits.failedTokens.seconds: must be a whole number between 1 and 3600',
    ];
    expect(find(0, 0, 0)).toEqual(problems);
    expect(find(10_000_001, 3_601, 100_001)).toEqual(problems);
    expect(find(10_000_000, 3_600, 100_000)).toEqual([]);
  });

  test('is a file that does not exist', () => {
    const file = join(folder.path, 'none.yaml');
    expect(() => readConfig({ file, environment: {}, adapters: { memory } })).toThrow(
      'does not exist: correct the path, or set another one with --config or PUENTE_CONFIG',
    );
  });

  test('is a start in production that nobody could call, or with a token in the environment', () => {
    const production = { NODE_ENV: 'production' };
    expect(findProblems('', production)).toEqual([
      'x.yaml auth.tokens: is missing in production: add a token (npm run puente -- token create) or auth.jwt',
    ]);
    expect(findProblems('auth: { tokens: [] }', production)).toEqual([
      'x.yaml:1 auth.tokens: is missing in production: add a token (npm run puente -- token create) or auth.jwt',
    ]);
    const tokens = `auth: { tokens: [{ client: a, sha256: ${hash}, scopes: all }] }`;
    expect(findProblems(tokens, production)).toEqual([]);
    expect(findProblems(tokens, { ...production, PUENTE_TOKEN: 'x' })).toEqual([
      'PUENTE_TOKEN: is not accepted in production: add a token to auth.tokens (npm run puente -- token create)',
    ]);
  });

  test('is a sandbox in production that nobody named as one', () => {
    const tokens = `auth: { tokens: [{ client: a, sha256: ${hash}, scopes: all }] }`;
    const find = (sandbox: string, environment: Record<string, string>) => {
      const file = folder.write('x.yaml', `${tokens}\nadapter: { settings: { sandbox: ${sandbox} } }`);
      return listProblems(() => readConfig({ file, environment, adapters: builtIn }));
    };
    const production = { NODE_ENV: 'production' };
    expect(find('true', production)).toEqual([
      'x.yaml:2 adapter.settings.sandbox: must not be true if NODE_ENV is production: remove it, or write production for a shared sandbox',
    ]);
    expect(find('false', { ...production, PUENTE_ADAPTER_SETTINGS_SANDBOX: 'true' })).toHaveLength(1);
    expect([...find('false', production), ...find('production', production), ...find('true', {})]).toEqual([]);
    expect(find('maybe', {})).toEqual([
      'x.yaml:2 adapter.settings.sandbox: must be true, false, production or a mapping such as { strict: true, now: 2027-03-01T09:00, seed: 7, world: large }',
    ]);
  });

  test('is an Idempotency-Key demanded of what only reads', () => {
    expect(findProblems('idempotency: { required: [createAppointment] }')).toEqual([]);
    expect(findProblems('idempotency: { required: [getPatient] }')).toHaveLength(1);
  });

  test('is one token for two clients', () => {
    const entry = (client: string) => `{ client: ${client}, sha256: ${hash}, scopes: all }`;
    expect(findProblems(`auth: { tokens: [${entry('a')}, ${entry('b')}] }`)).toEqual([
      'x.yaml:1 auth.tokens: has the same sha256 twice: remove one, because a token belongs to one client',
    ]);
  });

  test('is an issuer that cannot be reached or asked as the configuration says', () => {
    const base = 'issuer: https://id.example.org, audience: a';
    const find = (settings: string) => findProblems(`auth: { jwt: { ${base}, ${settings} } }`);
    folder.write('keys.json', '{}');
    expect(find('ca: keys.json')).toEqual(['x.yaml:1 auth.jwt.ca: must be a file with certificates in PEM']);
    expect(find('ca: missing.pem')).toEqual(['x.yaml:1 auth.jwt.ca: does not exist: correct the path']);
    expect(find('ca: .')).toEqual(['x.yaml:1 auth.jwt.ca: is a folder: name a file']);
    for (const proxy of ['http://me:secret@proxy.example.org:3128', 'proxy.example.org:3128', 'socks5://proxy']) {
      expect(find(`proxy: '${proxy}'`)).toEqual([
        'x.yaml:1 auth.jwt.proxy: must be a URL such as http://proxy.hospital.example:3128, or env:NAME or file:/path if it has a password',
      ]);
    }
    expect(find('clients: []')).toEqual(['x.yaml:1 auth.jwt.clients: must not be empty']);
    expect(find('introspection: { clientId: c }')).toEqual([
      'x.yaml:1 auth.jwt.introspection: must have exactly one of clientSecret and privateKey',
    ]);
    expect(find('introspection: { clientId: c, clientSecret: hunter2 }')).toEqual([
      'x.yaml:1 auth.jwt.introspection.clientSecret: must be env:NAME or file:/path, never the secret itself',
    ]);
    expect(find('introspection: { clientId: c, privateKey: env:KEY }')).toEqual([
      'x.yaml:1 auth.jwt.introspection.keyId: is required for privateKey: add it',
    ]);
    const local = 'issuer: i, audience: a, jwksUri: https://id.example.org/keys';
    expect(findProblems(`auth: { jwt: { ${local}, introspection: { clientId: c, clientSecret: env:S } } }`)).toEqual([
      'x.yaml:1 auth.jwt.introspection.endpoint: is required unless issuer is an https URL: add it',
    ]);
    const two = ['https://a.example.org', 'https://b.example.org'].map(
      (issuer) => `{ issuer: '${issuer}', audience: a, introspection: { clientId: c, clientSecret: env:S } }`,
    );
    expect(findProblems(`auth: { issuers: [${two.join(', ')}] }`)).toEqual([
      'x.yaml:1 auth.issuers: several issuers accept opaque tokens: set introspection.tokens to jwt for all but one',
    ]);
  });

  test('is an issuer without keys, or with keys that anybody could replace', () => {
    expect(findProblems('auth:\n  jwt: { issuer: i, audience: a }')).toEqual([
      'x.yaml:2 auth.jwt: must have exactly one of jwksUri and jwksFile',
    ]);
    const http = 'auth: { jwt: { issuer: i, audience: a, jwksUri: http://id.example.org/keys } }';
    expect(findProblems(http)).toEqual(['x.yaml:1 auth.jwt.jwksUri: must begin with https://']);
    folder.write('nokeys.json', '{}');
    expect(findProblems('auth: { jwt: { issuer: i, audience: a, jwksFile: nokeys.json } }')).toEqual([
      'x.yaml:1 auth.jwt.jwksFile: must be a file with a JSON Web Key Set: {"keys": [...]}',
    ]);
    expect(findProblems('auth: { jwt: { issuer: i, audience: a, jwksFile: . } }')).toEqual([
      'x.yaml:1 auth.jwt.jwksFile: is a folder: name a file',
    ]);
  });

  test('is an operation of the guard that does not exist, and a setting that it has not', () => {
    expect(
      findProblems('guard:\n  operations: { openTickets: { deadline: 20 }, openTicket: { timeout: 20 } }'),
    ).toEqual([
      'x.yaml:2 guard.operations.openTicket.timeout: unknown setting: remove it',
      'x.yaml:2 guard.operations.openTickets: is not an operation: did you mean openTicket?',
    ]);
  });

  test('never repeats the value that is wrong', () => {
    const yaml = 'auth: { tokens: [{ client: "s3cret value", sha256: s3cret, scopes: s3cret, expires: s3cret }] }';
    const lines = findProblems(yaml, { PUENTE_TOKEN: 's3cret value', PUENTE_HTTP_PORT: 's3cret' });
    expect(lines).toHaveLength(6);
    expect(lines.join('\n')).not.toContain('s3cret');
  });
});
