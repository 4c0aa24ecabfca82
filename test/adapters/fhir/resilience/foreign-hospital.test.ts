import { afterAll, describe, expect, test } from '@jest/globals';
import { answersList, operations } from '../../../../src/api/index.ts';
import type { Expectation } from '../../../foreign-hospital/expectations.ts';
import { patientLists } from '../../../foreign-hospital/expectations.ts';
import { groupBLists } from '../../../foreign-hospital/expectations-group-b.ts';
import { institutionLists } from '../../../foreign-hospital/expectations-institution.ts';
import { loadForeignHospital, oddities } from '../../../foreign-hospital/load.ts';
import { Calendar } from '../../../hospital-in-fhir/calendar.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../../../support/fhir-gateway.ts';
import type { RunningGateway } from '../../../support/gateway.ts';

// What a hospital has that nobody wrote for us: legal, odd, and in a few places broken. It stands beside a tidy hospital.

const now = new Date();
const { server, id } = await startHospital();
const tidy = await startFhirGateway(server);
const lists = [...patientLists, ...institutionLists, ...groupBLists];

type Row = Readonly<Record<string, unknown>>;

const names: Readonly<Record<string, string>> = {
  ana: 'Patient/ana',
  'ana-osde': 'Coverage/ana-osde',
  osde: 'Organization/osde',
  'sanatorio-del-puente': 'Organization/sanatorio-del-puente',
  'consulta-clinica': 'HealthcareService/consulta-clinica',
};
const fill = (text: string): string =>
  text
    .replaceAll(/\{([+-]\d+)d\}/g, (_, days) => new Calendar(now).ago(-Number(days), '00:00').slice(0, 10))
    .replaceAll(/\{([a-z-]+)\}/g, (_, name) => id(names[name] ?? ''));

/** The rows of a list, of whatever name, with the status, the header, and what the log says of records left out. */
async function ask(gateway: RunningGateway, { route, body }: Expectation) {
  const before = gateway.lines.length;
  const [method = '', path = ''] = fill(route).split(' ');
  const answer = await gateway.ask(method, path, body && JSON.parse(fill(JSON.stringify(body))));
  const json = JSON.parse(answer.text) as Row | readonly Row[];
  const rows = (Array.isArray(json) ? json : Object.values(json).find(Array.isArray)) as readonly Row[] | undefined;
  const omitted = gateway.lines
    .slice(before)
    .map((line) => JSON.parse(line) as { event: string; resourceType: string; element: string; count: number })
    .filter(({ event }) => event === 'record omitted')
    .map(({ resourceType, element, count }) => [`${resourceType}/${element}`, count] as const);
  return {
    status: answer.status,
    header: answer.headers['puente-omitted'],
    rows: rows ?? [],
    omitted: Object.fromEntries(omitted),
  };
}

const answersBefore = new Map<Expectation, Awaited<ReturnType<typeof ask>>>();
for (const list of lists) answersBefore.set(list, await ask(tidy, list));
const ids = loadForeignHospital(server, now);
const gateway = await startFhirGateway(server);

afterAll(async () => {
  await tidy.stop();
  await gateway.stop();
});

const nameById = new Map([...ids].map(([name, given]) => [given, name]));

/** The value with names in place of ids. */
const rename = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, each: unknown) =>
    typeof each === 'string' ? (nameById.get(each) ?? each) : each,
  );

/** The name of what a row shows; of a slot of Group A, which has no id, the time of day. */
function getName(row: Row): string {
  const { location, date } = row as { location?: { id?: string }; date?: string };
  const id = row.uid ?? row.appointmentId ?? row.id ?? location?.id;
  const name = String(rename(id ?? date?.slice(11, 16)));
  return name.slice(name.indexOf('/') + 1);
}

/** By name: those whose roles were written at one moment are listed by their ids, which differ from run to run. */
function sortProviders(row: object): object {
  const { provider } = row as { provider?: readonly { readonly name: string; readonly id: string }[] };
  const toKey = ({ name, id }: { readonly name: string; readonly id: string }) => `${name} ${id}`;
  return provider ? { ...row, provider: provider.toSorted((a, b) => toKey(a).localeCompare(toKey(b))) } : row;
}

