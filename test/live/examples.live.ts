import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { parseLocation } from '../../adapters/fhir/rest/decode.ts';
import { call } from '../fhir-server/caller.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { readLiveServer } from '../support/live-server.ts';
import { logIn } from '../support/write-resources.ts';

// npm run test:live: example sets that others have published, which the registry of npm has as packages. They are written
// under new ids, and nothing of them is kept here.
const { FHIR_LIVE_EXAMPLES: packages = 'hl7.fhir.r4.examples@4.0.1' } = process.env;
const server = readLiveServer();
jest.setTimeout(900_000);

/** What is referred to goes first. */
const types = [
  ...['Organization', 'Location', 'Practitioner', 'Patient', 'HealthcareService', 'PractitionerRole', 'InsurancePlan'],
  ...['OrganizationAffiliation', 'Coverage', 'RelatedPerson', 'Schedule', 'Slot', 'Appointment', 'Questionnaire'],
  ...['QuestionnaireResponse', 'Task'],
];

type Example = Resource & { readonly id: string };

function readExamples(): Example[] {
  const folder = mkdtempSync(join(tmpdir(), 'puente-examples-'));
  try {
    return packages.split(',').flatMap((name) => {
      const packed = execFileSync('npm', ['pack', '--silent', name], { cwd: folder, encoding: 'utf8' }).trim();
      execFileSync('tar', ['-xzf', packed], { cwd: folder });
      const files = globSync('package/**/*.json', { cwd: folder }).toSorted();
      const all = files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Example);
      rmSync(join(folder, 'package'), { recursive: true });
      return all.filter(({ resourceType, id }) => types.includes(resourceType) && id !== undefined);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const ids = new Map<string, string>();

/** With the new ids of what was written before; a reference to anything else keeps its words alone. */
function translate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(translate);
  if (typeof value !== 'object' || value === null) return value;
  const { reference, ...rest } = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, translate(each)]),
  );
  if (typeof reference !== 'string') return { ...rest, ...(reference !== undefined && { reference }) };
  const known = reference.startsWith('#') ? reference : ids.get(reference);
  return known === undefined ? { display: reference, ...rest } : { ...rest, reference: known };
}

const refused: string[] = [];
let gateway: RunningGateway;

beforeAll(async () => {
  const examples = readExamples().toSorted((a, b) => types.indexOf(a.resourceType) - types.indexOf(b.resourceType));
  for (const { id, meta: _, ...example } of examples as (Example & { meta?: unknown })[]) {
    const { resourceType } = example;
    const url = `${server.baseUrl}/${resourceType}`;
    const { status, headers } = await call(url, 'POST', translate(example), await logIn(server));
    const written = parseLocation(headers.get('location') ?? undefined);
    if (status === 201 && written.id) ids.set(`${resourceType}/${id}`, `${resourceType}/${written.id}`);
    else refused.push(`${resourceType} ${status}`);
  }
  process.stdout.write(
    `${ids.size} examples written, ${refused.length} refused: ${[...new Set(refused)].join(', ')}\n`,
  );
  gateway = await startGateway({
    file: 'config/fhir.yaml',
    environment: {
      PUENTE_ADAPTER_SETTINGS_BASE_URL: server.baseUrl,
      PUENTE_ADAPTER_SETTINGS_AUTH: JSON.stringify(server.auth ?? { kind: 'none' }),
      PUENTE_ADAPTER_SETTINGS_LIMITS_ENTRIES: '50000',
      PUENTE_ADAPTER_SETTINGS_LIMITS_PAGES: '1000',
      PUENTE_ADAPTER_SETTINGS_TIMEOUT: '60000',
    },
  });
});

afterAll(() => gateway.stop());

const listIds = (type: string) =>
  [...ids.values()].filter((each) => each.startsWith(`${type}/`)).map((each) => each.slice(type.length + 1));

async function ask(path: string): Promise<{ status: number; text: string; omitted: number }> {
  const { status, text, headers } = await gateway.ask('GET', path);
  return { status, text, omitted: Number(headers['puente-omitted'] ?? 0) };
}

describe('of the examples that others have published', () => {
  test('every patient is shown, and every list of theirs is answered', async () => {
    const failed: string[] = [];
    for (const id of listIds('Patient')) {
      const reads = ['', '/appointments', '/ticket/', '/health_insurances', '/family_group'];
      const maybe = ['/practitioner', '/practitioner/change_request'];
      for (const read of [...reads, ...maybe]) {
        const { status } = await ask(`/patients/${id}${read}`);
        if (status !== 200 && !(status === 404 && maybe.includes(read))) failed.push(`${read} ${status}`);
      }
      const { status } = await ask(`/v1/appointments?patientId=${id}`);
      if (status !== 200) failed.push(`/v1/appointments ${status}`);
    }
    expect(listIds('Patient').length).toBeGreaterThan(0);
    expect(failed).toEqual([]);
  });

  test('every practitioner is listed, or counted as left out', async () => {
    const { status, text, omitted } = await ask('/practitioner/');
    expect(status).toBe(200);
    const missing = listIds('Practitioner').filter((id) => !text.includes(`"${id}"`));
    expect(missing.length).toBeLessThanOrEqual(omitted);
  });

  test.each([
    '/location/',
    '/health_insurance_carriers/',
    '/ticket_types',
    '/api/medical-directory',
    '/v1/insurance-carriers',
  ])('%s is answered', async (path) => {
    expect(await ask(path)).toMatchObject({ status: 200 });
  });

  test('every coverage is among those of its patient', async () => {
    for (const id of listIds('Coverage')) {
      const headers = await logIn(server);
      const { body } = await call<Resource>(`${server.baseUrl}/Coverage/${id}`, 'GET', undefined, headers);
      const { beneficiary, status } = body as { beneficiary?: { reference?: string }; status?: string };
      const [, patient] = beneficiary?.reference?.split('/') ?? [];
      if (patient === undefined || status === 'entered-in-error') continue;
      const { text, omitted } = await ask(`/patients/${patient}/health_insurances`);
      expect(omitted > 0 || text.includes(`"${id}"`)).toBe(true);
      for (const list of ['health-care-services', 'frequent-health-care-services']) {
        expect(await ask(`/v1/${list}?patientId=${patient}&patientCoverageId=${id}`)).toMatchObject({ status: 200 });
      }
    }
  });
});
