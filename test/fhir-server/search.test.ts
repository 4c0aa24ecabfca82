import { describe, expect, test } from '@jest/globals';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { NS } from '../hospital-in-fhir/terms.ts';
import { call, listFound, search } from './caller.ts';

const { server } = await startHospital();

/** Turns every `Type/name` of the hospital in a query into the server's reference. */
const replaceNames = (query: string): string =>
  query.replaceAll(/\b([A-Z][A-Za-z]+)\/([a-z][\w.-]*)/g, (whole) => {
    const id = server.ids.get(whole);
    return id === undefined ? whole : `${whole.split('/')[0]}/${id}`;
  });

/** The names of what a search finds. */
async function findNames(query: string, mode: 'match' | 'include' = 'match'): Promise<string[]> {
  const reply = await search(`${server.url}/${replaceNames(query)}`);
  expect(reply.status).toBe(200);
  const byId = new Map([...server.ids].map(([name, id]) => [`${name.split('/')[0]}/${id}`, name]));
  return listFound(reply, mode).map((reference) => byId.get(reference)?.split('/')[1] ?? reference);
}

const ownSystem = (name: string): string => `${NS}/CodeSystem/${name}`;
const DNI = 'http://www.renaper.gob.ar/dni|31465466';

describe('the search of the FHIR stand-in', () => {
  test.each([
    [`Patient?identifier=${DNI}`, ['ana']],
    [`Patient?identifier=${DNI},http://renaper.gob.ar/dni|31465466`, ['ana']],
    ['Patient?identifier=http://renaper.gob.ar/dni|31465466', []],
    ['Patient?identifier=31465466&gender=female&birthdate=1985-11-30', ['ana']],
    ['Patient?identifier=31465466&gender=male,other', []],
    ['Patient?identifier=AAB123456', ['dario']],
    ['Patient?identifier=aab123456', []],
    ['Patient?identifier=http://www.renaper.gob.ar/dni|&gender=other', []],
    ['Patient?identifier=|31465466', []],
    ['Patient?general-practitioner=Practitioner/paz', ['ana', 'elena']],
    ['Practitioner?identifier=https://sisa.msal.gov.ar/REFEPS|900004', ['vidal']],
    ['PractitionerRole?practitioner=Practitioner/paz', ['paz']],
    ['PractitionerRole?location=Location/norte', ['paz']],
    ['PractitionerRole?service=HealthcareService/consulta-pediatria,HealthcareService/laboratorio', ['ruiz', 'molina']],
    [
      'PractitionerRole?organization=Organization/sanatorio-del-puente&active=true&location=Location/imagenes',
      ['duarte'],
    ],
    ['Location?status=active&partof=Location/central', ['consultorio-12']],
    ['Location?organization=Organization/ribera', ['clinica-quilmes']],
    ['Organization?type=http://terminology.hl7.org/CodeSystem/organization-type|ins&name=os', ['osde', 'osecac']],
    ['Organization?name=MEDIC', []],
    ['HealthcareService?active=false', ['densitometria']],
    [`HealthcareService?program=${ownSystem('plan')}|galeno-220`, ['teleconsulta-clinica']],
    [`HealthcareService?service-type=${ownSystem('hcs')}|CM_1010`, ['consulta-clinica']],
    [
      `HealthcareService?service-category=${ownSystem('hcs-kind')}|PRACTICA&location=Location/imagenes&active=true`,
      ['ecografia-abdominal'],
    ],
    ['HealthcareService?organization=Organization/nueva-primera-junta', ['npj-vacunas']],
    [`Schedule?service-type=${ownSystem('hcs')}|CM_1010&active=true`, ['paz-central', 'paz-norte']],
    ['Schedule?actor=Practitioner/paz&actor=Location/norte', ['paz-norte', 'paz-virtual']],
    ['Schedule?actor=Practitioner/vidal,Practitioner/ruiz', ['vidal-central', 'ruiz-central']],
    ['Appointment?patient=Patient/ana&status=booked', ['turno-ana-1']],
    ['Appointment?patient=Patient/ana&actor=Practitioner/molina', ['turno-ana-3']],
    ['Appointment?supporting-info=Coverage/elena-pami', ['turno-elena-1', 'turno-elena-2']],
    ['Coverage?beneficiary=Patient/ana', ['ana-osde', 'ana-swiss']],
    ['Coverage?payor=Organization/pami', ['elena-pami']],
    ['Coverage?class-type=plan&class-value=osde-310', ['bruno-osde']],
    [`Coverage?identifier=${NS}/sid/credential/osde|61248830503`, ['camila-osde']],
    ['InsurancePlan?owned-by=Organization/swiss&status=active', ['swiss-smg20']],
    ['RelatedPerson?patient=Patient/ana', ['ana-bruno', 'ana-camila', 'contacto-ana']],
    [`Task?patient=Patient/ana&code=${ownSystem('task-kind')}|ticket`, ['ticket-ana-1']],
    ['Task?status=in-progress', ['cambio-elena-1']],
    ['Task?focus=QuestionnaireResponse/respuesta-ana-1', ['ticket-ana-1']],
    [`Questionnaire?context=${ownSystem('questionnaire-kind')}|ticket-type&status=active`, ['receta', 'autorizacion']],
    [
      'OrganizationAffiliation?primary-organization=Organization/sanatorio-del-puente&participating-organization=Organization/pami',
      ['puente-pami'],
    ],
  ])('%s', async (query, expected) => {
    expect((await findNames(query)).sort()).toEqual([...expected].sort());
  });

  test('takes a comma, a bar and a backslash in a token for text when they are escaped', async () => {
    const value = 'a,b|c\\d';
    const odd = await server.create({
      resourceType: 'Basic',
      code: { text: 'odd' },
      identifier: [{ system: 'urn:x', value }],
    });
    const query = encodeURIComponent('urn:x|a\\,b\\|c\\\\d');
    expect(listFound(await search(`${server.url}/Basic?identifier=${query}`))).toEqual([`Basic/${odd.id}`]);
    await server.delete('Basic', odd.id);
  });

  test('finds a RelatedPerson by the patient and the identifier of the relative', async () => {
    const bruno = server.ids.get('Patient/bruno');
    expect(await findNames(`RelatedPerson?patient=Patient/ana&identifier=${NS}/sid/related-patient|${bruno}`)).toEqual([
      'ana-bruno',
    ]);
  });

  test('finds slots by schedule, status and a span of moments in UTC, its beginning included and its end not', async () => {
    const [first, second, third] = await server.search('Slot', replaceNames('schedule=Schedule/paz-norte&_sort=start'));
    const utc = (moment: string | undefined): string => new Date(moment ?? '').toISOString();
    const span = `start=ge${utc(first?.start)}&start=lt${utc(third?.start)}`;
    const slots = await search(
      `${server.url}/${replaceNames(`Slot?schedule=Schedule/paz-norte,Schedule/paz-virtual&status=free&${span}`)}`,
    );
    expect(listFound(slots)).toEqual([`Slot/${first?.id}`, `Slot/${second?.id}`]);
  });

  test('finds the slots of virtual visits by their category', async () => {
    const slots = await findNames(
      'Slot?service-category=http://terminology.hl7.org/CodeSystem/v3-ActCode|VR&_count=100',
    );
    expect(new Set(slots.map((slot) => slot.split('.')[0]))).toEqual(new Set(['paz-virtual']));
  });

  test('sorts by date, both ways', async () => {
    const ascending = await findNames('Appointment?patient=Patient/ana&_sort=date');
    expect(ascending).toEqual(['turno-ana-2', 'turno-ana-3', 'turno-ana-4', 'turno-ana-5', 'turno-ana-1']);
    expect(await findNames('Appointment?patient=Patient/ana&_sort=-date')).toEqual(ascending.toReversed());
  });

  test.each([
    ['Appointment?_id={turno}&_include=Appointment:actor', ['ana', 'central', 'consulta-clinica', 'paz']],
    [
      'Appointment?_id={turno}&_include=Appointment:supporting-info&_include:iterate=Coverage:payor',
      ['ana-osde', 'osde'],
    ],
    [
      'Appointment?_id={turno}&patient=Patient/ana&_include=Appointment:slot',
      [expect.stringMatching(/^paz-central\.\d{8}T1000$/)],
    ],
    [
      'Coverage?beneficiary=Patient/ana&_include=Coverage:payor&_include=Coverage:beneficiary',
      ['ana', 'osde', 'swiss'],
    ],
    ['Patient?general-practitioner=Practitioner/paz&_include=Patient:general-practitioner', ['paz']],
    ['Task?patient=Patient/ana&status=completed&code=ticket&_include=Task:focus', ['respuesta-ana-1']],
    ['InsurancePlan?owned-by=Organization/pami&_include=InsurancePlan:owned-by', ['pami']],
    ['Schedule?actor=Practitioner/vidal&_include=Schedule:actor', ['central', 'vidal']],
    [
      'OrganizationAffiliation?participating-organization=Organization/ioma&_include=OrganizationAffiliation:participating-organization',
      ['ioma'],
    ],
    [
      'Practitioner?identifier=900001&_revinclude=PractitionerRole:practitioner&_include:iterate=PractitionerRole:location',
      ['central', 'norte', 'paz'],
    ],
  ])('includes with %s', async (query, expected) => {
    const turno = server.ids.get('Appointment/turno-ana-1') ?? '';
    expect((await findNames(query.replace('{turno}', turno), 'include')).sort()).toEqual(expected);
  });

  test('searches by POST as by GET', async () => {
    const reply = await call(
      `${server.url}/Patient/_search`,
      'POST',
      `identifier=${encodeURIComponent(DNI)}&gender=female`,
    );
    expect(reply.body).toMatchObject({ type: 'searchset', entry: [{ resource: { birthDate: '1985-11-30' } }] });
  });

  test('gives 20 rows unless asked otherwise, and a total only when asked', async () => {
    const bare = await search(`${server.url}/Slot`);
    expect([bare.body.entry?.length, bare.body.total]).toEqual([20, undefined]);
    const counted = await search(`${server.url}/Slot?_count=3&_offset=10&_total=accurate`);
    const all = await server.search('Slot');
    expect([counted.body.entry?.length, counted.body.total]).toEqual([3, all.length]);
    expect(counted.body.entry?.[0]?.resource?.id).toBe(all[10]?.id);
    const count = await search(`${server.url}/Slot?_summary=count`);
    expect([count.body.entry, count.body.total]).toEqual([undefined, all.length]);
  });

  test.each([
    'Slot?end=ge2026-01-01',
    'Patient?nonsense=1',
    'Patient?_sort=nonsense',
    'Patient?_include=Patient:nonsense',
    'Patient?_include=*',
    'Patient?_revinclude=Coverage:nonsense',
    'Slot?schedule.actor=Practitioner/1',
    'Patient?_has:Coverage:beneficiary:status=active',
    'Appointment?date=ge2026-99-99',
  ])('answers 400 for %s', async (query) => {
    expect((await search(`${server.url}/${query}`)).status).toBe(400);
  });
});
