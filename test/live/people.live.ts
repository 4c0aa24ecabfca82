import { describe, expect, jest, test } from '@jest/globals';
import type { Practitioner, PractitionerRole, Reference } from '@medplum/fhirtypes';
import { concept } from '../hospital-in-fhir/terms.ts';
import { findSlot, toBooking } from '../support/fhir-bookings.ts';
import { callNow, matchFailure } from '../support/fhir-calls.ts';
import { insurer, openLiveRecords, person } from '../support/live-records.ts';
import { readLiveServer } from '../support/live-server.ts';

// npm run test:live: what people have reported of the data of other servers, written into one past the gateway. It leaves
// behind what it writes.
jest.setTimeout(120_000);

const records = openLiveRecords(readLiveServer());
const { write, writePatient, makeDocument, namespace } = records;
const ports = await records.connect({ systems: {} });

const dni = (value: string) => ({ system: 'http://www.renaper.gob.ar/dni', value });
const to = (type: string, id: string): Reference<never> => ({ reference: `${type}/${id}` });
const accepted = (actor: object, rest: object = {}) => ({ actor, status: 'accepted' as const, ...rest });
const writeAppointment = (patientId: string, rest: object) =>
  write({
    resourceType: 'Appointment',
    status: 'booked',
    start: '2030-03-02T12:00:00Z',
    end: '2030-03-02T12:20:00Z',
    ...rest,
    participant: [accepted(to('Patient', patientId)), ...('participant' in rest ? (rest.participant as []) : [])],
  });
const listAppointments = async (id: string) =>
  (await ports.appointments.list(id, { order: 'ascending' }, callNow())).items;

describe('what ends in the year 9999', () => {
  const forEver = { start: '2019-01-01', end: '9999-12-31T23:59:59-03:00' };

  test('is in force, pays for a booking, and is changed in its place', async () => {
    const id = await writePatient({
      identifier: [{ ...dni(makeDocument()), period: forEver }],
      name: [
        { use: 'official', family: 'Casada', given: ['Alma'], period: forEver },
        { use: 'maiden', family: 'Soltera', given: ['Alma'] },
      ],
      telecom: [{ system: 'phone', use: 'mobile', value: '+54 11 5555 1234', period: forEver }],
      address: [{ use: 'home', line: ['Mitre 1'], period: forEver }],
    });
    const coverageId = await write({
      resourceType: 'Coverage',
      status: 'active',
      beneficiary: to('Patient', id),
      payor: [{ display: 'Aseguradora Ensayo' }],
      subscriberId: '77',
      period: forEver,
    });
    const relative = { system: `${namespace}/sid/related-patient`, value: await writePatient() };
    const related = { patient: to('Patient', id), identifier: [relative], period: forEver };
    const memberId = await write({ resourceType: 'RelatedPerson', ...related });

    expect(await ports.patients.get(id, callNow())).toMatchObject({
      ...{ lastName: 'Casada', phone: '+54 11 5555 1234', address: { street: 'Mitre 1' } },
    });
    expect(await ports.insurance.coverages(id, callNow())).toMatchObject([{ id: coverageId, active: true }]);
    expect(await ports['family-groups'].list(id, callNow())).toMatchObject([{ id: memberId }]);

    const slot = await findSlot(ports, (await records.writeClinic()).serviceId);
    await ports.appointments.book(id, { ...toBooking(slot), coverageId }, callNow());
    expect(await listAppointments(id)).toHaveLength(1);
    const card = { beneficiaryId: id, planId: (await records.writePlan()).planId, credentialNumber: '77' };
    await expect(ports.insurance.create(card, callNow())).rejects.toMatchObject({ code: 'coverage_exists' });

    await ports.patients.update(id, { lastName: 'Nueva', phone: '+54 11 5555 9999' }, callNow());
    const { name, telecom } = await records.read('Patient', id);
    expect(name?.map(({ family }) => family)).toEqual(['Nueva', 'Soltera']);
    expect(telecom?.map(({ value, period }) => [value, period])).toEqual([['+54 11 5555 9999', forEver]]);
  });
});