describe('a hospital of which nobody wrote the data for us', () => {
  test('has at least 150 resources, of every type that the adapter reads', () => {
    expect(oddities.length).toBeGreaterThanOrEqual(150);
    expect([...new Set(oddities.map(({ resource }) => resource.resourceType))].toSorted()).toEqual([
      'Appointment',
      'Coverage',
      'HealthcareService',
      'InsurancePlan',
      'Location',
      'Organization',
      'OrganizationAffiliation',
      'Patient',
      'Practitioner',
      'PractitionerRole',
      'Questionnaire',
      'QuestionnaireResponse',
      'RelatedPerson',
      'Schedule',
      'Slot',
      'Task',
    ]);
  });

  test('is asked by every operation that lists, but for the reasons, which are in the configuration', () => {
    const asked = lists.map(({ route }) => route.replace(/\?.*/, '').replaceAll(/\{[^}]+\}/g, '{id}'));
    const listing = operations.filter(answersList).map(({ route }) => route.replaceAll(/\{[^}]+\}/g, '{id}'));
    expect(listing.filter((route) => !asked.includes(route))).toEqual(['GET /practitioner/change_request/reasons']);
  });

  describe.each(lists.map((list) => [list.route, list] as const))('at %s', (_, list) => {
    const { shown, usual = {}, omitted } = list;

    test('takes nothing from the rows of a tidy one, shows what can be shown as what it is, and tells the rest', async () => {
      const good = answersBefore.get(list)?.rows ?? [];
      const answer = await ask(gateway, list);
      expect(answer.status).toBe(200);
      const isGood = (row: Row) => good.some((each) => JSON.stringify(each) === JSON.stringify(row));
      expect(answer.rows.filter(isGood)).toEqual(good);
      const odd = answer.rows.filter((row) => !isGood(row));
      const isEntry = (row: Row) => typeof row.location === 'object' && 'provider' in row;
      const expected = Object.entries(shown).map(([name, row]) => [name, sortProviders({ ...usual, ...row })]);
      const found = odd.map((row) => {
        const { id: _id, uid: _uid, appointmentId: _appointmentId, ...rest } = rename(row) as Row;
        return [getName(row), isEntry(row) ? sortProviders(rename(row) as Row) : rest];
      });
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
      expect(found).toHaveLength(expected.length);
      expect(answer.omitted).toEqual(omitted);
      expect(answer.header).toBe(String(Object.values(omitted).reduce((sum, count) => sum + count, 0)));
    });

    test('says the same of what is left out when it is asked again', async () => {
      expect((await ask(gateway, list)).omitted).toEqual(omitted);
    });
  });

  test.each([
    ['Patient/genero-local', 502],
    ['Patient/fecha-local', 502],
    ['Patient/circulo-1', 200],
    ['Patient/sin-sobreviviente', 200],
    ['Patient/solo-anio', 200],
    ['Patient/fusionada-activa', 200],
  ])('answers %s, asked for alone, with %i', async (name, status) => {
    expect((await gateway.ask('GET', `/patients/${ids.get(name)}`)).status).toBe(status);
  });

  test.each([
    ['general-por-nombre', 'Dra. Nélida Prat', {}],
    ['general-contenido', 'Dra. Inés Contenida', {}],
    ['general-logico', 'Dr. Lógico Ruiz', {}],
    [
      'general-rol',
      'Dra. Por Nombre Rol',
      { specialty: 'Fonoaudiología', phone: '+54 11 5555-0920', location: 'L anexo' },
    ],
  ])('names the main practitioner of %s, whom it knows by no more than a name', async (name, who, rest) => {
    const answer = await gateway.ask('GET', `/patients/${ids.get(`Patient/${name}`)}/practitioner`);
    const unknown = {
      id: '',
      specialty: '',
      email: '',
      phone: '',
      working_hours: '',
      location: '',
      is_available: true,
    };
    expect(JSON.parse(answer.text)).toEqual({ ...unknown, name: who, ...rest });
  });

  test('takes no organization for the main practitioner', async () => {
    const path = `/patients/${ids.get('Patient/general-organizacion')}/practitioner`;
    expect((await gateway.ask('GET', path)).status).toBe(404);
  });
});
