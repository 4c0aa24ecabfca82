import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { type InitOptions, initMap } from '../../../src/cli/contract/init.ts';
import { readMap } from '../../../src/cli/contract/map.ts';
import type { CommandContext } from '../../../src/cli/contract/options.ts';
import { findConfigOf } from '../../../src/cli/contract/options.ts';
import { type ContractOptions, checkContract } from '../../../src/cli/contract/run.ts';
import { sandbox } from '../../../src/contract/index.ts';
import { capabilities } from '../../../src/ports/index.ts';
import { ConfigFolder } from '../../support/config-file.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { serve } from '../../support/listen.ts';
import { readPrinted } from '../../support/printed.ts';

const folder = new ConfigFolder();
let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({ environment: { PUENTE_API_PATHS: '{ getAppointment: GET /turnos }' } });
});
afterAll(async () => {
  await gateway.stop();
  folder.remove();
});

/** Does something with what a process would give it, and returns what was printed. */
function run(act: (context: CommandContext) => Promise<number>, token = gateway.token) {
  const { signal } = new AbortController();
  const environment = { PUENTE_CONTRACT_TOKEN: token };
  return readPrinted((output) => act({ ...output, environment, signal, progress: { write: () => {} } }));
}

const init = (options: InitOptions) => run((context) => initMap(options, context));
const check = (options: ContractOptions, token?: string) => run((context) => checkContract(options, context), token);

const omitPaths = (values: object, paths: readonly string[], prefix = ''): object =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([key]) => !paths.includes(`${prefix}${key}`))
      .map(([key, value]) => [key, value?.constructor === Object ? omitPaths(value, paths, `${key}.`) : value]),
  );

/** A server that is not Puente, and has one operation. */
const serveForeign = () =>
  serve((req, res) => {
    const found = req.url === '/location/';
    const address = { street: '', number: '', city: '', state: '', country: '', zip_code: '' };
    const locations = ['north', 'south'].map((id) => ({ id, name: id, address }));
    res.writeHead(found ? 200 : 404, { 'Content-Type': found ? 'application/json' : 'text/html' });
    res.end(found ? JSON.stringify({ locations }) : '<p>');
  });

