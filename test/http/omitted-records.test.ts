import { describe, expect, test } from '@jest/globals';
import { operations } from '../../src/api/index.ts';
import { buildOpenApiDocument } from '../../src/api/openapi.ts';
import type { Call } from '../../src/ports/index.ts';
import { startGateway } from '../support/gateway.ts';

/** Lists nothing, and tells that it leaves records out: two of one kind and one of another. */
const listWithout = (call: Call) => {
  call.omit({ resourceType: 'Coverage', element: 'period/end' });
  call.omit({ resourceType: 'Coverage', element: 'period/end' });
  call.omit({ resourceType: 'Organization', element: 'name' });
  return [];
};

const unnamedPractitioner = { id: 'd', name: '', specialty: '', email: '', phone: '', workingHours: '', location: '' };

const port = {
  carriers: async (_filter: unknown, call: Call) => listWithout(call),
  coverages: async () => [],
  mainOf: async (_id: string, call: Call) => {
    listWithout(call);
    return { ...unnamedPractitioner, available: true };
  },
};

/** What a gateway with that port answers, what it logs of left out records, and its readiness. */
async function get(...paths: readonly string[]) {
  const gateway = await startGateway({ replacePort: () => port });
  const answers = [];
  for (const path of paths) {
    const { status, headers } = await gateway.ask('GET', path);
    answers.push({ status, omitted: headers['puente-omitted'] });
  }
  const readiness: unknown = JSON.parse((await gateway.ask('GET', '/readyz')).text);
  await gateway.stop();
  const lines = gateway.lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === 'record omitted')
    .map(({ time: _, requestId, ...line }) => ({ ...line, hasRequestId: typeof requestId === 'string' }));
  return { answers, lines, readiness };
}

const carriers = '/health_insurance_carriers/';

describe('a record that a list leaves out', () => {
  test('is counted in a header, and a list that leaves out none has no such header', async () => {
    const { answers } = await get(carriers, '/patients/ana/health_insurances');
    expect(answers).toEqual([
      { status: 200, omitted: '3' },
      { status: 200, omitted: undefined },
    ]);
  });

  test('is logged once for each kind of record, without an id or a value', async () => {
    const common = { level: 'warn', event: 'record omitted', operation: 'listCarriers', adapter: 'memory' };
    expect((await get(carriers)).lines).toEqual([
      { ...common, resourceType: 'Coverage', element: 'period/end', count: 2, hasRequestId: true },
      { ...common, resourceType: 'Organization', element: 'name', count: 1, hasRequestId: true },
    ]);
  });

  test('is counted by kind at /readyz since the start', async () => {
    expect((await get(carriers, carriers)).readiness).toEqual({
      status: 'ok',
      omitted: [
        { resourceType: 'Coverage', element: 'period/end', count: 4 },
        { resourceType: 'Organization', element: 'name', count: 2 },
      ],
    });
    expect((await get()).readiness).toEqual({ status: 'ok' });
  });

  test('is logged and counted, but in no header, where the answer is one thing', async () => {
    const { answers, lines } = await get('/patients/ana/practitioner');
    expect(answers).toEqual([{ status: 200, omitted: undefined }]);
    expect(lines).toHaveLength(2);
  });
});

describe('the OpenAPI document', () => {
  test('publishes Puente-Omitted for every operation that lists, and for no other', () => {
    const { paths = {}, components } = buildOpenApiDocument(operations, { version: '0.0.0' });
    const documented = operations.filter(({ route, returns: [status] }) => {
      const [method = '', path = ''] = route.split(' ');
      const described = (paths[path] as Record<string, { responses: Record<string, { headers?: object }> }>)[
        method.toLowerCase()
      ];
      return 'Puente-Omitted' in (described?.responses[status]?.headers ?? {});
    });
    expect(documented.map(({ name }) => name).toSorted()).toEqual(
      [
        ['searchPatients', 'listTicketTypes', 'listTickets', 'listAppointments', 'listCarriers', 'listPlans'],
        ['listHealthInsurances', 'listPractitionerChangeReasons', 'listPractitioners', 'searchHealthCareServices'],
        ['searchAvailableAppointments', 'getMedicalDirectory', 'listLocations', 'listFamilyGroup'],
        ['getAppointment', 'getHealthCareService', 'getFrequentHcs', 'getFrequentHcsByType', 'getAvailableSlots'],
        ['getInsuranceCarriers', 'getInsuranceCarriersByOwner'],
      ]
        .flat()
        .toSorted(),
    );
    expect(components?.headers).toHaveProperty('Omitted');
  });
});
