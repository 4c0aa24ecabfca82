import { createServer } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { run } from '../../../src/cli/doctor/run.ts';
import { makeCertificate } from '../../fault-server/certificate.ts';
import { startHospital } from '../../hospital-in-fhir/start.ts';
import { NS } from '../../hospital-in-fhir/terms.ts';
import { ConfigFolder } from '../../support/config-file.ts';
import { findLeaks } from '../../support/leak-detector.ts';
import { listen } from '../../support/listen.ts';
import { localPorts, saveKey } from '../../support/local-adapter.ts';
import { readPrinted } from '../../support/printed.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());
const { server, id } = await startHospital();
const root = join(import.meta.dirname, '../../..');

interface Check {
  readonly section: string;
  readonly check: string;
  readonly ok: boolean | null;
  readonly detail: string;
  readonly fix?: string;
}

/** Runs the command without a terminal, and returns what it printed. */
function print(config?: object | string, options: { patient?: string[]; json?: true } = {}) {
  const file = typeof config === 'object' ? folder.write('doctor.yaml', stringify(config)) : config;
  const given = { ...options, environment: {}, ...(file !== undefined && { config: file }) };
  return readPrinted((output) => run(given, output));
}

/** The same as data. */
async function diagnose(config: object, patient: string[] = []) {
  const { code, printed } = await print(config, { json: true, patient });
  const { healthy, checks }: { healthy: boolean; checks: Check[] } = JSON.parse(printed);
  return { code, healthy, checks, printed };
}

const findDetails = (checks: readonly Check[], check: string) =>
  checks.filter((each) => each.check === check).map(({ detail }) => detail);

const inFrontOf = (baseUrl: string) => ({ adapter: { name: 'fhir', settings: { baseUrl, namespace: NS } } });