describe('a code of HL7 under its address of STU3', () => {
  test('makes a number that of a record', async () => {
    const type = concept('http://hl7.org/fhir/v2/0203', 'MR');
    const id = await writePatient({ identifier: [{ type, system: 'urn:oid:1.2.3', value: '55050' }] });
    const { medicalRecordId, identifier } = await ports.patients.get(id, callNow());
    expect({ medicalRecordId, identifier: identifier.value }).toEqual({ medicalRecordId: '55050', identifier: '' });
  });

  test('tells who treats from who translates', async () => {
    const id = await writePatient();
    const performs = { type: [concept('http://hl7.org/fhir/v3/ParticipationType', 'PPRF')] };
    const participant = [accepted({ display: 'Traductor' }), accepted({ display: 'Dra. Titular' }, performs)];
    await writeAppointment(id, { participant });
    expect(await listAppointments(id)).toMatchObject([{ practitioners: [{ name: 'Dra. Titular' }] }]);
  });

  test('makes an organization a carrier', async () => {
    const type = [concept('http://hl7.org/fhir/organization-type', 'ins')];
    const id = await write({ resourceType: 'Organization', name: 'Mutual Vieja', type });
    expect(await ports.insurance.carriers({}, callNow())).toContainEqual({ id, name: 'Mutual Vieja', active: true });
  });
});

describe('insurance', () => {
  const over = { end: '2020-01-01' };

  test('of a contract or a plan whose period is over is not what the institution has', async () => {
    const ownerId = await write({ resourceType: 'Organization', name: 'Sanatorio' });
    const [current, ended] = [await records.writePlan(), await records.writePlan()];
    for (const { carrierId } of [current, ended]) {
      await write({
        resourceType: 'OrganizationAffiliation',
        active: true,
        organization: to('Organization', ownerId),
        participatingOrganization: to('Organization', carrierId),
        ...(carrierId === ended.carrierId && { period: over }),
      });
    }
    const carriers = await ports.insurance.carriers({ ownerId }, callNow());
    expect(carriers.map(({ id }) => id)).toEqual([current.carrierId]);
    await records.change('InsurancePlan', current.planId, { period: over });
    expect(await ports.insurance.plans(current.carrierId, callNow())).toMatchObject([{ active: false }]);
    const card = { beneficiaryId: await writePatient(), planId: current.planId, credentialNumber: '7' };
    await expect(ports.insurance.create(card, callNow())).rejects.toMatchObject({ kind: 'invalid', at: 'planId' });
  });

  test.each([
    ['the insurer beside the patient', 'Mutual Ensayo', ['patient', 'insurer']],
    ['an insurer known by its number', 'Mutual Ensayo', ['number']],
    ['an insurer known by words beside a relative', 'Mutual X', ['relative', 'words']],
    ['the patient', 'PARTICULAR', ['patient']],
    ['a relative', 'PARTICULAR', ['relative']],
  ] as const)('is of %s: %s', async (_, carrier, payers) => {
    const patientId = await writePatient();
    const patient = to('Patient', patientId);
    const identifier = [{ system: `${namespace}/sid/rnos`, value: makeDocument() }];
    const mutual = { name: 'Mutual Ensayo', type: [insurer], identifier };
    const known = {
      patient,
      insurer: to('Organization', await write({ resourceType: 'Organization', ...mutual })),
      number: { identifier: identifier[0]! },
      words: { display: 'Mutual X' },
      relative: to('RelatedPerson', await write({ resourceType: 'RelatedPerson', patient })),
    };
    const payor = payers.map((payer) => known[payer]);
    await write({ resourceType: 'Coverage', status: 'active', beneficiary: patient, payor });
    expect(await ports.insurance.coverages(patientId, callNow())).toMatchObject([{ carrier }]);
  });
});

