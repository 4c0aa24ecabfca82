import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Patient } from '@medplum/fhirtypes';
import { type Operation, operations } from '../../../../src/api/index.ts';
import { medplum } from '../../../fhir-server/quirks.ts';
import type { LoggedRequest } from '../../../fhir-server/request-log.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { terms } from '../../../hospital-in-fhir/terms.ts';
import { startFhirGateway } from '../../../support/fhir-gateway.ts';
import type { RunningGateway } from '../../../support/gateway.ts';

/** Every planted text begins with this, and every planted number holds those digits, so that one search finds all. */
const CANARY = 'ZZPHI';
const DIGITS = '87123457';
const BORN = ['1987-12-03', '1987/12/03'];
const SECRET = 'zz-secret-of-the-gateway';

const { server, id } = await startHospital();
const seen: string[] = [];
const refusals: string[] = [];
let gateway: RunningGateway;
let patientId: string;
let keys = 0;

const person = {
  birth_date: '1987/12/03',
  identifier_type: 'DNI',
  identifier: Number(DIGITS),
  gender: 'Female',
  name: `${CANARY}name`,
  last_name: `${CANARY}last`,
  phone: `${CANARY}phone`,
  email: `${CANARY}@example.org`,
  medical_record_id: `${CANARY}record`,
  address: { street: `${CANARY}street`, number: `${CANARY}number`, city: `${CANARY}city` },
};

async function ask(method: string, path: string, body?: unknown): Promise<string> {
  const answer = await gateway.ask(method, path, body, { 'idempotency-key': `${CANARY}key${keys++}` });
  (answer.status >= 400 ? refusals : seen).push(answer.text);
  return answer.text;
}

const isWrite = ({ method, path }: LoggedRequest): boolean => method !== 'GET' && !path.endsWith('_search');

/** Every operation with what a caller can say of the patient; the other ids are those of the hospital. */
async function askEverything(): Promise<void> {
  for (const operation of operations) await ask(...makeRequest(operation));
  await ask('GET', `/patients/search?identifier=${DIGITS}&identifier_type=DNI`);
  await ask('GET', `/patients/search?identifier=${DIGITS}`);
  await ask('GET', '/patients/search?birth_date=1987/12/03&gender=Female');
  await ask('GET', `/patients/search?identifier=${CANARY}7&identifier_type=Passport`);
  await ask('POST', '/patients/', { ...person, birth_date: '1901/01/01' });
  await ask('PUT', `/patients/${patientId}`, { identifier_type: 'DNI', identifier: 31465466 });
  await ask('PUT', `/patients/${patientId}`, { identifier_type: 'Passport', identifier: `${CANARY}8` });
}

function makeRequest(operation: Operation): [string, string, unknown] {
  const [method = '', template = ''] = operation.route.split(' ');
  const service = id('HealthcareService/consulta-clinica');
  const practitioner = id('Practitioner/paz');
  const known: Record<string, unknown> = {
    ...person,
    patient_id: patientId,
    patientId,
    beneficiaryId: patientId,
    related_patient_id: id('Patient/elena'),
    relationship_code: 2,
    relationship_description: `${CANARY}mother`,
    active: true,
    health_care_service_id: service,
    hcsId: service,
    practitioner_id: practitioner,
    practitionersIds: [practitioner],
    reason_id: 'horario',
    observations: `${CANARY}observed`,
    fields: [{ id: 'medicamento', value: `${CANARY} 50 mg` }],
    credentialNumber: `${CANARY}credential`,
    insurancePlanId: id('InsurancePlan/osde-210'),
    health_insurance_id: id('Coverage/bruno-osde'),
    patientCoverageId: id('Coverage/bruno-osde'),
    status: 'canceled',
    date: '2040-01-01T10:00:00',
    appointmentDate: '2040-01-01',
    appointmentStart: '10:00',
    identifier_type: 'DNI',
    type: 'CONSULTA',
  };
  const shape = (part: unknown): string[] => Object.keys((part as { shape?: object } | undefined)?.shape ?? {});
  const params: Record<string, string> = {
    id: patientId,
    ticket_type_id: id('Questionnaire/receta'),
    coverageId: id('Coverage/ana-osde'),
  };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? `${CANARY}-${name}`.slice(0, 60));
  const query = new URLSearchParams(
    shape(operation.query).flatMap((name): [string, string][] => (name in known ? [[name, String(known[name])]] : [])),
  );
  const names = shape(operation.body).filter((name) => name in known);
  const body = operation.body && Object.fromEntries(names.map((name) => [name, known[name]]));
  return [method, `${path}?${query}`, body];
}

