import { describe, expect, test } from '@jest/globals';
import type { Location, Patient, Practitioner, PractitionerRole } from '@medplum/fhirtypes';
import { concept, ownIds, terms, to } from '../../../hospital-in-fhir/terms.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

// What people have reported of the data of other servers: legal, and read wrongly by somebody.

const { server, id, ports } = await setUpHospital();

const v2 = 'http://hl7.org/fhir/v2/0203';
const loadPatient = (rest: Partial<Patient>) =>
  server.load({ resourceType: 'Patient', id: 'alma', gender: 'female', birthDate: '1985-11-03', ...rest });
const getPatient = () => ports.patients.get('alma', callNow());
const listAppointments = async () => (await ports.appointments.list('alma', { order: 'ascending' }, callNow())).items;
const accepted = (actor: object, rest: object = {}) => ({ actor, status: 'accepted' as const, ...rest });

describe('a code of HL7', () => {
  test.each([v2, 'urn:oid:2.16.840.1.113883.18.108', 'https://terminology.hl7.org/CodeSystem/v2-0203'])(
    'under the address %s makes a number that of a record, or of a passport',
    async (system) => {
      const type = (code: string) => ({ type: { coding: [{ system, code }] }, system: 'urn:oid:1.2.3' });
      loadPatient({ identifier: [{ ...type('MR'), value: '55050' }] });
      expect(await getPatient()).toMatchObject({ medicalRecordId: '55050', identifier: { type: 'Other', value: '' } });
      loadPatient({ identifier: [{ ...type('PPN'), value: 'X1' }] });
      expect(await getPatient()).toMatchObject({ identifier: { type: 'Passport', value: 'X1' } });
    },
  );

  test('under the address of STU3 tells who treats from who translates', async () => {
    loadPatient({});
    const performs = { type: [concept('http://hl7.org/fhir/v3/ParticipationType', 'PPRF')] };
    server.load({
      resourceType: 'Appointment',
      id: 'pp',
      status: 'booked',
      start: '2027-03-02T12:00:00Z',
      serviceCategory: [concept('http://hl7.org/fhir/v3/ActCode', 'VR')],
      participant: [
        accepted(to('Patient/alma')),
        accepted({ display: 'Traductora Ensayo' }),
        accepted({ display: 'Dra. Titular' }, performs),
      ],
    });
    expect(await listAppointments()).toMatchObject([
      { practitioners: [{ id: '', name: 'Dra. Titular' }], modality: 'virtual' },
    ]);
  });

  test('under the address of STU3 makes an organization a carrier', async () => {
    const type = [concept('http://hl7.org/fhir/organization-type', 'ins')];
    server.load({ resourceType: 'Organization', id: 'vieja', name: 'Mutual Vieja', type });
    expect(await ports.insurance.carriers({}, callNow())).toContainEqual({
      id: 'vieja',
      name: 'Mutual Vieja',
      active: true,
    });
  });
});

describe('a contract or a plan whose period is over', () => {
  test('is no contract of the institution', async () => {
    const ownerId = id('Organization/sanatorio-del-puente');
    const list = async () => (await ports.insurance.carriers({ ownerId }, callNow())).map(({ name }) => name);
    const before = await list();
    Object.assign(ports, (await connect(server)).ports);
    const [contract] = await server.search('OrganizationAffiliation');
    server.load({
      ...contract!,
      id: 'ended',
      participatingOrganization: { reference: 'Organization/antigua' },
      period: { end: '2020-01-01' },
    });
    server.load({
      resourceType: 'Organization',
      id: 'antigua',
      name: 'Antigua',
      type: [concept(terms.organizationType, 'ins')],
    });
    expect(await list()).toEqual(before);
  });

  test('is inactive, and cannot be given to patients', async () => {
    loadPatient({});
    const owner = id('Organization/osde');
    const period = { end: '2020-01-01' };
    server.load({
      resourceType: 'InsurancePlan',
      id: 'viejo',
      status: 'active',
      name: 'Viejo',
      period,
      ownedBy: { reference: `Organization/${owner}` },
    });
    expect(await ports.insurance.plans(owner, callNow())).toContainEqual({ id: 'viejo', name: 'Viejo', active: false });
    const card = { beneficiaryId: 'alma', planId: 'viejo', credentialNumber: '7' };
    await expect(ports.insurance.create(card, callNow())).rejects.toMatchObject({ kind: 'invalid', at: 'planId' });
  });
});