describe('a person', () => {
  test.each([
    [{ telecom: [{ system: 'sms', value: '+5491155550000' }] }, { phone: '+5491155550000' }],
    [
      {
        telecom: [
          { system: 'email', value: 'b@x.org', rank: 2 },
          { system: 'email', value: 'a@x.org', rank: 1 },
        ],
      },
      { email: 'a@x.org' },
    ],
    [{ name: [{ text: 'Alma Prueba', family: 'Prueba' }] }, { name: 'Alma', lastName: 'Prueba' }],
  ] as const)('with %j is shown with %j', async (elements, shown) => {
    expect(await ports.patients.get(await writePatient(elements as object), callNow())).toMatchObject(shown);
  });

  const work = (value: string) => ({ system: 'phone', use: 'work', value }) as const;
  const hours = { daysOfWeek: ['tue' as const], availableStartTime: '08:00:00' };

  test.each<[Partial<Practitioner>, Partial<PractitionerRole>, object]>([
    [{ telecom: [work('1')] }, { telecom: [work('2')] }, { phone: '1' }],
    [{}, { telecom: [work('2')] }, { phone: '2' }],
    [{}, { availableTime: [hours] }, { workingHours: expect.stringContaining('Mar') }],
  ])('who practises with %j, in a role with %j, is shown with %j', async (own, ofRole, shown) => {
    const id = await write({ resourceType: 'Practitioner', active: true, name: [{ text: 'Dra. D' }], ...own });
    await write({ resourceType: 'PractitionerRole', active: true, practitioner: to('Practitioner', id), ...ofRole });
    const all = await ports.practitioners.list(callNow());
    expect(all.find((each) => each.id === id)).toMatchObject(shown);
  });

  test('and a place that only the slot’s schedule names are those of the appointment, but for who declines', async () => {
    const { practitionerId, locationId, slotIds } = await records.writeClinic();
    const id = await writePatient();
    const slot = [to('Slot', slotIds[0]!)];
    const appointmentId = await writeAppointment(id, { slot });
    const shown = { practitioners: [{ id: practitionerId }], location: { id: locationId } };
    expect(await listAppointments(id)).toMatchObject([shown]);
    const declined = { actor: to('Practitioner', practitionerId), status: 'declined' as const };
    const participant = [accepted(to('Patient', id)), declined];
    await records.change('Appointment', appointmentId, { participant });
    expect(await listAppointments(id)).toMatchObject([{ practitioners: [] }]);
  });
});

test('sites are the unmarked ones too, but none that are in another or hold a marked one', async () => {
  const load = (rest: object) => write({ resourceType: 'Location', status: 'active', name: 'Sede', ...rest });
  const annex = await load({});
  const room = await load({ partOf: to('Location', annex) });
  const network = await load({});
  const physicalType = concept('http://terminology.hl7.org/CodeSystem/location-physical-type', 'si');
  const site = await load({ partOf: to('Location', network), physicalType });
  const listed = (await ports.directory.locations(callNow())).map(({ id }) => id);
  expect([annex, room, network, site].filter((id) => listed.includes(id))).toEqual([annex, site]);
});

describe('a patient who is hidden', () => {
  const label = (system: string, code: string) => [{ system: `http://terminology.hl7.org/CodeSystem/${system}`, code }];

  test.each([
    ['for tests', { tag: label('v3-ActReason', 'HTEST') }],
    ['restricted', { security: label('v3-Confidentiality', 'R') }],
  ])('as %s is nowhere, and is not registered again', async (_, meta) => {
    const value = makeDocument();
    const id = await writePatient({ meta, identifier: [dni(value)] });
    expect(await ports.patients.get(id, callNow())).toMatchObject({ id });
    const hiding = await records.connect({ hidePatients: ['test', 'restricted'] });
    await expect(hiding.patients.get(id, callNow())).rejects.toEqual(matchFailure('not_found'));
    expect(await hiding.patients.search({ identifier: value }, callNow())).toEqual([]);
    await expect(hiding.appointments.list(id, { order: 'ascending' }, callNow())).rejects.toEqual(
      matchFailure('not_found'),
    );
    const draft = { identifier: { type: 'DNI', value }, birthDate: person.birthDate, gender: 'Female' } as const;
    await expect(hiding.patients.register(draft, callNow())).rejects.toEqual(
      matchFailure('conflict', { code: 'identity_conflict' }),
    );
  });
});
