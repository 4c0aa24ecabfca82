import { describe, expect, test } from '@jest/globals';
import { Omissions } from '../../../../src/toolkit/omissions.ts';
import type { Answer } from '../../../fhir-server/response.ts';
import { connect, type FhirPorts } from '../../../support/fhir-adapter.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

// What R4 allows, or can only mean one thing, and elements that no server should send: one takes no record down.

const { server, id, ports } = await setUpHospital();
const absent = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
};
const ana = () => id('Patient/ana');

/** Puts elements into a resource as they are. */
const spoil = async (
  type: 'Patient' | 'Practitioner' | 'PractitionerRole' | 'Location',
  name: string,
  elements: object,
) => server.load({ ...(await server.read(type, id(`${type}/${name}`))), ...elements });

/** What a call says, and what was left out meanwhile, as `Type/element`. */
async function look<T>(ask: (call: ReturnType<typeof callNow>) => Promise<T>) {
  const omissions = new Omissions();
  const said = await ask(callNow({ omit: omissions.add }));
  return { said, omitted: omissions.list.map(({ record }) => `${record.resourceType}/${record.element}`) };
}
/** All but the version, which a change of the record moves on. */
const getAna = () =>
  look(async (call) => {
    const { version: _, ...patient } = await ports.patients.get(ana(), call);
    return patient;
  });

describe('a patient is the same', () => {
  test.each<[string, object]>([
    ['with null for a list that is absent', { photo: null, contact: null, communication: null }],
    ['with null in a list', { photo: [null, { title: 'x' }], contact: [null] }],
    ['with null deep in an element', { maritalStatus: { coding: [{ code: 'M', display: null }], text: null } }],
    [
      'with a link whose type is an extension alone',
      { link: [{ other: { reference: `Patient/${id('Patient/elena')}` }, _type: absent }] },
    ],
    ['with a deceased flag that is an extension alone', { _deceasedBoolean: absent }],
    [
      'with a contact until a leap second',
      { contact: [{ name: { family: 'P' }, period: { end: '2016-12-31T23:59:60Z' } }] },
    ],
  ])('%s', async (_, elements) => {
    const before = await getAna();
    expect(before.omitted).toEqual([]);
    await spoil('Patient', 'ana', elements);
    expect(await getAna()).toEqual(before);
    await ports.patients.update(ana(), { phone: '+54 9 11 5555-0177' }, callNow());
    expect((await getAna()).said.phone).toBe('+54 9 11 5555-0177');
  });

  test.each(['2016-12-31T23:59:60Z', '2016-12-31T20:59:60.5-03:00'])(
    'with a period that begins at %s',
    async (start) => {
      const { address: [own] = [] } = await server.read('Patient', ana());
      const before = await getAna();
      await spoil('Patient', 'ana', { address: [{ ...own, period: { start } }] });
      expect(await getAna()).toEqual(before);
    },
  );
});

describe('what cannot be read of a patient', () => {
  const noDay = '2016-02-30';
  const strange = { system: 'phone', value: '5', period: { start: noDay } };

  test('is left out and named, and the rest is shown', async () => {
    const { telecom = [] } = await server.read('Patient', ana());
    const before = await getAna();
    await spoil('Patient', 'ana', { telecom: [strange, ...telecom], address: 'Calle 1' });
    expect(await getAna()).toEqual({
      said: { ...before.said, address: {} },
      omitted: ['Patient/telecom/period/start'],
    });
  });

  test.each(['active', 'birthDate', 'gender', 'link'])(
    'is not left out where it is %s, on which much depends',
    async (name) => {
      await spoil('Patient', 'ana', { [name]: 'x' });
      await expect(getAna()).rejects.toEqual(matchFailure('bad_answer', { at: `Patient/${name}` }));
    },
  );
});

describe('an unknown modifier, which may reverse what is said,', () => {
  const modifierExtension = [{ url: 'https://a.invalid/modifier', valueBoolean: true }];

  test('of a slot keeps it from being offered, and is told', async () => {
    const serviceId = id('HealthcareService/consulta-clinica');
    const list = () => look(async (call) => (await ports.appointments.slots({ serviceId }, call)).items);
    const [offer, ...others] = (await list()).said;
    server.load({ ...(await server.read('Slot', offer!.id)), modifierExtension });
    expect(await list()).toEqual({ said: others, omitted: ['Slot/modifierExtension'] });
  });

  test('of a schedule keeps its slots from being offered, and is told', async () => {
    const serviceId = id('HealthcareService/consulta-clinica');
    const { ports: fresh } = await connect(server, { cacheSeconds: 0 });
    const list = () => look(async (call) => (await fresh.appointments.slots({ serviceId }, call)).items);
    const [offer] = (await list()).said;
    const { schedule } = await server.read('Slot', offer!.id);
    const [, name = ''] = schedule.reference?.split('/') ?? [];
    server.load({ ...(await server.read('Schedule', name)), modifierExtension });
    const { said, omitted } = await list();
    expect(said.map((each) => each.id)).not.toContain(offer!.id);
    expect(omitted).toEqual(['Schedule/modifierExtension']);
  });
});

