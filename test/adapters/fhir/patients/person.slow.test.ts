import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Appointment, Patient } from '@medplum/fhirtypes';
import { hapi, medplum } from '../../../fhir-server/quirks.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../../../support/fhir-gateway.ts';
import { listOffers } from '../../../support/fhir-offers.ts';

// Ana was registered twice: her appointments, coverages, relatives, tickets and requests are those of the record that is no
// longer used, and the one that is left has nothing of its own.

const { server, id } = await startHospital();
// The ids of the catalogue are others on each kind of server.
const gateway = await startFhirGateway(server, { PUENTE_ADAPTER_SETTINGS_CACHE_SECONDS: '0' });
afterAll(() => gateway.stop());

const old = () => id('Patient/ana');
let survivor = '';
const left = () => survivor;

/** Says that one record is replaced by another, and only if asked to that the other replaces it. */
async function merge(from: string, into: string, isMutual = false): Promise<void> {
  const link = (type: 'replaced-by' | 'replaces', other: string): NonNullable<Patient['link']> => [
    { type, other: { reference: `Patient/${other}` } },
  ];
  const { generalPractitioner: _, ...before } = await server.read('Patient', from);
  await server.update({ ...before, active: false, link: [...(before.link ?? []), ...link('replaced-by', into)] });
  const after = await server.read('Patient', into);
  if (isMutual) await server.update({ ...after, link: [...(after.link ?? []), ...link('replaces', from)] });
}

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const { status, text } = await gateway.ask(method, path, body);
  if (status >= 400) throw new Error(`${status} ${text}`);
  return JSON.parse(text) as T;
}
const listAppointments = async (patient: string) =>
  (
    await ask<{ appointments: readonly { id: string; cancelable: boolean }[] }>(
      'GET',
      `/patients/${patient}/appointments`,
    )
  ).appointments;
const listFamily = (patient: string) =>
  ask<{ family_group: readonly { id: string }[] }>('GET', `/patients/${patient}/family_group`);
const getStatus = async (method: string, path: string, body?: unknown) =>
  (await gateway.ask(method, path, body)).status;

const lists: readonly (readonly [name: string, path: (patient: string) => string])[] = [
  ['appointments of Group A', (patient) => `/patients/${patient}/appointments`],
  ['appointments of Group B', (patient) => `/v1/appointments?patientId=${patient}&limit=2&page=1`],
  ['health insurances', (patient) => `/patients/${patient}/health_insurances`],
  ['family group', (patient) => `/patients/${patient}/family_group`],
  ['tickets', (patient) => `/patients/${patient}/ticket/`],
  ['main practitioner', (patient) => `/patients/${patient}/practitioner`],
  ['request for another practitioner', (patient) => `/patients/${patient}/practitioner/change_request`],
];
const withoutIds = (text: string): string => text.replaceAll(/"patientId":"[^"]*"/g, '');

