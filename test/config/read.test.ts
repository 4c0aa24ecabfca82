import { join } from 'node:path';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { adapter } from '../../adapters/adapter.ts';
import { adapters } from '../../adapters/index.ts';
import { allScopes } from '../../src/api/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { ConfigProblems } from '../../src/toolkit/problems.ts';
import { makeCertificate } from '../fault-server/certificate.ts';
import { findProblems, folder, listProblems, other, read, shorten } from '../support/read-config.ts';

afterAll(() => folder.remove());

const hash = 'ab'.repeat(32);

describe('reading the configuration', () => {
  test('an empty file means the defaults', () => {
    const { config } = read('');
    expect(config.http).toMatchObject({ host: '127.0.0.1', port: 8080, basePath: '', readDeadline: 8000 });
    expect(config.institution).toEqual({
      timeZone: 'America/Argentina/Buenos_Aires',
      locale: 'es-AR',
      bookingHorizonDays: 60,
    });
    expect(config.adapter).toEqual({ name: 'memory', settings: { size: 3 } });
    expect(config.auth).toMatchObject({ groupA: 'bearer', tokens: [] });
    expect(config.auth.jwt).toBeUndefined();
  });

  test('a section whose keys are all commented out means the defaults', () => {
    expect(read('http:\n  # port: 1\nauth:\n  jwt:\n    # issuer: x\n').config).toEqual(read('').config);
  });

  test.each([
    ['true', { now: '2027-03-01T09:00' }],
    ['{ strict: true, seed: 3 }', { strict: true, now: '2027-03-01T09:00', seed: 3 }],
    ['{ strict: true, now: 2027-01-01T09:00 }', { strict: true, now: '2027-03-01T09:00' }],
  ])('a setting of the sandbox of the command line replaces its own value alone, in %s', (written, expected) => {
    const file = folder.write('x.yaml', `adapter: { name: memory, settings: { sandbox: ${written} } }`);
    const { config } = readConfig({ file, sandbox: { now: '2027-03-01T09:00' }, environment: {}, adapters });
    expect(config.adapter.settings).toEqual({ sandbox: { strict: false, ...expected } });
  });

  test('a setting of the sandbox of the command line that is wrong is named by its option', () => {
    const file = folder.write('x.yaml', '');
    const given = { file, environment: {}, adapters };
    expect(listProblems(() => readConfig({ ...given, sandbox: { now: 'noon' } }))).toEqual([
      expect.stringMatching(/^--now: must be true, /),
    ]);
  });

  test('the environment comes before the file, and the command line before both', () => {
    const yaml = 'http: { port: 1001 }\n';
    expect(read(yaml).config.http.port).toBe(1001);
    expect(read(yaml, { PUENTE_HTTP_PORT: '1002' }).config.http.port).toBe(1002);
    expect(read(yaml, { PUENTE_PORT: '1003' }).config.http.port).toBe(1003);
    expect(read(yaml, { PUENTE_PORT: '1003' }, '1004').config.http.port).toBe(1004);
  });

  test('every key has a variable, settings of the adapter and lists included', () => {
    const { config } = read('', {
      PUENTE_HTTP_READ_DEADLINE: '900',
      PUENTE_AUTH_ALLOW_ANONYMOUS_GROUP_A: 'true',
      PUENTE_ADAPTER_SETTINGS_SIZE: '7',
      PUENTE_AUTH_TOKENS: `[{ client: app, sha256: ${hash}, scopes: [patients:read] }]`,
      PUENTE_API_PATHS: '{ createCoverage: POST /coberturas }',
      PUENTE_INSTITUTION_TIME_ZONE: 'America/Montevideo',
    });
    expect(config.http.readDeadline).toBe(900);
    expect(config.auth.allowAnonymousGroupA).toBe(true);
    expect(config.adapter.settings).toEqual({ size: 7 });
    expect(config.auth.tokens).toEqual([{ client: 'app', sha256: hash, scopes: ['patients:read'] }]);
    expect(config.api.paths).toEqual({ createCoverage: 'POST /coberturas' });
    expect(config.institution.timeZone).toBe('America/Montevideo');
  });

  test('text from the environment stays text, also where YAML would read a number', () => {
    const jwt = { PUENTE_AUTH_JWT_ISSUER: '123', PUENTE_AUTH_JWT_JWKS_URI: 'https://id.example.org/keys' };
    expect(read('', { ...jwt, PUENTE_AUTH_JWT_AUDIENCE: 'no' }).config.auth.jwt).toMatchObject({
      issuer: '123',
      audience: 'no',
      keys: new URL('https://id.example.org/keys'),
      typ: 'at+jwt',
    });
  });

  test('an empty variable counts as not set', () => {
    expect(read('', { PUENTE_HTTP_PORT: '', PUENTE_TOKEN: '', PUENTE_WHAT: '' }).config.http.port).toBe(8080);
  });

  test('the adapter can be named by the environment, and its settings are the ones that are checked', () => {
    expect(read('', { PUENTE_ADAPTER_NAME: 'other' }).adapters[0]?.adapter).toBe(other);
    expect(findProblems('adapter: { settings: { size: 1 } }', { PUENTE_ADAPTER_NAME: 'other' })).toEqual([
      'x.yaml:1 adapter.settings.size: unknown setting: remove it',
    ]);
  });

  test('a module that was not imported is no adapter, and the gateway does not start without it', () => {
    expect(() => read('adapter: { module: ./his.mjs }')).toThrow(ConfigProblems);
    expect(() => read('adapters: { his: { module: ./his.mjs } }')).toThrow(ConfigProblems);
  });

  test('an adapter that the environment names has no settings of another that the file names', () => {
    const file = 'adapter: { name: memory, settings: { size: 1 } }';
    expect(findProblems(file, { PUENTE_ADAPTER_NAME: 'other' })).toEqual([]);
    expect(read(file, { PUENTE_ADAPTER_NAME: 'memory' }).config.adapter.settings).toEqual({ size: 1 });
  });

  test('what Kubernetes says of a service called puente is no setting', () => {
    const { config } = read('', {
      PUENTE_PORT: 'tcp://10.0.0.7:8080',
      PUENTE_SERVICE_HOST: '10.0.0.7',
      PUENTE_SERVICE_PORT_HTTP: '8080',
      PUENTE_PORT_8080_TCP_ADDR: '10.0.0.7',
    });
    expect(config.http.port).toBe(8080);
    const own = { PUENTE_PORT: 'tcp://10.0.0.7:80', PUENTE_HTTP_PORT: '8081' };
    expect(read('', own).config.http.port).toBe(8081);
  });

  test('a variable changes its own key, and no other that an alias (*name) gives the same value', () => {
    const yaml = 'guard: { bulkheads: { read: &same { running: 32 }, write: *same } }';
    const { bulkheads } = read(yaml, { PUENTE_GUARD_BULKHEADS_READ_RUNNING: '5' }).config.guard;
    expect([bulkheads.read.running, bulkheads.write.running]).toEqual([5, 32]);
  });

  test('a relative path means from the folder of the file', () => {
    const yaml = 'adapter: { settings: { world: worlds/mine.json } }';
    expect(read(yaml).config.adapter.settings.world).toBe(join(folder.path, 'worlds/mine.json'));
    expect(read(yaml, { PUENTE_ADAPTER_SETTINGS_WORLD: 'here.json' }).config.adapter.settings.world).toBe('here.json');
  });

  test('so does a relative file: of a secret, wherever it is written, but not one from the environment', () => {
    const login = 'auth: { kind: oauth2-secret, tokenUrl: https://a.lan/t, clientId: a, clientSecret: file:secret }';
    const yaml = `
state: { kind: postgres, url: file:state/url, encryptionKey: [file:new.key, 'file:/etc/old.key', env:KEY] }
audit: { forward: { fhir: https://audit.lan/fhir, ${login}, key: file:client.pem } }
auth: { jwt: { issuer: i, audience: a, jwksUri: https://i.lan/k, proxy: file:proxy } }
`;
    const at = (name: string) => `file:${join(folder.path, name)}`;
    const { state, audit, auth } = read(yaml).config;
    expect(state).toMatchObject({
      url: at('state/url'),
      encryptionKey: [at('new.key'), 'file:/etc/old.key', 'env:KEY'],
    });
    expect(audit.forward).toMatchObject({ auth: { clientSecret: at('secret') }, key: at('client.pem') });
    expect(auth.jwt?.proxy).toBe(at('proxy'));
    expect(read(yaml, { PUENTE_STATE_URL: 'file:url' }).config.state.url).toBe('file:url');
  });

  test('so do the files and the secrets of further issuers', () => {
    folder.write('keys.json', '{ "keys": [{ "kty": "RSA" }] }');
    const introspection = '{ endpoint: https://i.lan/i, clientId: a, clientSecret: file:secret }';
    const yaml = `auth: { issuers: [{ issuer: i, audience: a, jwksFile: keys.json, introspection: ${introspection} }] }`;
    const [issuer] = read(yaml).config.auth.issuers;
    expect(issuer?.keys).toEqual({ keys: [{ kty: 'RSA' }] });
    expect(issuer?.introspection?.clientSecret).toBe(`file:${join(folder.path, 'secret')}`);
  });

  test('scopes: all means every scope, and a hash is compared in lower case', () => {
    const [token] = read(`auth: { tokens: [{ client: a, sha256: ${hash.toUpperCase()}, scopes: all }] }`).config.auth
      .tokens;
    expect(token).toEqual({ client: 'a', sha256: hash, scopes: allScopes });
  });

  test('the keys of an issuer can come from a file', () => {
    folder.write('keys.json', '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}');
    const { jwt } = read('auth: { jwt: { issuer: i, audience: a, jwksFile: keys.json, typ: null } }').config.auth;
    expect(jwt).toMatchObject({ keys: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AA' }] }, typ: undefined });
  });

  test('a token that has expired is a warning, and so is a Group A without tokens', () => {
    const expired = `{ client: old, sha256: ${hash}, scopes: all, expires: 2020-01-31 }`;
    const loaded = read(`auth:\n  groupA: none\n  allowAnonymousGroupA: true\n  tokens:\n    - ${expired}\n`);
    expect(loaded.listWarnings().map(shorten)).toEqual([
      'x.yaml:2 auth.groupA: Group A accepts requests without a token',
      'x.yaml:5 auth.tokens[0].expires: is in the past: the token of old is rejected',
    ]);
  });

  test('a token and a certificate are warnings from the moment at which they expire, long after the start too', () => {
    folder.write('ca.pem', makeCertificate({ days: 100 }).cert);
    const token = `{ client: app, sha256: ${hash}, scopes: all, expires: 2199-01-31 }`;
    const jwt = '{ issuer: https://id.invalid, audience: a, ca: ca.pem }';
    const { listWarnings, listCertificates } = read(`auth:\n  tokens: [${token}]\n  jwt: ${jwt}\n`);
    expect([listWarnings(), listCertificates()]).toEqual([[], []]);
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2199-01-31T00:00:00Z'));
    try {
      expect(listWarnings().map(shorten)).toEqual([
        'x.yaml:2 auth.tokens[0].expires: is in the past: the token of app is rejected',
      ]);
      expect(listCertificates()).toMatchObject([
        { ok: false, detail: expect.stringMatching(/auth\.jwt\.ca: .* ended/) },
      ]);
      expect(listWarnings((key) => key === 'http.port')).toEqual([]);
      expect(listCertificates((key) => key === 'http.port')).toEqual([]);
    } finally {
      jest.restoreAllMocks();
    }
  });

  test('a timeout of the adapter that a deadline comes before is a warning', () => {
    const wait = z.int().default(5_000).meta({ timeout: true });
    const memory = adapter({ settings: z.strictObject({ wait }), offer: () => ({}) });
    const warn = (yaml: string) =>
      readConfig({ file: folder.write('x.yaml', yaml), environment: {}, adapters: { memory } })
        .listWarnings()
        .map(shorten);
    expect(warn('adapter: { settings: { wait: 5999 } }')).toEqual([]);
    expect(warn('adapter: { settings: { wait: 6000 } }')).toEqual([
      'x.yaml:1 adapter.settings.wait: does not end before http.readDeadline: set it below 6000',
    ]);
    expect(warn('http: { readDeadline: 30000, writeDeadline: 4000 }')).toEqual([
      expect.stringMatching(/adapter\.settings\.wait: does not end before http\.writeDeadline: set it below 3000$/),
    ]);
    expect(warn('guard: { operations: { getPatient: { deadline: 4000 } } }')).toEqual([
      expect.stringMatching(/wait: does not end before guard\.operations\.getPatient\.deadline: set it below 3000/),
    ]);
  });

  test.each([
    'http: { readDeadline: 8 }',
    'http: { trustedProxies: [127.0.0.1], keepAliveTimeout: 60000 }\nshutdown: { drainDelay: 5000 }',
    'http: { trustedProxies: [127.0.0.1] }\nshutdown: { drainDelay: 10 }',
    'http: { trustedProxies: [0.0.0.0/0] }\nshutdown: { drainDelay: 5000 }',
  ])('a warning is its place, the fault and the repair, each after a colon: %s', (yaml) => {
    const environment = { PUENTE_TOKEN: 'abc' };
    const warnings = readConfig({ file: folder.write('x.yaml', yaml), environment, adapters }).listWarnings();
    expect(warnings.length).toBeGreaterThan(1);
    for (const warning of warnings)
      expect(shorten(warning)).toMatch(/^(?:x\.yaml(?::\d+)? [\w.[\]]+|PUENTE_\w+): [^:]+: [^:]+$/);
  });

  test('a deadline of a few milliseconds is a warning, because seconds may be meant', () => {
    const warn = (yaml: string) => read(yaml).listWarnings().map(shorten);
    expect(warn('http: { readDeadline: 8 }')).toEqual([
      'x.yaml:1 http.readDeadline: is 8 milliseconds, too short for most systems: did you mean 8000 (8 s)?',
    ]);
    expect(warn('guard: { operations: { getPatient: { deadline: 99 } } }')).toEqual([
      expect.stringMatching(/^x\.yaml:1 guard\.operations\.getPatient\.deadline: is 99 milliseconds/),
    ]);
    expect(warn('http: { readDeadline: 100, writeDeadline: 100 }')).toEqual([]);
  });

  test('behind a proxy, a keep-alive shorter than its own and a restart that nobody announces are warnings', () => {
    const warn = (yaml: string) => read(yaml).listWarnings().map(shorten);
    const proxy = (http: string, more = '') => `http: { trustedProxies: [127.0.0.1], ${http} }\n${more}`;
    const drain = 'shutdown: { drainDelay: 5000 }';
    expect(warn(proxy('keepAliveTimeout: 60001', drain))).toEqual([]);
    expect(warn(proxy('keepAliveTimeout: 60000', drain))).toEqual([
      expect.stringMatching(/^x\.yaml:1 http\.keepAliveTimeout: is not above the proxy’s idle timeout/),
    ]);
    const unannounced = [
      expect.stringMatching(/shutdown\.drainDelay: is 0 milliseconds, so a load balancer still sends requests/),
    ];
    expect(warn(proxy(''))).toEqual(unannounced);
    const shared = 'state: { kind: postgres, url: env:URL, encryptionKey: env:KEY }';
    expect(warn(shared)).toEqual([...unannounced, expect.stringMatching(/adapter\.name: memory stores/)]);
    expect(warn(`${shared}\n${drain}`)).toEqual([expect.stringMatching(/adapter\.name: memory stores/)]);
    expect(warn('http: { keepAliveTimeout: 5000 }')).toEqual([]);
    expect(warn('shutdown: { drainDelay: 5 }')).toEqual([expect.stringMatching(/drainDelay: is 5 milliseconds/)]);
    expect(warn('shutdown: { drainDelay: 3000 }')).toEqual([]);
  });

  test('a subnet of proxies that is nearly everybody is a warning', () => {
    const find = (subnets: string) => read(`http: { trustedProxies: [${subnets}] }`).listWarnings().map(shorten);
    const broad = find('0.0.0.0/0, 10.0.0.0/8, "::/0", "fd00::/8", 192.0.2.1').filter((line) => /trustedP/.test(line));
    expect(broad).toEqual([
      expect.stringMatching(/^x\.yaml:1 http\.trustedProxies\[0\]: trusts the X-Forwarded-For of a whole network/),
      expect.stringMatching(/^x\.yaml:1 http\.trustedProxies\[2\]: trusts/),
    ]);
  });

  test('an address on another host to which nothing is encrypted is a warning, wherever it stands', () => {
    const warn = (yaml: string) =>
      readConfig({ file: folder.write('x.yaml', yaml), environment: {}, adapters })
        .listWarnings()
        .map(shorten)
        .filter((line) => /exposes (the requests|its data)/.test(line));
    const open = (path: string) =>
      `x.yaml:1 ${path}: is plain http to another host, which exposes the requests: use https`;
    const fhir = (baseUrl: string, more = '') =>
      `adapter: { name: fhir, settings: { namespace: https://h.org.ar/fhir, baseUrl: ${baseUrl}${more} } }`;
    expect(warn(fhir('http://fhir.lan:8080/fhir'))).toEqual([open('adapter.settings.baseUrl')]);
    for (const local of ['http://localhost:8080/f', 'http://127.0.0.1/f', "'http://[::1]/f'", 'https://fhir.lan/f'])
      expect(warn(fhir(local))).toEqual([]);
    const login = '{ kind: oauth2-secret, tokenUrl: http://sso.lan/t, clientId: a, clientSecret: env:S }';
    expect(warn(fhir('https://fhir.lan', `, auth: ${login}, ticketFiles: { origins: [http://files.lan] }`))).toEqual([
      open('adapter.settings.auth.tokenUrl'),
      open('adapter.settings.ticketFiles.origins[0]'),
    ]);
    expect(warn('tracing: { url: http://otel.lan/v1/traces }')).toEqual([open('tracing.url')]);
    expect(
      warn('state: { kind: sqlite, file: a.db, encryptionKey: env:K }\naudit: { forward: { fhir: http://audit.lan } }'),
    ).toEqual([open('audit.forward.fhir').replace(':1', ':2')]);
    const webhook = 'webhook: { url: http://desk.lan, secret: env:S }';
    const database = 'kind: sqlite, file: a.db, encryptionKey: env:K, ticketTypes: []';
    expect(warn(`adapter: { name: local, settings: { ${database}, ${webhook} } }`)).toEqual([
      open('adapter.settings.webhook.url'),
    ]);
  });

  test.each([
    ['postgres://a:b@db.lan/x', true],
    ['postgresql://a:b@db.lan/x?sslmode=disable', true],
    ['postgres://a:b@db.lan/x?sslmode=verify-full', false],
    ['postgres://a:b@127.0.0.1/x', false],
    ['postgres://a:b@/x?host=/run/postgresql', false],
    ['postgres://a:b@%2Frun%2Fpostgresql/x', false],
  ])('a database at %s is a warning where records cross a network: %s', (url, isOpen) => {
    const file = folder.write('url', url);
    const yaml = `state: { kind: postgres, url: 'file:${file}', encryptionKey: env:K }`;
    const warnings = read(yaml)
      .listWarnings()
      .filter((line) => line.includes('state.url'));
    expect(warnings).toEqual(
      isOpen ? [expect.stringMatching(/database on another host without TLS.*sslmode=verify-full/)] : [],
    );
    expect(warnings.join()).not.toContain('db.lan');
  });

  test('an adapter that keeps records of one gateway is a warning where gateways share their state', () => {
    const warn = (yaml: string) =>
      readConfig({ file: folder.write('x.yaml', yaml), environment: {}, adapters })
        .listWarnings()
        .map(shorten);
    const announced = 'shutdown: { drainDelay: 5000 }\n';
    const database = (kind: string) => `kind: ${kind}, file: x.db, url: env:URL, encryptionKey: env:KEY`;
    const local = (kind: string, ports = 'ports: { tickets: { adapter: desk } }') =>
      `adapters: { desk: { name: local, settings: { ${database(kind)} } } }\n${ports}\n`;
    const mapping = 'adapter: { name: mapping, settings: { file: m.yaml } }\n';
    const shared = `${announced}state: { ${database('postgres')} }\n`;
    const records = 'stores the records of this gateway only, while state.kind postgres is for several gateways';
    expect(warn(`${shared}adapter: { name: memory }\n`)).toEqual([
      `x.yaml:3 adapter.name: memory ${records}: choose an adapter with shared records`,
    ]);
    expect(warn(shared)).toHaveLength(1);
    expect(warn(`${shared}${mapping}${local('sqlite')}`)).toEqual([
      `x.yaml:4 adapters.desk.settings.kind: sqlite ${records}: set it to postgres`,
    ]);
    expect(warn(`${shared}${mapping}${local('postgres')}`)).toEqual([]);
    expect(warn(`${shared}${mapping}${local('sqlite', '')}`)).toEqual([expect.stringMatching(/is not started/)]);
    expect(warn(`${announced}state: { ${database('sqlite')} }\n`)).toEqual([]);
  });

  test('an address of the examples is asked to be replaced, and one of the institution is not', () => {
    const warn = (namespace: string, others: Readonly<Record<string, string>> = {}) =>
      readConfig({
        file: 'config/fhir.yaml',
        environment: { PUENTE_ADAPTER_SETTINGS_NAMESPACE: namespace, ...others },
        adapters,
      }).listWarnings();
    expect(warn('https://hospital.example.org/fhir')).toEqual([
      'PUENTE_ADAPTER_SETTINGS_NAMESPACE: still has the example’s value: replace it',
    ]);
    expect(warn('https://hospital.org.ar/example.org')).toEqual([]);
    const systems = { PUENTE_ADAPTER_SETTINGS_SYSTEMS_MRN: '[https://his.example.org, https://hospital.org.ar/mrn]' };
    expect(warn('https://hospital.org.ar/fhir', systems)).toEqual([
      'PUENTE_ADAPTER_SETTINGS_SYSTEMS_MRN: still has the example’s value: replace it',
    ]);
  });

  test.each(['default', 'fhir'])('config/%s.yaml leaves the adapter time to answer before the deadline', (name) => {
    const environment = { PUENTE_TOKEN: 'token-for-this-test' };
    const warnings = readConfig({ file: `config/${name}.yaml`, environment, adapters }).listWarnings();
    // Its namespace is to be replaced, as its comment says.
    const examples =
      name === 'fhir' ? [expect.stringMatching(/ adapter\.settings\.namespace: still has the example’s value/)] : [];
    expect(warnings).toEqual(examples);
  });
});