describe('puente contract init', () => {
  test('fills in what the configuration says, and marks the rest', async () => {
    const out = join(folder.path, 'sandbox.yaml');
    const { code, printed } = await init({ config: findConfigOf('memory'), out });
    expect(code).toBe(0);
    expect(printed).toMatch(new RegExp(`^wrote ${out}: fill in the \\d+ fixtures at the marks TODO\n`));
    expect(printed).toContain(` --map ${out}\n`);
    const { timeZone, locale, bookingHorizonDays } = sandbox;
    expect(readMap(out)).toEqual({
      ...{ timeZone, locale, bookingHorizonDays, unknown: 'puente-contract-unknown' },
      ...{
        patients: {},
        appointments: {},
        slots: {},
        coverages: {},
        plans: {},
        carriers: {},
        services: {},
        practitioners: {},
        locations: {},
      },
    });
    expect(readFileSync(out, 'utf8')).toContain('  bookable: # TODO\n');
  });

  test('leaves to a person what a server does not say of itself', async () => {
    const out = join(folder.path, 'gateway.yaml');
    const { printed } = await init({ url: gateway.url, out });
    expect(printed).toContain(`Next: npm run puente -- contract --url ${gateway.url} --map ${out}\n`);
    expect(readFileSync(out, 'utf8')).toContain('timeZone: # TODO e.g. America/Argentina/Buenos_Aires\n');
    expect(readMap(out)).not.toHaveProperty('offers');
  });

  test('writes a file that only its owner may read, and anew only when it is told to', async () => {
    const out = join(folder.path, 'mine.yaml');
    await init({ url: gateway.url, out });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const written = readFileSync(out, 'utf8');
    writeFileSync(out, `# mine\n${written}`);
    expect((await init({ url: gateway.url, out })).printed).toContain('mine.yaml already has all fixtures\n');
    expect(readFileSync(out, 'utf8')).toBe(`# mine\n${written}`);
    expect((await init({ url: gateway.url, out, force: true })).code).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe(written);
  });

  test('drafts what some records say once the file says which, for somebody to confirm', async () => {
    const out = join(folder.path, 'records.yaml');
    const { records, ...named } = sandbox;
    writeFileSync(out, stringify(named));
    const { printed } = await init({ url: gateway.url, out });
    expect(printed).toMatch(/marked TODO if they need a value: [^\n]*records.patients/);
    expect(readFileSync(out, 'utf8')).toMatch(/ TODO\n {2}patients:\n {4}- \{"id":"ana","name":"Ana"/);
    const { records: drafted } = readMap(out);
    expect(drafted?.patients?.[0]).toMatchObject(records.patients[0]!);
    expect(drafted?.practitioners?.map(({ id }) => id)).toEqual(['paz', 'vidal']);
    expect(drafted?.coverages?.map(({ id, active }) => [id, active])).toEqual([
      ['ana-osde', 'true'],
      ['ana-swiss', 'false'],
    ]);
    expect(drafted?.appointments).toContainEqual(
      expect.objectContaining({ patient_id: 'raul-escudero', payments: expect.objectContaining({ status: 'paid' }) }),
    );
    expect(drafted?.places?.[0]).toMatchObject({ id: 'dir-sede-central', latitude: '-34.6213', longitude: '-58.3917' });
    expect(Object.keys(drafted?.appointments?.[0] ?? {})).not.toContain('cancelable');
    expect((await check({ url: gateway.url, map: out, only: 'records.' })).printed).toContain('6 passed, 0 failed');
  });

  test('adds to a file what it lacks, says what, and keeps every line of it', async () => {
    const out = join(folder.path, 'partial.yaml');
    const mine = [
      '# mine',
      'patients: # of ours',
      '',
      '    # Ana',
      '    complete: "1"',
      'plans: { accepted: "2" }',
      'services:',
    ];
    writeFileSync(out, mine.join('\n'));
    const { printed } = await init({ config: findConfigOf('memory'), out });
    expect(printed).toMatch(
      /partial.yaml, marked TODO if they need a value: [^\n]*patients.bare[^\n]*services.bookable/,
    );
    expect(printed).toMatch(
      /Add these yourself, because their sections are in braces, in quotes or indented: plans.another, plans.refused, plans.withdrawn/,
    );
    const lines = readFileSync(out, 'utf8').split('\n');
    expect(lines.filter((line) => mine.includes(line)).filter(Boolean)).toEqual(mine.filter(Boolean));
    expect(lines).toContain('    bare: # TODO');
    expect(lines).toContain('  bookable: # TODO');
    expect(readMap(out)).toMatchObject({
      patients: { complete: '1' },
      plans: { accepted: '2' },
      bookingHorizonDays: 60,
    });
    const once = readFileSync(out, 'utf8');
    const { printed: again } = await init({ config: findConfigOf('memory'), out });
    expect(again).toMatch(/^Add these yourself, .*: plans\.another, plans\.refused, plans\.withdrawn\n/);
    expect(readFileSync(out, 'utf8')).toBe(once);
  });

  test('leaves a file as it is that is no map', async () => {
    const out = join(folder.path, 'broken.yaml');
    writeFileSync(out, 'patient: {}\n');
    await expect(init({ url: gateway.url, out })).rejects.toMatchObject({
      problems: [expect.stringContaining('broken.yaml:1 patient')],
    });
    expect(readFileSync(out, 'utf8')).toBe('patient: {}\n');
  });

  test('lets a person say what a server offers that does not say it itself', async () => {
    const url = await serveForeign();
    const out = join(folder.path, 'foreign.yaml');
    await init({ url, out });
    const text = readFileSync(out, 'utf8');
    expect(text).toContain('  # - patients.register # TODO\n');
    const filled = [
      ['# - directory.locations # TODO', '- directory.locations'],
      ['  first: # TODO', '  first: north'],
      ['  another: # TODO\n\nticketType', '  another: south\n\nticketType'],
    ] as const;
    writeFileSync(
      out,
      filled.reduce((whole, [mark, value]) => whole.replace(mark, value), text),
    );
    await expect(check({ url })).rejects.toThrow('has no /capabilities, so a map must list the offered operations');
    const { printed } = await check({ url, map: out, only: 'GET /location/' });
    expect(printed).toContain(`over HTTP · level safe · 1 of ${capabilities.length} capabilities offered\n`);
    expect(printed).toMatch(/\n2 passed, 0 failed, 0 skipped/);
  });
});

describe('puente contract over HTTP', () => {
  const map = folder.write('map.yaml', stringify(omitPaths(sandbox, ['owner', 'patients.spare'])));

  test('is safe unless it is asked for more, and skips what needs a fixture that the map does not name', async () => {
    const { code, printed } = await check({ url: gateway.url, map, only: 'insurance.carriers' });
    expect(code).toBe(0);
    expect(printed).toContain('     2  the fixtures do not name owner\n');
    expect(printed).toMatch(/\n[1-9]\d* passed, 0 failed, [1-9]\d* skipped/);
  });

  test('cancels what it booked, and says what stays there', async () => {
    const { code, printed } = await check({ url: gateway.url, map, level: 'destructive', only: 'appointments.book.*' });
    expect(code).toBe(0);
    expect(printed).toMatch(
      /\ncleaned up: \d+ appointments canceled\nleft there, because the API cannot delete it: \d+ patients/,
    );
    expect(printed).not.toContain('not cleaned up');
  });

  test('follows routes of Group B that the gateway has elsewhere', async () => {
    const json = join(folder.path, 'routes.json');
    expect((await check({ url: gateway.url, map, only: 'GET /v1/appointments', json })).code).toBe(0);
    expect(readFileSync(json, 'utf8')).toMatch(/curl .*\/turnos\?/);
  });

  test('puts neither the token nor a patient of the map into a report', async () => {
    const [json, junit] = ['j', 'x'].map((name) => join(folder.path, name)) as [string, string];
    await check({ url: gateway.url, map, only: 'patients', json, junit });
    const text = [json, junit].map((path) => readFileSync(path, 'utf8')).join('\n');
    expect(text).toContain('$patients_complete');
    const ofPatient = ['31465466', '31.465.466', '1985-11-30', '1985/11/30', 'Ferreyra', 'AAB123456'];
    for (const secret of [gateway.token, ...ofPatient]) expect(text).not.toContain(secret);
  });

  test('cannot run where nobody answers, or the token is refused, or the address is none', async () => {
    await expect(check({ url: 'http://127.0.0.1:9' })).rejects.toThrow('http://127.0.0.1:9 cannot be reached');
    await expect(check({ url: gateway.url }, 'wrong')).rejects.toThrow('refuses the token (401): check it');
    await expect(check({ url: gateway.url }, 'two words')).rejects.toThrow(/^PUENTE_CONTRACT_TOKEN holds no token$/);
    await expect(check({ url: 'ftp://x' })).rejects.toThrow('--url must be an http or https URL');
    await expect(check({ url: 'http://me:secret@x' })).rejects.toThrow('must contain no user and password');
  });

  test.each([503, 502, 429])(
    'does not take a gateway that answers %i now for one without /capabilities',
    async (status) => {
      const url = await serve((_req, res) => res.writeHead(status).end());
      const out = join(folder.path, 'busy.yaml');
      const problem = `${url}/capabilities answers ${status}: run this command again when the gateway is ready`;
      await expect(check({ url })).rejects.toThrow(problem);
      await expect(init({ url, out })).rejects.toThrow(problem);
      expect(existsSync(out)).toBe(false);
    },
  );

  test('names its own option when it cannot read the file', async () => {
    const refused = init({ config: findConfigOf('memory'), out: folder.path });
    await expect(refused).rejects.toThrow('is a folder: name a file, or set another one with --out');
  });
});