describe('a role keeps its specialty', () => {
  const hours = { availableStartTime: '08:00:00', availableEndTime: '12:00:00' };

  test.each<[string, object, string, string[]]>([
    [
      'with a weekday that is an extension alone',
      { daysOfWeek: ['mon', null], _daysOfWeek: [null, absent] },
      'Lun: 08:00-12:00',
      [],
    ],
    ['with no weekday but an extension', { daysOfWeek: [null], _daysOfWeek: [absent] }, '', []],
    ['with a weekday in words', { daysOfWeek: ['lunes'] }, '', ['PractitionerRole/availableTime/daysOfWeek']],
    ['with hours in words', { availableStartTime: '8hs' }, '', ['PractitionerRole/availableTime/availableStartTime']],
  ])('%s', async (_, time, workingHours, omitted) => {
    const practitioner = { reference: `Practitioner/${id('Practitioner/paz')}` };
    const roles = await server.search('PractitionerRole', `practitioner=${practitioner.reference}`);
    for (const each of roles) await server.delete('PractitionerRole', each.id);
    const [{ specialty } = {}] = roles;
    server.load({
      ...{ resourceType: 'PractitionerRole', id: 'own', practitioner, specialty },
      availableTime: [{ ...hours, ...time }],
    });
    const { ports } = await connect(server);
    const { said, omitted: left } = await look((call) => ports.practitioners.list(call));
    expect(said.find((each) => each.id === id('Practitioner/paz'))).toMatchObject({
      ...{ specialty: 'Clínica médica', workingHours },
    });
    expect(left).toEqual(omitted);
  });
});

describe('a record that names what nobody can follow', () => {
  test('is named, and nothing is missing, where the server refuses the search that includes it', async () => {
    const list = async ({ ports }: { ports: FhirPorts }) => {
      const { said, omitted } = await look((call) => ports['care-services'].available({ patientId: ana() }, call));
      return { said: said.map(({ updatedAt: _, ...rest }) => rest), omitted };
    };
    const before = await list({ ports });
    const service = await server.read('HealthcareService', id('HealthcareService/consulta-clinica'));
    const location = [...(service.location ?? []), { reference: 'Location/' }];
    server.load({ ...service, location });
    for (const status of [400, 422, 500]) {
      server.quirks.fault = ({ query }) =>
        query.has('_include') ? { commits: false, answer: (answer) => ({ ...answer, status }) } : undefined;
      const after = await list(await connect(server));
      expect(after.said).toEqual(before.said);
      expect(after.omitted).toEqual(['HealthcareService/location']);
    }
  });
});

describe('an entry without a resource', () => {
  test('takes no list of a patient down, and is told', async () => {
    const who = { patientId: ana(), coverageId: id('Coverage/ana-osde') };
    const list = () => look((call) => ports['care-services'].frequent(who, call));
    const before = await list();
    expect(before.omitted).toEqual([]);
    const addEntry = (body: string | Buffer) => {
      const bundle = JSON.parse(String(body)) as { entry?: object[] };
      return JSON.stringify({ ...bundle, entry: [{}, ...(bundle.entry ?? [])] });
    };
    server.quirks.fault = ({ path, query }) =>
      `${path}?${query}`.includes('Appointment?')
        ? { commits: true, answer: (answer) => ({ ...answer, body: addEntry(answer.body) }) }
        : undefined;
    const after = await list();
    server.quirks.fault = () => undefined;
    expect(after.said).toEqual(before.said);
    expect(after.omitted).toEqual(['Appointment/']);
  });
});

describe('photos', () => {
  const photo = [{ contentType: 'image/jpeg', data: 'A'.repeat(300_000) }];

  test.each([true, false])('are not counted against a list, whether the server knows _elements: %s', async (knows) => {
    const before = await ports.practitioners.list(callNow());
    for (const each of await server.search('Practitioner')) server.load({ ...each, photo });
    server.quirks.fault = ({ query }) => {
      if (!knows) query.delete('_elements');
      return undefined;
    };
    const { ports: fresh } = await connect(server, { limits: { bytes: 1 << 20 } });
    expect(await fresh.practitioners.list(callNow())).toEqual(before);
    expect(
      (await fresh.appointments.slots({ serviceId: id('HealthcareService/consulta-clinica') }, callNow())).items,
    ).not.toEqual([]);
  });

  test.each([
    ['tags', (body: string) => body],
    ['does not tag', (body: string) => body.replace(/,"tag":\[[^\]]*\]/, '')],
  ])(
    'that are too large take nothing from a patient, whom a server %s as a part, nor are they lost',
    async (_, change) => {
      const before = await getAna();
      await spoil('Patient', 'ana', { photo: [{ data: 'A'.repeat(2 << 20) }] });
      const answer = (given: Answer): Answer => ({ ...given, body: given.body && change(String(given.body)) });
      server.quirks.fault = ({ query }) => (query.has('_elements') ? { commits: true, answer } : undefined);
      const { ports: fresh } = await connect(server, { limits: { bytes: 1 << 20 } });
      expect(await fresh.patients.get(ana(), callNow())).toMatchObject(before.said);
      expect((await fresh.appointments.list(ana(), { order: 'ascending' }, callNow())).items).not.toEqual([]);
      await expect(fresh.patients.update(ana(), { phone: '1' }, callNow())).rejects.toEqual(
        matchFailure('bad_answer', { cause: { code: 'only_a_part' } }),
      );
      server.quirks.fault = () => undefined;
      expect((await server.read('Patient', ana())).photo).toHaveLength(1);
    },
  );
});

describe('a maximum of _count', () => {
  test.each([
    [400, 300],
    [400, 200],
    [422, 30],
    [400, 10],
  ])('that is refused with %i beyond %i is learned once', async (status, most) => {
    const before = await ports.insurance.carriers({}, callNow());
    server.quirks.fault = ({ query }) =>
      Number(query.get('_count')) > most ? { commits: false, answer: (answer) => ({ ...answer, status }) } : undefined;
    const { ports: fresh } = await connect(server, { cacheSeconds: 0 });
    expect(await fresh.insurance.carriers({}, callNow())).toEqual(before);
    server.requests.reset();
    expect(await fresh.insurance.carriers({}, callNow())).toEqual(before);
    expect(server.requests.all.filter(({ query }) => Number(query.get('_count')) > most)).toEqual([]);
  });
});