describe('who pays for a coverage', () => {
  const insurer = { reference: 'Organization/mutual' };
  const patient = to<Patient>('Patient/alma');
  test.each([
    ['the insurer beside the patient', [patient, insurer], 'Mutual Ensayo'],
    ['an insurer known by its number', [{ identifier: { system: ownIds('rnos'), value: '400909' } }], 'Mutual Ensayo'],
    ['an insurer of whom only the number is known', [{ identifier: { system: ownIds('rnos'), value: '1' } }], '1'],
    ['an insurer known by words beside a relative', [to('RelatedPerson/madre'), { display: 'Mutual X' }], 'Mutual X'],
    ['the patient', [patient], 'PARTICULAR'],
    ['a relative', [to('RelatedPerson/madre')], 'PARTICULAR'],
    ['a relative with words', [{ ...to('RelatedPerson/madre'), display: 'Madre' }], 'PARTICULAR'],
  ])('is %s', async (_, payor, carrier) => {
    loadPatient({});
    server.load({
      resourceType: 'Organization',
      id: 'mutual',
      name: 'Mutual Ensayo',
      identifier: [{ system: ownIds('rnos'), value: '400909' }],
      type: [concept(terms.organizationType, 'ins')],
    });
    server.load({ resourceType: 'RelatedPerson', id: 'madre', patient: to('Patient/alma') });
    server.load({ resourceType: 'Coverage', id: 'c', status: 'active', beneficiary: to('Patient/alma'), payor });
    expect(await ports.insurance.coverages('alma', callNow())).toMatchObject([{ id: 'c', carrier }]);
    server.load({
      resourceType: 'Appointment',
      id: 'a',
      status: 'booked',
      start: '2027-03-02T12:00:00Z',
      supportingInformation: [{ reference: 'Coverage/c' }],
      participant: [accepted(to('Patient/alma'))],
    });
    expect(await listAppointments()).toMatchObject([{ coverage: { id: 'c', carrier } }]);
  });

  test('stays the patient beside another insurer when the plan changes', async () => {
    loadPatient({});
    server.load({ resourceType: 'Organization', id: 'mutual', name: 'Mutual Ensayo' });
    server.load({
      resourceType: 'Coverage',
      id: 'c',
      status: 'active',
      beneficiary: patient,
      payor: [patient, insurer],
    });
    await ports.insurance.edit('c', { planId: id('InsurancePlan/osde-210') }, callNow());
    const { payor } = await server.read('Coverage', 'c');
    expect(payor.map(({ reference }) => reference)).toEqual([
      `Organization/${id('Organization/osde')}`,
      'Patient/alma',
    ]);
  });
});

describe('how a person is reached', () => {
  const find = async (practitionerId: string) =>
    (await ports.practitioners.list(callNow())).find((each) => each.id === practitionerId);
  const work = (value: string) => ({ system: 'phone', use: 'work', value }) as const;

  test('is a number for sms where there is no other telephone', async () => {
    loadPatient({ telecom: [{ system: 'sms', use: 'mobile', value: '+5491155550000' }] });
    expect((await getPatient()).phone).toBe('+5491155550000');
    loadPatient({
      telecom: [
        { system: 'sms', use: 'mobile', value: '1' },
        { system: 'phone', value: '2' },
      ],
    });
    expect((await getPatient()).phone).toBe('2');
  });

  test('is the mail address of the lowest rank', async () => {
    loadPatient({
      telecom: [
        { system: 'email', value: 'b@x.org', rank: 2 },
        { system: 'email', value: 'a@x.org', rank: 1 },
      ],
    });
    expect((await getPatient()).email).toBe('a@x.org');
  });

  test('is what is the practitioner’s own, else what is of a role, and what is private last', async () => {
    const load = (telecom: Practitioner['telecom'], ofRole: PractitionerRole['telecom']) => {
      server.load({ resourceType: 'Practitioner', id: 'd', name: [{ text: 'Dra. D' }], ...(telecom && { telecom }) });
      server.load({
        resourceType: 'PractitionerRole',
        id: 'd',
        practitioner: to('Practitioner/d'),
        ...(ofRole && { telecom: ofRole }),
      });
    };
    load([work('1')], [work('2')]);
    expect((await find('d'))?.phone).toBe('1');
    load([{ system: 'phone', use: 'home', value: '1' }], [work('2')]);
    expect((await find('d'))?.phone).toBe('1');
  });
});

