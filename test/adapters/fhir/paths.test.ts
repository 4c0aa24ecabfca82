import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encoded, escaped, isId, Paths, token } from '../../../adapters/fhir/url.ts';
import type { Call } from '../../../src/ports/index.ts';
import { type FhirPorts, fhirAdapter, settingsFor } from '../../support/fhir-adapter.ts';
import { callNow } from '../../support/fhir-calls.ts';

/** Every target that was asked for, byte for byte. */
const targets: string[] = [];
const empty = JSON.stringify({ resourceType: 'Bundle', type: 'searchset', total: 0 });
const server: Server = createServer((request, response) => {
  targets.push(`${request.headers.host}${request.url}`);
  request.resume();
  const isSearch = request.url?.includes('?') || request.url?.endsWith('/_search');
  response.writeHead(isSearch ? 200 : 404, { 'content-type': 'application/fhir+json' }).end(isSearch ? empty : '{}');
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
const { ports } = await fhirAdapter(
  settingsFor({ url: `http://${host}/base/fhir` }, { retries: 0, transactions: 'trust', cacheSeconds: 300 }),
);

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const person = { birthDate: '1990-01-01', gender: 'Female' } as const;
const relative = { relationshipCode: 2, relationshipDescription: '', active: true };

/** Every method that takes an id, with that id wherever it takes one. */
const works: readonly ((ports: FhirPorts, id: string, call: Call) => Promise<unknown>)[] = [
  ({ patients }, id, call) => patients.get(id, call),
  ({ patients }, id, call) => patients.update(id, { phone: '1' }, call),
  ({ patients }, id, call) => patients.search({ identifier: id }, call),
  ({ patients }, id, call) => patients.register({ identifier: { type: 'Passport', value: id }, ...person }, call),
  ({ tickets }, id, call) => tickets.type(id, call),
  ({ tickets }, id, call) => tickets.list(id, { ticketTypeId: id }, call),
  ({ tickets }, id, call) => tickets.open(id, id, { observations: '', fields: [] }, call),
  ({ appointments }, id, call) => appointments.list(id, { order: 'ascending' }, call),
  ({ appointments }, id, call) => appointments.slots({ serviceId: id, patientId: id, coverageId: id }, call),
  ({ appointments }, id, call) =>
    appointments.book(
      id,
      {
        serviceId: id,
        practitionerIds: [id],
        start: '2030-01-01T10:00:00',
        coverageId: id,
        slotId: id,
        locationId: id,
      },
      call,
    ),
  ({ appointments }, id, call) => appointments.cancel(id, id, call),
  ({ insurance }, id, call) => insurance.carriers({ ownerId: id }, call),
  ({ insurance }, id, call) => insurance.plans(id, call),
  ({ insurance }, id, call) => insurance.coverages(id, call),
  ({ insurance }, id, call) => insurance.create({ beneficiaryId: id, planId: id, credentialNumber: id }, call),
  ({ insurance }, id, call) => insurance.edit(id, { planId: id }, call),
  ({ practitioners }, id, call) => practitioners.mainOf(id, call),
  ({ practitioners }, id, call) => practitioners.requestChange(id, { reasonId: id, practitionerId: id }, call),
  ({ practitioners }, id, call) => practitioners.changeRequestOf(id, call),
  (all, id, call) => all['care-services'].available({ patientId: id, coverageId: id }, call),
  (all, id, call) => all['care-services'].frequent({ patientId: id, coverageId: id }, call),
  (all, id, call) => all['family-groups'].list(id, call),
  (all, id, call) => all['family-groups'].add(id, { relatedPatientId: id, ...relative }, call),
  (all, id, call) => all['family-groups'].remove(id, id, call),
];

// biome-ignore format: a list of words
const nasty = [
  '.', '..', '...', '../metadata', '..%2f..', '%2e%2e', 'a/../b', 'a\\..\\b', '/', '//evil.example/x', 'http://evil.example',
  '@evil.example', '1?x=1', '1#x', '1;x', 'a,b', 'a|b', 'a$b', 'a&b=c', '\u0000', '1\r\nX: y', 'a\tb', ' ', '', '_search',
  '$everything', '_history', 'ｆｕｌｌ', 'a b', '%', '+', `${'x'.repeat(65)}`, '~', "'", '"', '[::1]', '\ud800',
];

const ids = fc.oneof(
  fc.constantFrom(...nasty),
  fc.string({ unit: 'binary', maxLength: 70 }),
  fc.stringMatching(/^[./%a-zA-Z0-9_\\-]{1,12}$/),
  fc.stringMatching(/^[A-Za-z0-9.-]{1,64}$/),
);

const allowed = /^\/base\/fhir(\/[A-Z][A-Za-z]+(\/(_search|(?!\.{1,2}$)[A-Za-z0-9\-.]{1,64}))?)?$/;

describe('whatever id a caller sends', () => {
  test('the server sees no path but its base, a type, and a search or an id of the type', async () => {
    await fc.assert(
      fc.asyncProperty(ids, fc.constantFrom(...works), async (id, work) => {
        targets.length = 0;
        await work(ports, id, callNow()).catch((error: unknown) => {
          if (!(error instanceof Error && error.name === 'Failure')) throw error;
        });
        for (const target of targets) {
          expect(target.startsWith(`${host}/`)).toBe(true);
          expect(target.slice(host.length).split('?')[0]).toMatch(allowed);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a path', () => {
  const paths = new Paths('https://fhir.example.org/base/');

  test('is made of a type and an id', () => {
    expect(paths.to('Patient', 'a-1.b')).toBe('/Patient/a-1.b');
    expect(paths.to('Patient', '_search')).toBe('/Patient/_search');
    expect(paths.base).toBe('https://fhir.example.org/base');
  });

  test.each(nasty.filter((id) => !isId(id) && id !== '_search'))('is not made of %j', (id) => {
    expect(() => paths.to('Patient', id)).toThrow('not checked');
  });

  test.each([
    ['https://evil.example/elsewhere/Patient?_offset=20', '/Patient?_offset=20'],
    ['https://fhir.example.org/base?_getpages=x', '?_getpages=x'],
    ['Patient?page=2', '/Patient?page=2'],
    ['https://fhir.example.org/base/Patient/_search?_offset=20', '/Patient?_offset=20'],
  ])('of the next page after %s is %s', (link, path) => {
    expect(paths.next('Patient', link)).toBe(path);
  });
});

describe('a search', () => {
  test('escapes what means something within a value', () => {
    expect(escaped('a,b|c$d\\e')).toBe('a\\,b\\|c\\$d\\\\e');
    expect(token('http://s', 'a|b')).toBe('http://s|a\\|b');
  });

  test('repeats the name of a list and leaves out what is undefined', () => {
    expect(encoded({ date: ['ge2026', 'lt2027'], status: undefined, name: 'a b+c' })).toBe(
      'date=ge2026&date=lt2027&name=a%20b%2Bc',
    );
  });
});
