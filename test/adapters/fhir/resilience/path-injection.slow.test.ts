import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodeQuery, escapeValue, formatToken } from '../../../../adapters/fhir/rest/query.ts';
import { ServerPaths } from '../../../../adapters/fhir/rest/transport.ts';
import { isId } from '../../../../adapters/fhir/schema/datatypes.ts';
import type { Call } from '../../../../src/ports/index.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { connect, type FhirPorts } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { serve } from '../../../support/listen.ts';

/** Every target that was asked for, byte for byte. */
const targets: string[] = [];
const empty = JSON.stringify({ resourceType: 'Bundle', type: 'searchset', total: 0 });
const url = await serve((request, response) => {
  targets.push(`${request.headers.host}${request.url}`);
  request.resume();
  const isSearch = request.url?.includes('?') || request.url?.endsWith('/_search');
  response.writeHead(isSearch ? 200 : 404, { 'content-type': 'application/fhir+json' }).end(isSearch ? empty : '{}');
});
const { host } = new URL(url);
const { ports } = await connect({ url: `${url}/base/fhir` }, { retries: 0, transactions: 'trust', cacheSeconds: 300 });

const { server: inhabited, id: inhabitedId } = await startHospital();

/** When Dr Paz has time, in local time. */
const start =
  (await inhabited.search('Slot', 'status=free&_sort=-start'))
    .find(({ schedule }) => schedule.reference === `Schedule/${inhabitedId('Schedule/paz-central')}`)
    ?.start.slice(0, 19) ?? '';

const person = { birthDate: '1990-01-01', gender: 'Female' } as const;
const relative = { relationshipCode: 2, relationshipDescription: '', active: true };

type Id = (name: string) => string;