describe('the contacts of a practitioner in the directory', () => {
  const findContacts = async (own: Practitioner['telecom'], ofRole: PractitionerRole['telecom'] = []) => {
    server.load({ resourceType: 'Location', id: 'l', name: 'Consultorios' });
    server.load({ resourceType: 'Practitioner', id: 'd', name: [{ text: 'Dra. D' }], ...(own && { telecom: own }) });
    server.load({
      resourceType: 'PractitionerRole',
      id: 'd',
      practitioner: to('Practitioner/d'),
      location: [to('Location/l')],
      telecom: ofRole,
    });
    const entries = await (await connect(server)).ports.directory.entries(callNow());
    const [provider] = entries.find(({ location }) => location.id === 'l')?.providers ?? [];
    return [provider?.email, ...(provider?.phones ?? []).map(({ value }) => value)];
  };
  const home = [
    { system: 'phone', use: 'home', value: '1', rank: 1 },
    { system: 'email', use: 'home', value: 'home@x.org', rank: 1 },
  ] as const;

  test('are those of the work, without those at home', async () => {
    const atWork = [
      { system: 'phone', use: 'work', value: '2' },
      { system: 'email', use: 'work', value: 'work@x.org' },
    ] as const;
    expect(await findContacts([...home], [...atWork])).toEqual(['work@x.org', '2']);
    expect(await findContacts([...home, ...atWork])).toEqual(['work@x.org', '2']);
  });

  test('are those at home if there are no others', async () => {
    expect(await findContacts([...home])).toEqual(['home@x.org', '1']);
  });
});

describe('a name of which one part stands beside the text', () => {
  test.each([
    [{ text: 'Alma Prueba', family: 'Prueba' }, 'Alma', 'Prueba'],
    [{ text: 'PRUEBA, Alma María', family: 'Prueba' }, 'Alma María', 'Prueba'],
    [{ text: 'Dra. Alma de la Prueba', family: 'de la Prueba', prefix: ['Dra.'] }, 'Alma', 'de la Prueba'],
    [{ text: 'Alma Prueba Gómez', given: ['Alma'] }, 'Alma', 'Prueba Gómez'],
    [{ text: 'Otra Cosa', family: 'Prueba' }, '', 'Prueba'],
    [{ text: 'Prueba', family: 'Prueba' }, '', 'Prueba'],
  ])('%j has both parts', async (name, given, family) => {
    loadPatient({ name: [{ use: 'official', ...name }] });
    expect(await getPatient()).toMatchObject({ name: given, lastName: family });
    await ports.patients.update('alma', { lastName: 'Nueva' }, callNow());
    expect(await getPatient()).toMatchObject({ name: given, lastName: 'Nueva' });
  });
});

describe('an appointment that names only its slot', () => {
  const load = (participant: readonly object[]) => {
    loadPatient({});
    server.load({ resourceType: 'Practitioner', id: 'd', name: [{ text: 'Dra. Del Turno' }] });
    server.load({ resourceType: 'Location', id: 'l', name: 'Consultorio 9' });
    server.load({ resourceType: 'Schedule', id: 's', actor: [to('Practitioner/d'), to('Location/l')] });
    server.load({
      resourceType: 'Slot',
      id: 's1',
      schedule: to('Schedule/s'),
      status: 'busy',
      start: '2027-02-01T12:00:00Z',
      end: '2027-02-01T12:20:00Z',
    });
    server.load({
      resourceType: 'Appointment',
      id: 'so',
      status: 'booked',
      start: '2027-02-01T12:00:00Z',
      slot: [to('Slot/s1')],
      participant: [accepted(to('Patient/alma')), ...participant] as never,
    });
  };

  test('is with the practitioner and at the place of the schedule', async () => {
    load([]);
    expect(await listAppointments()).toMatchObject([
      { practitioners: [{ id: 'd', name: 'Dra. Del Turno' }], location: { id: 'l', name: 'Consultorio 9' } },
    ]);
  });

  test('keeps those who take part, and shows nobody who has declined', async () => {
    load([accepted(to('Practitioner/paz')), accepted({ display: 'Sala 3', type: 'Location' })]);
    expect(await listAppointments()).toMatchObject([{ practitioners: [{ id: 'paz' }], location: { name: 'Sala 3' } }]);
    load([{ actor: to('Practitioner/d'), status: 'declined' }]);
    expect(await listAppointments()).toMatchObject([{ practitioners: [] }]);
  });
});

describe('sites', () => {
  const list = async () => (await ports.directory.locations(callNow())).map(({ id: each }) => each);
  const load = (name: string, rest: Partial<Location> = {}) =>
    server.load({ resourceType: 'Location', id: name, name, ...rest });

  test('are the unmarked ones too, beside those that are marked, but none that are in another or hold a marked one', async () => {
    load('anexo');
    load('sala', { partOf: { reference: 'Location/anexo' } });
    load('red');
    load('sede', {
      partOf: { reference: 'Location/red' },
      physicalType: concept('http://hl7.org/fhir/location-physical-type', 'si'),
    });
    load('camion', { physicalType: concept('http://terminology.hl7.org/CodeSystem/location-physical-type', 've') });
    const own = ['anexo', 'sala', 'red', 'sede', 'camion'];
    expect((await list()).filter((each) => own.includes(each)).toSorted()).toEqual(['anexo', 'sede']);
  });
});
