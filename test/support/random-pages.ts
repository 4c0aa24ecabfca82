import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import fc from 'fast-check';
import { startGateway } from './gateway.ts';
import type { LiveServer } from './live-gateway.ts';
import { send } from './raw-request.ts';
import { writeResources } from './write-resources.ts';

/** A list of Group B, and the ids that belong on its pages. */
interface List {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly ids: readonly string[];
}

interface Row {
  readonly id?: string;
  readonly appointmentId?: string;
}

const HOUR = 3_600_000;
/** Most rows of a list; those of a patient begin at one of five moments, free slots at one of fifteen. */
const ROWS = 40;

/**
 * Reads whole lists of a gateway in front of the FHIR server, in pages of random sizes and in both orders, until there were
 * so many pages: each row must be on one page, and each page must tell how many there are. Most rows begin when others do.
 */
export async function readRandomPages(server: LiveServer, pages: number): Promise<void> {
  const namespace = `https://hia.example.org/pages/${randomUUID()}`;
  const lists = await writeLists(server, namespace);
  const gateway = await startGateway({
    file: 'config/fhir.yaml',
    environment: {
      PUENTE_ADAPTER_SETTINGS_BASE_URL: server.baseUrl,
      PUENTE_ADAPTER_SETTINGS_AUTH: JSON.stringify(server.auth ?? { kind: 'none' }),
      PUENTE_ADAPTER_SETTINGS_NAMESPACE: namespace,
      PUENTE_ADAPTER_SETTINGS_TIMEOUT: '60000',
      // Others may have left any number of schedules there.
      PUENTE_ADAPTER_SETTINGS_LIMITS_ENTRIES: '20000',
      PUENTE_ADAPTER_SETTINGS_LIMITS_PAGES: '200',
    },
  });
  const headers = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' };
  const readPage = async ({ method, path, body }: List, page: number, limit: number) => {
    const target = `${path}page=${page}&limit=${limit}`;
    const { status, text } = await send(gateway.url, method, target, headers, body && JSON.stringify(body));
    expect({ status, text }).toMatchObject({ status: 200 });
    const { data, pagination } = JSON.parse(text) as { data: Row[]; pagination: { totalElements: number } };
    return { ids: data.map(({ id, appointmentId }) => appointmentId ?? id), total: pagination.totalElements };
  };
  try {
    for (let read = 0; read < pages; ) {
      const [list, limit] = pick(fc.tuple(fc.constantFrom(...lists), fc.integer({ min: 1, max: 13 })));
      const ids: (string | undefined)[] = [];
      const count = Math.max(1, Math.ceil(list.ids.length / limit));
      for (let page = 0; page < count; page++, read++) {
        const found = await readPage(list, page, limit);
        expect({ path: list.path, page, limit, total: found.total }).toMatchObject({ total: list.ids.length });
        ids.push(...found.ids);
      }
      expect({ ...list, limit, ids: ids.toSorted() }).toEqual({ ...list, limit, ids: list.ids.toSorted() });
    }
  } finally {
    await gateway.stop();
  }
}

const pick = <T>(values: fc.Arbitrary<T>): T => fc.sample(values, 1)[0]!;
const pickCount = (): number => pick(fc.integer({ min: 0, max: ROWS }));

/** Two patients with appointments, and a service with free slots in four schedules. */
async function writeLists(server: LiveServer, namespace: string): Promise<List[]> {
  const write = (resources: readonly Resource[]) => writeResources(server, resources);
  const code = { coding: [{ system: `${namespace}/CodeSystem/hcs`, code: 'P_1' }] };
  const [place = '', person = '', service = '', ana = '', bruno = ''] = await write([
    { resourceType: 'Location', status: 'active', name: 'Pages' },
    { resourceType: 'Practitioner', active: true, name: [{ family: 'Pages' }] },
    { resourceType: 'HealthcareService', active: true, name: 'Pages', type: [code] },
    { resourceType: 'Patient', active: true, name: [{ family: 'Pages' }] },
    { resourceType: 'Patient', active: true, name: [{ family: 'Pages' }] },
  ]);
  const schedules = await write(
    [1, 2, 3, 4].map(() => ({
      resourceType: 'Schedule',
      active: true,
      serviceType: [code],
      actor: [{ reference: `Practitioner/${person}` }, { reference: `Location/${place}` }],
    })),
  );
  const toTimes = (moments: number) => {
    const begins = Math.ceil(Date.now() / HOUR + 24 + pick(fc.integer({ min: 1, max: moments }))) * HOUR;
    return { start: new Date(begins).toISOString(), end: new Date(begins + HOUR / 3).toISOString() };
  };
  const slots = await write(
    Array.from({ length: 2 * ROWS + pickCount() }, () => ({
      resourceType: 'Slot',
      status: 'free',
      schedule: { reference: `Schedule/${pick(fc.constantFrom(...schedules))}` },
      ...toTimes(15),
    })),
  );
  const lists: List[] = [{ method: 'POST', path: '/v1/available-slots?', body: { hcsId: service }, ids: slots }];
  for (const patient of [ana, bruno]) {
    const statuses = Array.from({ length: ROWS + pickCount() }, () => pick(fc.constantFrom('booked', 'cancelled')));
    const ids = await write(
      statuses.map((status) => ({
        resourceType: 'Appointment',
        status,
        ...toTimes(5),
        participant: [`Patient/${patient}`, `Practitioner/${person}`].map((reference) => ({
          actor: { reference },
          status: 'accepted',
        })),
      })),
    );
    for (const direction of ['ASC', 'DESC']) {
      const path = `/v1/appointments?patientId=${patient}&sortDirection=${direction}&`;
      lists.push({ method: 'GET', path, ids });
      const active = ids.filter((_, index) => statuses[index] === 'booked');
      lists.push({ method: 'GET', path: `${path}appointmentStatus=active&`, ids: active });
    }
  }
  return lists;
}
