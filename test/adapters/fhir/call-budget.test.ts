import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Call } from '../../../src/ports/index.ts';
import { connect, type FhirPorts } from '../../support/fhir-adapter.ts';
import { callNow } from '../../support/fhir-calls.ts';
import { setUpHospital } from '../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital({ transactions: 'probe' }, { isReady: true });

type Work = (ports: FhirPorts, call: Call) => Promise<unknown>;

const findBruno = () => ({ patientId: id('Patient/bruno'), coverageId: id('Coverage/bruno-osde') });
const findAna = () => id('Patient/ana');
const findService = () => id('HealthcareService/consulta-clinica');

/** A free slot of Dr Paz, looked up without the adapter. */
async function findFreeSlot(): Promise<string> {
  const slots = await server.search('Slot', `schedule=Schedule/${id('Schedule/paz-central')}&status=free&_sort=start`);
  const start = slots.at(-1)?.start ?? '';
  return start.slice(0, 19);
}

async function book(start: string, { appointments }: FhirPorts, call: Call): Promise<{ id: string }> {
  const { patientId, coverageId } = findBruno();
  const practitionerIds = [id('Practitioner/paz')];
  return appointments.book(patientId, { serviceId: findService(), practitionerIds, start, coverageId }, call);
}

const addRelative: Work = (all, call) => {
  const relatedPatientId = id('Patient/elena');
  const member = { relatedPatientId, relationshipCode: 2, relationshipDescription: 'madre', active: true };
  return all['family-groups'].add(findBruno().patientId, member, call);
};

const requestChange: Work = ({ practitioners }, call) =>
  practitioners.requestChange(findBruno().patientId, { reasonId: 'mudanza' }, call);

const born = { birthDate: '1992-04-17', gender: 'Female' } as const;

/** HTTP calls at most: with nothing in the catalogue, and with all of it. */
const budget: readonly (readonly [name: string, cold: number, warm: number, work: Work])[] = [
  ['patients.search', 1, 1, ({ patients }, call) => patients.search({ identifier: '31465466' }, call)],
  [
    'patients.search of the gender Other',
    1,
    1,
    ({ patients }, call) => patients.search({ ...born, gender: 'Other' }, call),
  ],
  ['patients.get', 1, 1, ({ patients }, call) => patients.get(findAna(), call)],
  [
    'patients.register',
    3,
    3,
    ({ patients }, call) => {
      const value = String(40_000_000 + Math.floor(Math.random() * 1_000_000));
      return patients.register({ identifier: { type: 'DNI', value }, ...born }, call);
    },
  ],
  ['patients.update', 2, 2, ({ patients }, call) => patients.update(findAna(), { phone: '+54 9 11 5555-0199' }, call)],
  [
    'patients.update of the identifier',
    3,
    3,
    ({ patients }, call) => {
      const value = String(50_000_000 + Math.floor(Math.random() * 1_000_000));
      return patients.update(findAna(), { identifier: { type: 'DNI', value } }, call);
    },
  ],
  ['tickets.types', 1, 0, ({ tickets }, call) => tickets.types(call)],
  ['tickets.list', 3, 2, ({ tickets }, call) => tickets.list(findAna(), {}, call)],
  ['tickets.list of nothing', 2, 2, ({ tickets }, call) => tickets.list(findBruno().patientId, {}, call)],
  ['appointments.list', 2, 2, ({ appointments }, call) => appointments.list(findAna(), { order: 'ascending' }, call)],
  [
    'appointments.list of a page beyond the end',
    2,
    2,
    ({ appointments }, call) =>
      appointments.list(findAna(), { order: 'ascending', page: { page: 9, limit: 10 } }, call),
  ],
  ['appointments.slots', 4, 1, ({ appointments }, call) => appointments.slots({ serviceId: findService() }, call)],
  [
    'appointments.slots for a patient with a coverage',
    5,
    2,
    ({ appointments }, call) => appointments.slots({ serviceId: findService(), ...findBruno() }, call),
  ],
  ['insurance.carriers', 1, 0, ({ insurance }, call) => insurance.carriers({}, call)],
  [
    'insurance.carriers of an owner',
    2,
    0,
    ({ insurance }, call) => insurance.carriers({ ownerId: id('Organization/sanatorio-del-puente') }, call),
  ],
  ['insurance.plans', 2, 0, ({ insurance }, call) => insurance.plans('OSDE', call)],
  ['insurance.coverages', 2, 2, ({ insurance }, call) => insurance.coverages(findAna(), call)],
  ['practitioners.mainOf', 2, 1, ({ practitioners }, call) => practitioners.mainOf(findAna(), call)],
  ['practitioners.list', 2, 0, ({ practitioners }, call) => practitioners.list(call)],
  ['care-services.available', 3, 1, (all, call) => all['care-services'].available(findBruno(), call)],
  ['directory.locations', 1, 0, ({ directory }, call) => directory.locations(call)],
  ['directory.entries', 3, 0, ({ directory }, call) => directory.entries(call)],
  ['family-groups.list', 2, 2, (all, call) => all['family-groups'].list(findAna(), call)],
  ['care-services.frequent', 4, 3, (all, call) => all['care-services'].frequent(findBruno(), call)],
  ['family-groups.add', 2, 2, addRelative],
  ['practitioners.requestChange', 2, 2, requestChange],
];
/** What the hospital, as it is at first, lets do only once. */
const once: readonly Work[] = [addRelative, requestChange];