describe('puente doctor', () => {
  test('finds the gateway healthy that comes with Puente, and asks five of many carriers and services', async () => {
    const { code, printed } = await print();
    expect(code).toBe(0);
    expect(printed).toMatch(/^gateway\n {2}✔ configuration: config\/default\.yaml is valid\n/);
    expect(printed).toMatch(/\nmemory\n(?: {2,}.+\n)+/);
    expect(printed).toMatch(/\n {2}✔ listPractitioners: \d+ records \(\d+ ms\)\n/);
    expect(printed).toMatch(/\n {2}✔ listPlans: \d+ records in 5 answers /);
    expect(printed).toMatch(/\n {2}✔ searchAvailableAppointments: \d+ records in 5 answers /);
    expect(printed).toMatch(/\n {2}✔ getAvailableSlots: \d+ records in 5 answers /);
    expect(printed.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(printed).toMatch(/\n✔ healthy: \d+ right, 0 wrong, \d+ for you to decide\n$/);
  });

  test('says what is wrong in 80 columns, with what to do about it', async () => {
    const { code, printed } = await print({ ...inFrontOf('http://127.0.0.1:9/fhir') });
    expect(code).toBe(1);
    expect(printed).toContain(
      [
        'fhir',
        '  ✖ backend_unreachable: the capabilities of the FHIR server could not be read',
        '    (ECONNREFUSED); the gateway retries every 15 seconds: check the server,',
        '    baseUrl and auth',
        '  ✖ connection: 127.0.0.1 accepts no connections on port 9 (ECONNREFUSED)',
        '      → start the server, or correct host and port in baseUrl',
        '  · operations: skipped until the ✖ above is corrected',
        '',
        '✖ not healthy: 2 right, 2 wrong, 2 for you to decide',
      ].join('\n'),
    );
    expect(printed.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('finds a client certificate wrong that has ended, for which the server answers nothing', async () => {
    const [authority, ours] = [makeCertificate(), makeCertificate({ days: -1 })];
    const fhir = createServer({ ...authority, requestCert: true, ca: ours.cert });
    const baseUrl = `https://127.0.0.1:${await listen(fhir)}/fhir`;
    const tls = {
      ca: folder.write('ca.pem', authority.cert),
      cert: folder.write('cert.pem', ours.cert),
      key: `file:${folder.write('key.pem', ours.key)}`,
    };
    const { code, checks, printed } = await diagnose({ adapter: { name: 'fhir', settings: { baseUrl, tls } } });
    expect(code).toBe(1);
    expect(checks).toContainEqual({
      section: 'gateway',
      check: 'certificate',
      ok: false,
      detail: expect.stringMatching(/adapter\.settings\.tls\.cert: a certificate in .*cert\.pem ended on 20/),
      fix: expect.stringMatching(/^renew it/),
    });
    expect(checks.findLast(({ section, ok }) => section === 'fhir' && ok === false)?.fix).toContain('tls.cert');
    expect(printed).not.toContain('BEGIN');
  });

  test('shows each problem of a configuration that cannot be used, and exits with 2', async () => {
    const { code, healthy, checks } = await diagnose({ http: { port: 'x' }, logs: 1 });
    expect({ code, healthy }).toEqual({ code: 2, healthy: false });
    expect(checks).toEqual([
      expect.objectContaining({
        check: 'configuration',
        detail: expect.stringMatching(/:2 http\.port: must be a whole/),
      }),
      expect.objectContaining({ check: 'configuration', detail: expect.stringMatching(/logs: unknown setting/) }),
    ]);
  });

  describe('in front of a FHIR server with records that cannot be shown', () => {
    let roleId = '';
    let diagnosis: Awaited<ReturnType<typeof diagnose>>;
    let sent: string[] = [];
    beforeAll(async () => {
      const [role] = await server.search('PractitionerRole');
      if (!role) throw new Error('there is no role');
      roleId = role.id;
      for (const each of await server.search('Practitioner')) server.load({ ...each, telecom: [] });
      for (const each of await server.search('PractitionerRole')) server.load({ ...each, telecom: [] });
      server.load({ ...role, telecom: [], availableTime: [{ availableStartTime: 'nine' }] });
      server.load({ ...(await server.read('Coverage', id('Coverage/ana-osde'))), period: { end: 'some day' } });
      diagnosis = await diagnose(inFrontOf(server.url), [id('Patient/ana')]);
      sent = server.requests.all.map(
        ({ method, path, headers }) => `${method} ${path}${headers['if-none-exist'] ? ' that must fail' : ''}`,
      );
    });

    test('only reads, and tries all that reads when patients are named', () => {
      expect(sent.filter((each) => !/^GET |_search$|that must fail$/.test(each))).toEqual([]);
      expect(findDetails(diagnosis.checks, 'not tried')).toEqual([
        'searchPatients',
        expect.stringMatching(/^\d+ operations that write/),
      ]);
    });

    test('names them by type, element and id, and nothing else is wrong', () => {
      expect(diagnosis.code).toBe(1);
      const wrong = diagnosis.checks.filter(({ ok }) => ok === false);
      expect(wrong.toSorted((a, b) => (a.detail < b.detail ? -1 : 1))).toEqual([
        expect.objectContaining({
          detail: `Coverage/${id('Coverage/ana-osde')} is omitted, because of its period/end`,
        }),
        {
          section: 'fhir',
          check: 'record left out',
          ok: false,
          detail: `PractitionerRole/${roleId} is omitted, because of its availableTime/availableStartTime`,
          fix: 'correct this element in the institution’s system',
        },
      ]);
    });

    test('prints no value of a patient', () => {
      expect(findLeaks(diagnosis.printed.replaceAll('America/Argentina/Buenos_Aires', ''))).toEqual([]);
    });

    test('shows the hours of its free times, which a wrong zone would shift', () => {
      expect(findDetails(diagnosis.checks, 'opening hours')).toEqual([
        expect.stringMatching(/^free times begin between 0\d:\d\d and 1\d:\d\d in America\/Argentina\/Buenos_Aires$/),
      ]);
    });
  });

  test('blames the limit, and no record, for lists that are too long', async () => {
    server.reset();
    for (let number = 0; number < 51; number++) {
      server.load({ resourceType: 'Schedule', id: `more-${number}`, actor: [{ display: 'a device' }] });
    }
    const { settings } = inFrontOf(server.url).adapter;
    const { checks } = await diagnose({
      adapter: { name: 'fhir', settings: { ...settings, limits: { entries: 50 } } },
    });
    server.reset();
    const wrong = checks.filter(({ ok, section }) => ok === false && section === 'fhir');
    expect(wrong.map(({ check }) => check)).toEqual(expect.arrayContaining(['size of the catalogue', 'free slots']));
    expect(wrong.filter(({ detail, fix = detail }) => !fix.includes('limits.entries'))).toEqual([]);
    expect(wrong.map(({ check }) => check)).toContain('searchAvailableAppointments');
    expect(findDetails(checks, 'opening hours')).toEqual([]);
  });

  test('tells once of ids that no URL can carry, and how many there are', async () => {
    server.reset();
    for (const bad of ['a b', 'c/d'])
      server.load({ ...(await server.read('Practitioner', id('Practitioner/paz'))), id: bad });
    const { checks } = await diagnose(inFrontOf(server.url));
    server.reset();
    expect(findDetails(checks, 'record left out')).toEqual([
      '2 Practitioner records omitted, because an id is not valid in a URL, e.g. with a blank or a slash',
    ]);
  });

  test('tells of lists that are empty where an institution has something', async () => {
    const { code, checks } = await diagnose({
      adapter: { name: 'fhir', settings: { baseUrl: server.url, namespace: 'https://other.example.org/fhir' } },
    });
    expect(code).toBe(1);
    expect(checks.find(({ check }) => check === 'searchHealthCareServices')).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^no record \(\d+ ms\), so no patient can book$/),
    });
  });

  test('speaks of each adapter, and of what it has alone', async () => {
    const settings = { file: `${folder.path}/local.db`, encryptionKey: saveKey() };
    const { checks } = await diagnose(
      { ...inFrontOf(server.url), adapters: { local: { settings } }, ports: localPorts },
      [id('Patient/bruno')],
    );
    expect(checks.filter(({ section, ok }) => section === 'local' && ok === false)).toEqual([]);
    expect(checks.filter(({ section }) => section === 'local').map(({ check }) => check)).toEqual(
      expect.arrayContaining(['database', 'listTickets', 'listFamilyGroup']),
    );
    expect(checks.filter(({ section, check }) => section === 'fhir' && check === 'listTickets')).toEqual([]);
    expect(findDetails(checks, 'database')).toEqual([
      'sqlite answers: 0 tickets, 0 relatives, 0 requests for a change',
    ]);
    expect(findDetails(checks, 'database file')).toEqual([
      `the SQLite file ${settings.file} of an adapter does not exist yet: the gateway creates it at its start`,
    ]);
  });

  test('prints first what an adapter reports of itself, as /readyz would, and examines it all the same', async () => {
    const module = folder.write(
      'reporting.mjs',
      `import { z } from '${root}/node_modules/zod/index.js';
      const report = async () => ({
        backend: 'turnos 7',
        impairments: [{ code: 'nightly_backup', detail: 'the backup runs, wait until six' }],
      });
      async function* examine() {
        yield { check: 'tables', ok: true, detail: '21 are there' };
      }
      const offer = ({ fails }) => ({
        readiness: { report: fails ? async () => { throw new TypeError('Ana Ferreyra'); } : report, examine },
      });
      export default { api: 2, settings: z.object({ fails: z.boolean().default(false) }), offer };`,
    );
    const { code, checks } = await diagnose({ adapter: { module } });
    expect(code).toBe(1);
    const ofAdapter = (all: readonly Check[]) => all.filter(({ section }) => section === 'reporting').slice(0, 2);
    expect(ofAdapter(checks)).toMatchObject([
      { check: 'nightly_backup', ok: false, detail: 'the backup runs, wait until six' },
      { check: 'tables', ok: true },
    ]);
    const failing = await diagnose({ adapter: { module, settings: { fails: true } } });
    expect(ofAdapter(failing.checks)).toMatchObject([
      { check: 'readiness', ok: false, detail: 'the adapter cannot report on itself (TypeError)' },
      { check: 'tables', ok: true },
    ]);
  });

  test('says which operation fails, by code and element, without a word of the backend', async () => {
    const module = folder.write(
      'broken.mjs',
      `import { z } from '${root}/node_modules/zod/index.js';
      export default {
        api: 2,
        settings: z.object({}),
        offer: () => ({
          practitioners: { list: async () => { throw new Error('Ana Ferreyra'); } },
          directory: { locations: async () => [{ id: 'a', name: 5, address: {} }], entries: async () => [] },
        }),
      };`,
    );
    const { code, checks, printed } = await diagnose({ adapter: { module } });
    expect(code).toBe(1);
    expect(
      checks
        .filter(({ section, ok }) => section !== 'gateway' && ok === false)
        .map(({ check, detail }) => [check, detail]),
    ).toEqual([
      [
        'listPractitioners',
        expect.stringMatching(/^500 internal_error \(the adapter threw Error at .*\/broken\.mjs:\d+:\d+\)$/),
      ],
      [
        'listLocations',
        expect.stringMatching(
          /^502 backend_invalid_response \(a response of the adapter has a wrong value at locations\/0\/name: /,
        ),
      ],
    ]);
    expect(checks.find(({ check }) => check === 'getMedicalDirectory')?.ok).toBeNull();
    expect(findLeaks(printed)).toEqual([]);
  });

  test('opens no SQLite file that is not there yet, and no key that does not fit', async () => {
    const state = { kind: 'sqlite', file: `${folder.path}/state.db`, encryptionKey: saveKey() };
    const { checks } = await diagnose({ state });
    expect(findDetails(checks, 'state')).toEqual([
      'the SQLite file does not exist yet: the gateway creates it at its start',
    ]);
  });
});