describe.each([
  ['HAPI', hapi],
  ['Medplum', medplum],
])('a patient who was merged into another on %s', (_, quirks) => {
  beforeEach(async () => {
    server.reset(quirks);
    const { id: _, identifier: __, ...same } = await server.read('Patient', old());
    survivor = (await server.create<Patient>(same)).id;
  });

  test.each(lists)('has what the record had among the %s of the one who is left, under either id', async (_, path) => {
    const before = await gateway.ask('GET', path(old()));
    await merge(old(), left());
    const [ofLeft, ofOld] = [await gateway.ask('GET', path(left())), await gateway.ask('GET', path(old()))];
    expect(before.status).toBe(200);
    expect(ofLeft.status).toBe(200);
    expect(ofOld.text).toBe(ofLeft.text);
    expect(withoutIds(ofLeft.text)).toBe(withoutIds(before.text));
    expect(ofLeft.text).not.toContain(old());
  });

  test.each([
    ['says that it replaces the other', true],
    ['does not say whom it replaces', false],
  ])('and into a third is the last of them, also where the last %s', async (_, isMutual) => {
    const own = await listAppointments(old());
    const { id: ___, link: __, ...same } = await server.read('Patient', left());
    const { id: middle } = await server.create<Patient>(same);
    await merge(old(), middle, isMutual);
    await merge(middle, left(), isMutual);
    for (const patient of [old(), middle, left()]) {
      expect(await listAppointments(patient)).toEqual(own);
      expect(await ask('GET', `/patients/${patient}`)).toMatchObject({ id: left() });
    }
    const found = await ask('GET', '/patients/search?identifier_type=DNI&identifier=31465466');
    expect(found).toMatchObject({ patients: [{ id: left() }] });
  });

  test('gets nothing new under the old id, for all is written for the one who is left', async () => {
    await merge(old(), left());
    const types = ['Appointment', 'Coverage', 'RelatedPerson', 'Task', 'QuestionnaireResponse'] as const;
    const countOfOld = async () => {
      const all = await Promise.all(types.map((type) => server.search(type)));
      return all.flat().filter((each) => JSON.stringify(each).includes(`Patient/${old()}`)).length;
    };
    const before = await countOfOld();
    const coverage = id('Coverage/ana-osde');
    const offer = (await listOffers(gateway, id)).at(-1);
    await ask('POST', `/patients/${old()}/appointments`, { ...offer, health_insurance_id: coverage });
    const plan = { beneficiaryId: old(), insurancePlanId: id('InsurancePlan/osde-310'), credentialNumber: '77-1' };
    await ask('POST', '/v1/coverages', plan);
    const relative = { relationship_code: 5, relationship_description: 'hermano', active: true };
    await ask('POST', `/patients/${old()}/family_group`, { related_patient_id: id('Patient/dario'), ...relative });
    const ticket = { observations: '', fields: [] };
    await ask('POST', `/patients/${old()}/ticket_type/${id('Questionnaire/receta')}/ticket`, ticket);
    await ask('PUT', `/patients/${old()}`, { phone: '+54 9 11 5555-0177' });
    expect(await countOfOld()).toBe(before);
    const created = (await server.search('Appointment')).find(
      (each) => each.start && Date.parse(each.start) === toMs(offer?.date),
    );
    expect(created?.participant.map(({ actor }) => actor?.reference)).toContain(`Patient/${left()}`);
    expect(
      (await server.search('Coverage', `beneficiary=Patient/${left()}`)).map((each) => each.subscriberId),
    ).toContain('77-1');
    expect(await server.search('RelatedPerson', `patient=Patient/${left()}`)).toHaveLength(1);
    expect(await server.search('Task', `patient=Patient/${left()}`)).toHaveLength(1);
    expect(JSON.stringify((await server.read('Patient', left())).telecom)).toContain('5555-0177');
  });

  test('has once what there can be once, on whichever record', async () => {
    await merge(old(), left());
    await merge(id('Patient/bruno'), id('Patient/dario'));
    const relative = { relationship_code: 3, relationship_description: 'cónyuge', active: true };
    const add = (of: string, related: string) =>
      getStatus('POST', `/patients/${of}/family_group`, { related_patient_id: related, ...relative });
    expect(await add(left(), id('Patient/bruno'))).toBe(409);
    expect(await add(old(), id('Patient/dario'))).toBe(409);
    expect(await add(old(), left())).toBe(422);
    const [{ credential_number } = {}] = (
      await ask<{ health_insurances: { credential_number?: string }[] }>('GET', `/patients/${left()}/health_insurances`)
    ).health_insurances;
    const plan = { beneficiaryId: left(), insurancePlanId: id('InsurancePlan/osde-210') };
    expect(await getStatus('POST', '/v1/coverages', { ...plan, credentialNumber: credential_number })).toBe(409);
  });

  test('has an old coverage taken up again for the one who is left', async () => {
    await merge(old(), left());
    const { subscriberId: credentialNumber } = await server.read('Coverage', id('Coverage/ana-swiss'));
    const plan = { beneficiaryId: left(), insurancePlanId: id('InsurancePlan/swiss-smg20'), credentialNumber };
    const ended = await server.read('Coverage', id('Coverage/ana-swiss'));
    const system = JSON.stringify(ended.identifier).replaceAll(
      'credential/swiss',
      `credential/${id('Organization/swiss')}`,
    );
    await server.update({ ...ended, identifier: JSON.parse(system) });
    const { model } = await ask<{ model: { id: string } }>('POST', '/v1/coverages', plan);
    expect(model.id).toBe(ended.id);
    expect((await server.read('Coverage', ended.id)).beneficiary?.reference).toBe(`Patient/${left()}`);
  });

  test.each([
    ['the old id', old],
    ['the id that is left', left],
  ])('can cancel an old appointment and remove an old relative under %s', async (_, toId) => {
    await merge(old(), left());
    const appointments = await listAppointments(left());
    const { id: appointmentId } = appointments.find(({ cancelable }) => cancelable)!;
    await ask('PUT', `/patients/${toId()}/appointments/${appointmentId}`, { status: 'canceled' });
    expect((await server.read('Appointment', appointmentId)).status).toBe('cancelled');
    const [member] = (await listFamily(left())).family_group;
    await ask('DELETE', `/patients/${toId()}/family_group/${member!.id}`);
    expect((await listFamily(left())).family_group).toHaveLength(1);
    expect(
      await getStatus('PUT', `/patients/${id('Patient/bruno')}/appointments/${appointmentId}`, { status: 'canceled' }),
    ).toBe(404);
  });

  test('can cancel an appointment that names both records', async () => {
    await merge(old(), left());
    const [appointment] = await server.search('Appointment', `patient=Patient/${old()}&status=booked&_sort=-date`);
    const both: Appointment = {
      ...appointment!,
      participant: [...appointment!.participant, { actor: { reference: `Patient/${left()}` }, status: 'accepted' }],
    };
    await server.update({ ...both, id: appointment!.id });
    const path = `/patients/${left()}/appointments`;
    const shown = await listAppointments(left());
    expect(shown.find((each) => each.id === appointment!.id)?.cancelable).toBe(true);
    expect(await getStatus('PUT', `${path}/${appointment!.id}`, { status: 'canceled' })).toBe(200);
  });

  test.each([
    ['into itself', async () => merge(old(), old())],
    ['in a circle', async () => merge(old(), left()).then(() => merge(left(), old()))],
    [
      'into a record that is gone',
      async () => {
        await merge(old(), left());
        const text = JSON.stringify(await server.read('Patient', old()));
        server.load(JSON.parse(text.replaceAll(`Patient/${left()}`, 'Patient/gone')));
      },
    ],
  ])('%s is who they are, with all that is theirs', async (_, mergeSo) => {
    // `merge` takes the main practitioner from a record.
    const own = lists.filter(([name]) => name !== 'main practitioner');
    const read = () =>
      Promise.all(
        own.map(async ([name, path]) => {
          const { status, text } = await gateway.ask('GET', path(old()));
          return { name, status, text };
        }),
      );
    const before = await read();
    await mergeSo();
    expect(await read()).toEqual(before);
    expect(await ask('GET', `/patients/${old()}`)).toMatchObject({ id: old() });
    expect(await ask('GET', '/patients/search?identifier_type=DNI&identifier=31465466')).toMatchObject({
      patients: [{ id: old(), status: 'Inactive' }],
    });
    const person = { identifier_type: 'DNI', identifier: '31465466', birth_date: '1985/11/30', gender: 'Female' };
    expect(await ask('POST', '/patients/', person)).toMatchObject({ id: old() });
  });
});

const toMs = (date = ''): number => Date.parse(`${date}-03:00`);
