import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Appointment, Coverage, Reference, Resource } from '@medplum/fhirtypes';
import { parseLocation } from '../../adapters/fhir/rest/decode.ts';
import { call, get } from '../fhir-server/caller.ts';
import { exampleSets, listClients, readExamples } from '../support/example-sets.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { readLiveServer } from '../support/live-server.ts';
import { isThere } from '../support/proxies.ts';
import { logIn } from '../support/write-resources.ts';

// npm run test:live: example sets that others have published, which the registries of npm and Maven have as packages. They
// are written under new ids, and nothing of them is kept here.
const { FHIR_LIVE_EXAMPLES: packages } = process.env;
const server = readLiveServer();
jest.setTimeout(900_000);

/** What nobody has an appointment by: proposals, and mistakes. */
const noAppointments = ['proposed', 'waitlist', 'entered-in-error'];

let gateway: RunningGateway | undefined;
afterAll(() => gateway?.stop());

const start = () =>
  startGateway({
    file: 'config/fhir.yaml',
    environment: {
      PUENTE_ADAPTER_SETTINGS_BASE_URL: server.baseUrl,
      PUENTE_ADAPTER_SETTINGS_AUTH: JSON.stringify(server.auth ?? { kind: 'none' }),
      PUENTE_ADAPTER_SETTINGS_LIMITS_ENTRIES: '50000',
      PUENTE_ADAPTER_SETTINGS_LIMITS_PAGES: '1000',
      PUENTE_ADAPTER_SETTINGS_TIMEOUT: '60000',
    },
  });

/** With the new names of what was written before; a reference to anything else keeps its words alone. */
function translate(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => translate(each, names));
  if (typeof value !== 'object' || value === null) return value;
  const { reference, ...rest } = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, translate(each, names)]),
  );
  if (typeof reference !== 'string') return { ...rest, ...(reference !== undefined && { reference }) };
  const known = reference.startsWith('#') ? reference : names.get(reference);
  return known === undefined ? { display: reference, ...rest } : { ...rest, reference: known };
}

/** Writes the examples, and gives their new ids. */
async function load(name: string): Promise<(type: string) => string[]> {
  const names = new Map<string, string>();
  const written: string[] = [];
  const refused: string[] = [];
  for (const { resource, names: own } of await readExamples(name)) {
    const { id: _, meta: __, ...example } = resource;
    const url = `${server.baseUrl}/${resource.resourceType}`;
    const { status, headers } = await call(url, 'POST', translate(example, names), await logIn(server));
    const { id } = parseLocation(headers.get('location') ?? undefined);
    if (status !== 201 || !id) {
      refused.push(`${resource.resourceType} ${status}`);
      continue;
    }
    written.push(`${resource.resourceType}/${id}`);
    for (const each of own) names.set(each, `${resource.resourceType}/${id}`);
  }
  process.stdout.write(
    `${name}: ${written.length} written, ${refused.length} refused: ${[...new Set(refused)].join(', ')}\n`,
  );
  return (type) => written.filter((each) => each.startsWith(`${type}/`)).map((each) => each.slice(type.length + 1));
}

describe.each(packages?.split(',') ?? exampleSets)('of the examples of %s', (name) => {
  const missing = listClients(name).find((program) => !isThere(program));
  if (missing) return void test.skip(`(skipped: there is no ${missing} here)`, () => undefined);

  let listIds: (type: string) => string[];
  let reads = 0;

  beforeAll(async () => {
    listIds = await load(name);
    await gateway?.stop();
    gateway = await start();
  });
  afterAll(() => void process.stdout.write(`${name}: ${reads} reads\n`));

  async function ask(path: string, body?: object) {
    reads += 1;
    const { status, text, headers } = await gateway!.ask(body ? 'POST' : 'GET', path, body);
    return { status, text, omitted: Number(headers['puente-omitted'] ?? 0) };
  }

  /** What is answered neither with 200 nor with what is allowed, in words. */
  async function findFailures(paths: readonly string[], allowed: readonly number[] = []): Promise<string[]> {
    const failed: string[] = [];
    for (const path of paths) {
      const { status, text } = await ask(path);
      if (status !== 200 && !allowed.includes(status)) failed.push(`${path} ${status} ${text}`);
    }
    return failed;
  }

  test('every patient is shown, and every list of theirs is answered', async () => {
    for (const id of listIds('Patient')) {
      const lists = ['', '/appointments', '/ticket/', '/health_insurances', '/family_group'];
      const queries = [`/v1/appointments?patientId=${id}`, `/health-care-services/search?patient_id=${id}`];
      expect(await findFailures([...lists.map((list) => `/patients/${id}${list}`), ...queries])).toEqual([]);
      const maybe = ['/practitioner', '/practitioner/change_request'];
      expect(
        await findFailures(
          maybe.map((one) => `/patients/${id}${one}`),
          [404],
        ),
      ).toEqual([]);
    }
  });

  test('every list of the institution is answered, and has every practitioner but those that it counts as left out', async () => {
    const lists = ['/location/', '/health_insurance_carriers/', '/ticket_types', '/api/medical-directory'];
    expect(await findFailures([...lists, '/v1/insurance-carriers'])).toEqual([]);
    const { status, text, omitted } = await ask('/practitioner/');
    expect(status).toBe(200);
    const missing = listIds('Practitioner').filter((id) => !text.includes(`"${id}"`));
    expect(missing.length).toBeLessThanOrEqual(omitted);
  });

  test('the plans and contracts of every organization, and the times of every service, are answered', async () => {
    for (const id of listIds('Organization')) {
      expect(await findFailures([`/health_insurance_carriers/${id}/health_insurance_plans/`], [404])).toEqual([]);
      expect(await findFailures([`/v1/insurance-carriers/by-owner?ownerId=${id}`])).toEqual([]);
    }
    for (const id of listIds('HealthcareService')) {
      expect(await findFailures([`/available-appointments/search?health_care_service_id=${id}`], [404, 422])).toEqual(
        [],
      );
      const { status } = await ask('/v1/available-slots', { hcsId: id });
      expect([200, 404, 422]).toContain(status);
    }
  });

  const readOf = async <T extends Resource>(type: T['resourceType'], id: string) =>
    (await get<T>(`${server.baseUrl}/${type}/${id}`, await logIn(server))).body;
  const findPatient = (references: readonly (Reference | undefined)[]) =>
    references.flatMap((each) => /^Patient\/([^/]+)$/.exec(each?.reference ?? '')?.[1] ?? [])[0];

  test('every coverage and every appointment is among those of its patient', async () => {
    for (const id of listIds('Coverage')) {
      const { beneficiary, status } = await readOf<Coverage>('Coverage', id);
      const patient = findPatient([beneficiary]);
      if (patient === undefined || status === 'entered-in-error') continue;
      const { text, omitted } = await ask(`/patients/${patient}/health_insurances`);
      expect(omitted > 0 || text.includes(`"${id}"`)).toBe(true);
      const lists = ['health-care-services', 'frequent-health-care-services'];
      const query = `patientId=${patient}&patientCoverageId=${id}`;
      expect(await findFailures(lists.map((list) => `/v1/${list}?${query}`))).toEqual([]);
    }
    for (const id of listIds('Appointment')) {
      const { participant, status, start } = await readOf<Appointment>('Appointment', id);
      const patient = findPatient((participant ?? []).map(({ actor }) => actor));
      if (patient === undefined || start === undefined || noAppointments.includes(status)) continue;
      const { text, omitted } = await ask(`/patients/${patient}/appointments`);
      expect(omitted > 0 || text.includes(`"${id}"`)).toBe(true);
    }
  });
});