describe('the calls to the FHIR server', () => {
  test.each(budget)('that %s needs are at most %i cold and %i warm', async (_name, cold, warm, work) => {
    await work(ports, callNow());
    expect(server.requests.calls.length).toBeLessThanOrEqual(cold);
    expect(server.requests.calls.length).toBeGreaterThan(0);
    if (once.includes(work)) server.reset();
    server.requests.reset();
    await work(ports, callNow());
    expect(server.requests.calls.length).toBeLessThanOrEqual(warm);
  });

  test('that a booking needs are six cold and three warm', async () => {
    const start = await findFreeSlot();
    await book(start, ports, callNow());
    expect(server.requests.calls.length).toBeLessThanOrEqual(6);
    server.requests.reset();
    await book(await findFreeSlot(), ports, callNow());
    expect(server.requests.calls.length).toBeLessThanOrEqual(3);
  });

  test('that a booking with a key needs are four, and those of a new coverage three', async () => {
    await book(await findFreeSlot(), ports, callNow());
    server.requests.reset();
    await book(await findFreeSlot(), ports, callNow({ idempotencyKey: randomUUID() }));
    expect(server.requests.calls).toHaveLength(4);
    const coverage = { beneficiaryId: findAna(), planId: id('InsurancePlan/swiss-smg20'), credentialNumber: '60-1' };
    await ports.insurance.plans('OSDE', callNow());
    server.requests.reset();
    await ports.insurance.create(coverage, callNow());
    expect(server.requests.calls).toHaveLength(3);
  });

  test('that a cancellation needs are three', async () => {
    const { id: appointmentId } = await book(await findFreeSlot(), ports, callNow());
    server.requests.reset();
    await ports.appointments.cancel(findBruno().patientId, appointmentId, callNow());
    expect(server.requests.calls).toEqual(['GET Appointment', 'GET Appointment', 'POST ']);
  });

  test('that removing a relative needs are two', async () => {
    const [relative] = await ports['family-groups'].list(findAna(), callNow());
    server.requests.reset();
    await ports['family-groups'].remove(findAna(), relative?.id ?? '', callNow());
    expect(server.requests.calls.length).toBe(2);
  });

  test('that a list of tickets needs are two, and one for each file', async () => {
    const { tickets } = ports;
    const file = { id: 'orden', value: Buffer.from('%PDF-1.7').toString('base64') };
    const filed = { observations: '', fields: [file] };
    for (let turn = 0; turn < 3; turn++) {
      await tickets.open(findBruno().patientId, id('Questionnaire/autorizacion'), filed, callNow());
    }
    server.requests.reset();
    expect(await tickets.list(findBruno().patientId, {}, callNow())).toHaveLength(3);
    expect(server.requests.calls.length).toBeLessThanOrEqual(2 + 3);
  });

  test('that filing a ticket needs are three cold, two warm, and one for each file', async () => {
    const { tickets } = ports;
    const type = id('Questionnaire/autorizacion');
    const file = { id: 'orden', value: Buffer.from('%PDF-1.7').toString('base64') };
    await tickets.open(findAna(), type, { observations: '', fields: [] }, callNow());
    expect(server.requests.calls.length).toBeLessThanOrEqual(3);
    server.requests.reset();
    await tickets.open(findAna(), type, { observations: '', fields: [file] }, callNow());
    expect(server.requests.calls.length).toBeLessThanOrEqual(3);
  });

  test.each<[what: string, type: string, work: Work]>([
    [
      'coverage',
      'Coverage',
      ({ insurance }, call) => {
        const planId = id('InsurancePlan/swiss-smg20');
        return insurance.create({ beneficiaryId: id('Patient/dario'), planId, credentialNumber: '60-1' }, call);
      },
    ],
    ['relative', 'RelatedPerson', addRelative],
    ['request for another practitioner', 'Task', requestChange],
  ])('that finding out whether a %s was written needs are one, when no answer came', async (_what, type, work) => {
    server.quirks.loseRequest = ({ method, path }) => method === 'POST' && path === type;
    await expect(work(ports, callNow())).rejects.toMatchObject({ kind: 'outcome_unknown' });
    const { calls } = server.requests;
    expect(calls.slice(calls.lastIndexOf(`POST ${type}`) + 1)).toEqual([`GET ${type}`]);
  });

  test('that a start needs are at most 70', async () => {
    const { readiness } = await connect(server);
    await readiness.report(new AbortController().signal);
    expect(server.requests.calls.filter((each) => each === 'POST Basic').length).toBeGreaterThanOrEqual(40);
    expect(server.requests.calls.length).toBeLessThanOrEqual(70);
  });

  test('are as many each time when nothing is kept', async () => {
    const { ports } = await connect(server, { cacheSeconds: 0 });
    for (let turn = 1; turn <= 2; turn++) {
      await ports.practitioners.list(callNow());
      expect(server.requests.calls.length).toBe(turn * 2);
    }
  });
});