beforeAll(async () => {
  server.reset({ ...medplum, auth: { kind: 'bearer', token: SECRET } });
  process.env.FHIR_TEST_TOKEN = SECRET;
  gateway = await startFhirGateway(server, {
    PUENTE_ADAPTER_SETTINGS_AUTH: JSON.stringify({ kind: 'bearer', token: 'env:FHIR_TEST_TOKEN' }),
    PUENTE_ADAPTER_SETTINGS_RETRIES: '0',
  });
  patientId = (JSON.parse(await ask('POST', '/patients/', person)) as { id: string }).id;
  await ask('PUT', `/patients/${patientId}`, person);
  await askEverything();

  // The same when the server fails in ways that tempt to repeat what it said, or what it was told.
  for (const fault of ['lost answers', 'lost requests', 'refused credentials', 'broken resources'] as const) {
    if (fault === 'lost answers') server.quirks.loseAnswer = isWrite;
    if (fault === 'lost requests') server.quirks.loseRequest = () => true;
    if (fault === 'refused credentials') server.quirks.auth = { kind: 'bearer', token: 'another' };
    if (fault === 'broken resources') await spoilPatient();
    await askEverything();
    Object.assign(server.quirks, {
      loseAnswer: () => false,
      loseRequest: () => false,
      auth: { kind: 'bearer', token: SECRET },
    });
  }
});

/** The patient is on record with a birth date that the API cannot say, so that every answer with it is refused. */
async function spoilPatient(): Promise<void> {
  const { birthDate: _, ...rest } = await server.read('Patient', patientId);
  await server.update<Patient & { id: string }>({ ...rest, birthDate: '1987', id: patientId });
}

afterAll(() => gateway.stop());

const planted = [CANARY, DIGITS, ...BORN, SECRET];

describe('in front of a FHIR server, what belongs to a patient', () => {
  test('was really on its way', async () => {
    const all = seen.join();
    expect(all).toContain(`${CANARY}last`);
    expect(server.requests.all.map(({ body }) => body).join()).toContain(DIGITS);
    expect((await server.search('Patient', `identifier=${terms.dni}|${DIGITS}`)).map(({ id }) => id)).toEqual([
      patientId,
    ]);
    expect(refusals.length).toBeGreaterThan(operations.length * 2);
    const statuses = new Set(gateway.lines.map((line) => (JSON.parse(line) as { status: number }).status));
    for (const status of [200, 201, 404, 409, 422, 502, 504]) expect(statuses).toContain(status);
  });

  test.each(planted)('stands in no log line: %s', (value) => {
    expect(gateway.lines.filter((line) => line.includes(value))).toEqual([]);
  });

  test.each(planted)('stands in no error body: %s', (value) => {
    expect(refusals.filter((body) => body.includes(value))).toEqual([]);
  });

  test('has its id in no log line', () => {
    expect(gateway.lines.filter((line) => line.includes(patientId))).toEqual([]);
  });

  test.each([DIGITS, CANARY, 'ZZPHI7', ...BORN])('stands in no URL that the server is asked for: %s', (value) => {
    const targets = server.requests.all.map(({ target }) => decodeURIComponent(target));
    // An id that a caller invents is an id; whatever identifies a person is none.
    expect(targets.filter((target) => target.includes(value))).toEqual([]);
  });

  test('stands in no header that the server is sent, but for the condition of a create', () => {
    const headers = server.requests.all
      .map(({ headers: { authorization: _, 'if-none-exist': __, ...rest } }) => JSON.stringify(rest))
      .join();
    expect(headers).not.toMatch(new RegExp([CANARY, ...BORN].join('|')));
  });
});
