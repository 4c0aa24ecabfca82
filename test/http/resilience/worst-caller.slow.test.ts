import { hash } from 'node:crypto';
import { afterAll, expect, jest, test } from '@jest/globals';
import type { Fixtures } from '../../../src/contract/index.ts';
import { toFixtures } from '../../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../../support/fhir-gateway.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { countStatuses, times, wait } from '../../support/guarded-gateway.ts';
import { seedLiveHospital } from '../../support/live-gateway.ts';
import type { RawAnswer } from '../../support/raw-request.ts';

// One round, over the stand-in; with WORST_CALLER_SECONDS rounds for so long, with FHIR_LIVE_URL over the server of
// somebody else.
const { FHIR_LIVE_URL: liveUrl, WORST_CALLER_SECONDS: seconds = '0' } = process.env;
jest.setTimeout(Number(seconds) * 1_000 + 600_000);

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
}

const limit = liveUrl ? 4 << 20 : 256 << 10;
const worst = 'the-token-of-a-caller-who-sends-the-worst';
const environment = {
  PUENTE_AUTH_TOKENS: JSON.stringify([{ client: 'worst', sha256: hash('sha256', worst), scopes: 'all' }]),
  // What is too large is not very large; the catalogue of a server that others use is larger than that of the stand-in.
  PUENTE_ADAPTER_SETTINGS_LIMITS_BYTES: String(limit),
};

/** Patients that a server may well hold: one in lower case, two merged into each other, two of whom the answer is too large. */
const run = Date.now().toString(36);
const lowerCase = `worst-case-${run}`;
const merged = ['a', 'b'].map((each) => `worst-merged-${each}-${run}`);
const large = ['c', 'd'].map((each) => `worst-large-${each}-${run}`);
const toMerged = (id: string, into: string) => ({
  resourceType: 'Patient' as const,
  id,
  link: [{ type: 'replaced-by', other: { reference: `Patient/${into}` } }],
});
const patients = [
  { resourceType: 'Patient' as const, id: lowerCase },
  ...merged.map((id) => ({ resourceType: 'Patient' as const, id })),
  ...merged.map((id, i) => toMerged(id, merged.at(i - 1)!)),
  ...large.map((id) => ({
    resourceType: 'Patient' as const,
    id,
    gender: 'other',
    birthDate: '1901-02-03',
    address: [{ text: 'x'.repeat(limit) }],
  })),
];

let gateway: RunningGateway;
let fixtures: Fixtures;
if (liveUrl) {
  const seeded = await seedLiveHospital({ baseUrl: liveUrl });
  fixtures = seeded.fixtures;
  for (const patient of patients) {
    const headers = { 'content-type': 'application/fhir+json' };
    const url = `${liveUrl}/Patient/${patient.id}`;
    const { status } = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(patient) });
    expect([200, 201]).toContain(status);
  }
  const timeout = { PUENTE_ADAPTER_SETTINGS_TIMEOUT: '60000' };
  gateway = await startGateway({
    file: 'config/fhir.yaml',
    environment: { ...seeded.environment, ...timeout, ...environment },
  });
} else {
  const { server } = await startHospital();
  fixtures = toFixtures(server.ids);
  for (const patient of patients) server.load(patient);
  // As Medplum does, which finds an id in any case.
  const answer = {
    status: 200,
    headers: { 'content-type': 'application/fhir+json' },
    body: JSON.stringify(patients[0]),
  };
  server.quirks.fault = ({ path }) =>
    path === `Patient/${lowerCase.toUpperCase()}` ? { commits: false, answer: () => answer } : undefined;
  gateway = await startFhirGateway(server, environment);
}
afterAll(() => gateway.stop());

const send = (token: string, { method = 'GET', path, body }: Request) =>
  gateway.ask(method, path, body, { authorization: `Bearer ${token}` });

const { services, practitioners, identity } = fixtures;
const complete = `/patients/${fixtures.patients.complete}`;
const unknown = 'worst-unknown';
const toDay = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
const whole = { dateFrom: toDay(1), dateTo: toDay(30) };
const searchSlots = (hcsId: string) => ({
  method: 'POST',
  path: '/v1/available-slots?limit=100',
  body: { hcsId, practitionerId: null, modalityVirtual: null, dateConfig: whole, locationId: null },
});
const book = (health_care_service_id: string, practitioner_id: string) => ({
  method: 'POST',
  path: `${complete}/appointments`,
  body: { health_care_service_id, practitioner_id, date: `${whole.dateTo}T03:33:00.000Z`, payments: {} },
});

/** What the worst caller sends, one kind after the other. */
const kinds: Readonly<Record<string, readonly Request[]>> = {
  'ids in another case': [{ path: `/patients/${lowerCase.toUpperCase()}` }],
  'unknown ids': [
    { path: `/patients/${unknown}` },
    { path: `/patients/${unknown}/appointments` },
    searchSlots(unknown),
    book(unknown, practitioners.bookable),
    book(services.bookable, unknown),
  ],
  'records that cannot be read': merged.map((id) => ({ path: `/patients/${id}` })),
  'answers that are too large': large.map((id) => ({ path: `/patients/${id}` })),
  'searches that match too much': [
    { path: '/patients/search?gender=Other&birth_date=1901-02-03' },
    { path: '/patients/search?gender=Female&birth_date=1985-11-30' },
    searchSlots(services.bookable),
  ],
};

/** What another caller needs meanwhile: each is 200. */
const others: readonly Request[] = [
  { path: complete },
  { path: `${complete}/appointments` },
  { path: `${complete}/health_insurances` },
  { path: '/practitioner/' },
  { path: `/patients/search?identifier=${identity.identifier}&identifier_type=${identity.identifierType}` },
  { path: `/available-appointments/search?health_care_service_id=${services.bookable}` },
  searchSlots(services.second),
];

test('a caller who sends the worst of what is legal leaves another all that it asks for', async () => {
  const started = performance.now();
  const answered: RawAnswer[] = [];
  const sent: Record<string, Record<string, number>> = {};
  do {
    for (const [kind, requests] of Object.entries(kinds)) {
      let goesOn = true;
      const answers: typeof answered = [];
      const attack = times(8, async () => {
        for (let i = 0; goesOn; i++) answers.push(await send(worst, requests[i % requests.length]!));
      });
      // More than open a circuit.
      await wait(() => answers.length >= 24);
      for (const request of others) answered.push(await send(gateway.token, request));
      goesOn = false;
      await Promise.all(attack);
      for (const [status, count] of Object.entries(countStatuses(answers))) {
        sent[kind] = { ...sent[kind], [status]: (sent[kind]?.[status] ?? 0) + count };
      }
    }
  } while (performance.now() - started < Number(seconds) * 1_000);
  if (Number(seconds) > 0)
    process.stdout.write(`${JSON.stringify({ worst: sent, others: countStatuses(answered) })}\n`);
  expect(countStatuses(answered)).toEqual({ 200: answered.length });
  // None of it is a fault of ours.
  expect(Object.values(sent).flatMap(Object.keys)).not.toContain('500');
});