/** Every method that takes an id, with an id for everything that it names. */
const works: readonly ((ports: FhirPorts, id: Id, call: Call) => Promise<unknown>)[] = [
  ({ patients }, id, call) => patients.get(id('Patient/ana'), call),
  ({ patients }, id, call) => patients.update(id('Patient/ana'), { phone: '1' }, call),
  ({ patients }, id, call) => patients.search({ identifier: id('Patient/ana') }, call),
  ({ patients }, id, call) =>
    patients.register({ identifier: { type: 'Passport', value: id('Patient/ana') }, ...person }, call),
  ({ patients }, id, call) =>
    patients.update(id('Patient/ana'), { identifier: { type: 'Other', value: id('Patient/ana') } }, call),
  ({ tickets }, id, call) => tickets.type(id('Questionnaire/receta'), call),
  ({ tickets }, id, call) => tickets.list(id('Patient/ana'), { ticketTypeId: id('Questionnaire/receta') }, call),
  ({ tickets }, id, call) =>
    tickets.open(id('Patient/ana'), id('Questionnaire/receta'), { observations: '', fields: [] }, call),
  ({ appointments }, id, call) => appointments.list(id('Patient/ana'), { order: 'ascending' }, call),
  ({ appointments }, id, call) =>
    appointments.slots(
      {
        serviceId: id('HealthcareService/consulta-clinica'),
        patientId: id('Patient/ana'),
        coverageId: id('Coverage/ana-osde'),
        practitionerId: id('Practitioner/paz'),
        locationId: id('Location/central'),
      },
      call,
    ),
  ({ appointments }, id, call) =>
    appointments.book(
      id('Patient/ana'),
      {
        serviceId: id('HealthcareService/consulta-clinica'),
        practitionerIds: [id('Practitioner/paz'), id('Practitioner/vidal')],
        start,
        coverageId: id('Coverage/ana-osde'),
        slotId: id('Slot/none'),
        locationId: id('Location/central'),
      },
      call,
    ),
  ({ appointments }, id, call) => appointments.cancel(id('Patient/ana'), id('Appointment/turno-ana-1'), call),
  ({ insurance }, id, call) => insurance.carriers({ ownerId: id('Organization/sanatorio-del-puente') }, call),
  ({ insurance }, id, call) => insurance.plans(id('Organization/osde'), call),
  ({ insurance }, id, call) => insurance.coverages(id('Patient/ana'), call),
  ({ insurance }, id, call) =>
    insurance.create(
      {
        beneficiaryId: id('Patient/ana'),
        planId: id('InsurancePlan/osde-210'),
        credentialNumber: id('Coverage/ana-osde'),
      },
      call,
    ),
  ({ insurance }, id, call) =>
    insurance.edit(
      id('Coverage/ana-osde'),
      { planId: id('InsurancePlan/osde-210'), credentialNumber: id('Coverage/ana-osde') },
      call,
    ),
  ({ practitioners }, id, call) => practitioners.mainOf(id('Patient/ana'), call),
  ({ practitioners }, id, call) =>
    practitioners.requestChange(
      id('Patient/ana'),
      { reasonId: id('horario'), practitionerId: id('Practitioner/paz') },
      call,
    ),
  ({ practitioners }, id, call) => practitioners.changeRequestOf(id('Patient/ana'), call),
  (all, id, call) =>
    all['care-services'].available({ patientId: id('Patient/ana'), coverageId: id('Coverage/ana-osde') }, call),
  (all, id, call) =>
    all['care-services'].frequent({ patientId: id('Patient/ana'), coverageId: id('Coverage/ana-osde') }, call),
  (all, id, call) => all['family-groups'].list(id('Patient/ana'), call),
  (all, id, call) =>
    all['family-groups'].add(id('Patient/bruno'), { relatedPatientId: id('Patient/elena'), ...relative }, call),
  (all, id, call) => all['family-groups'].remove(id('Patient/ana'), id('RelatedPerson/ana-bruno'), call),
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

const allowed = /^(\/[A-Z][A-Za-z]+(\/(_search|(?!\.{1,2}$)[A-Za-z0-9\-.]{1,64}))?)?$/;

/** Does the work, which may fail in any way that a port may, and looks at what the server was asked for. */
async function expectAllowed(work: () => Promise<unknown>, asked: () => readonly string[], at: string): Promise<void> {
  await work().catch((error: unknown) => {
    if (!(error instanceof Error && error.name === 'Failure')) throw error;
  });
  for (const target of asked()) {
    expect(target.startsWith(at)).toBe(true);
    expect(target.slice(at.length).split('?')[0]).toMatch(allowed);
  }
}

describe('whatever id a caller sends', () => {
  test('an empty server sees no path but its base, a type, and a search or an id of the type', async () => {
    await fc.assert(
      fc.asyncProperty(ids, fc.constantFrom(...works), async (id, work) => {
        targets.length = 0;
        await expectAllowed(
          () => work(ports, () => id, callNow()),
          () => targets,
          `${host}/base/fhir`,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test('together with others that are right, a server with a hospital sees none either', async () => {
    const origin = inhabited.url.replace('http://', '');
    const adapter = await connect(inhabited, { retries: 0, transactions: 'trust' });
    await fc.assert(
      fc.asyncProperty(ids, fc.constantFrom(...works), fc.nat(5), async (nasty, work, place) => {
        let turn = 0;
        const id: Id = (name) => (turn++ === place ? nasty : (inhabited.ids.get(name) ?? name));
        inhabited.requests.reset();
        const asked = () => inhabited.requests.all.map(({ headers, target }) => `${headers.host}${target}`);
        await expectAllowed(() => work(adapter.ports, id, callNow()), asked, origin);
      }),
      { numRuns: 400 },
    );
    expect(inhabited.fileRequests.all).toEqual([]);
  });
});

describe('a path', () => {
  const paths = new ServerPaths('https://fhir.example.org/base/');

  test('is made of a type and an id', () => {
    expect(paths.build('Patient', 'a-1.b')).toBe('/Patient/a-1.b');
    expect(paths.build('Patient', '_search')).toBe('/Patient/_search');
    expect(paths.base).toBe('https://fhir.example.org/base');
  });

  test.each(nasty.filter((id) => !isId(id) && id !== '_search'))('is not made of %j', (id) => {
    expect(() => paths.build('Patient', id)).toThrow('not validated');
  });

  test.each([
    ['https://evil.example/elsewhere/Patient?_offset=20', '/Patient?_offset=20'],
    ['https://fhir.example.org/base?_getpages=x', '?_getpages=x'],
    ['Patient?page=2', '/Patient?page=2'],
    ['https://fhir.example.org/base/Patient/_search?_offset=20', '/Patient?_offset=20'],
    ['https://fhir.example.org/base/_snapshot?id=7#top', '/_snapshot?id=7'],
    ['https://fhir.example.org/base/Patient/?_page_token=x', '/Patient/?_page_token=x'],
    ['https://fhir.example.org/base/../admin?page=2', '?page=2'],
    ['https://evil.example/base/_snapshot?id=7', '?id=7'],
    ['https://fhir.example.org:8443/base/_snapshot?id=7', '?id=7'],
  ])('of the next page after %s is %s', (link, path) => {
    expect(paths.parseNextLink('Patient', link)).toBe(path);
  });
});

describe('a search', () => {
  test('escapes what means something within a value', () => {
    expect(escapeValue('a,b|c$d\\e')).toBe('a\\,b\\|c\\$d\\\\e');
    expect(formatToken('http://s', 'a|b')).toBe('http://s|a\\|b');
  });

  test('repeats the name of a list and leaves out what is undefined', () => {
    expect(encodeQuery({ date: ['ge2026', 'lt2027'], status: undefined, name: 'a b+c' })).toBe(
      'date=ge2026&date=lt2027&name=a%20b%2Bc',
    );
  });
});
