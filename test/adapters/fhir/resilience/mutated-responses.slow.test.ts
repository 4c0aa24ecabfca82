import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { getPortName, operations, perform, problems, type RawRequest, Rejection } from '../../../../src/api/index.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { serve } from '../../../support/listen.ts';

const now = new Date();
const { server, id } = await startHospital();

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}
/** What the server said to each question; time stands still, so that questions repeat to the letter. */
const known = new Map<string, Reply>();
/** The questions since the last reset. */
const asked = new Set<string>();
/** How the answer to a question is spoilt. */
let spoil: (body: string, question: string) => string = (body) => body;

/** Stands between the adapter and the server, remembers what the server says, and spoils it. */
const between = await serve(async (request, response) => {
  const chunks = Buffer.concat(await Array.fromAsync(request));
  const question = `${request.method} ${request.url} ${chunks}`;
  const reply = known.get(question) ?? (await forward(request.method, request.url, request.headers, chunks));
  known.set(question, reply);
  asked.add(question);
  response.writeHead(reply.status, { 'content-type': reply.type }).end(spoil(reply.body, question));
});
const { ports } = await connect(
  { url: `${between}/fhir` },
  { retries: 0, cacheSeconds: 0, limits: { bytes: 4 << 20 } },
);

async function forward(method = 'GET', path = '', headers: object, body: Buffer): Promise<Reply> {
  const { 'content-type': type = '' } = headers as Record<string, string>;
  const reply = await fetch(new URL(path, server.url), {
    method,
    headers: { ...(type && { 'content-type': type }) },
    ...(body.length > 0 && { body }),
  });
  return { status: reply.status, type: reply.headers.get('content-type') ?? '', body: await reply.text() };
}

const ana = () => ({ params: { id: id('Patient/ana') } });
const who = () => ({ patient_id: id('Patient/ana'), health_insurance_id: id('Coverage/ana-osde') });
const service = () => id('HealthcareService/consulta-clinica');
const patientAndCoverage = () => ({ patientId: id('Patient/ana'), patientCoverageId: id('Coverage/ana-osde') });

/** Every operation that reads from the server, with a request that finds something. */
const reads: Readonly<Record<string, () => Partial<RawRequest>>> = {
  searchPatients: () => ({ query: { identifier: '31465466', identifier_type: 'DNI' } }),
  getPatient: ana,
  listTicketTypes: () => ({}),
  listTickets: ana,
  listAppointments: ana,
  listCarriers: () => ({}),
  listPlans: () => ({ params: { id: id('Organization/osde') } }),
  listHealthInsurances: ana,
  getMainPractitioner: ana,
  getPractitionerChange: ana,
  searchHealthCareServices: () => ({ query: who() }),
  listFamilyGroup: ana,
  searchAvailableAppointments: () => ({ query: { ...who(), health_care_service_id: service() } }),
  getMedicalDirectory: () => ({}),
  listPractitioners: () => ({}),
  listLocations: () => ({}),
  getAppointment: () => ({ query: { patientId: id('Patient/ana'), appointmentStatus: 'active' } }),
  getHealthCareService: () => ({ query: patientAndCoverage() }),
  getFrequentHcs: () => ({ query: patientAndCoverage() }),
  getFrequentHcsByType: () => ({ query: { ...patientAndCoverage(), type: 'CONSULTA' } }),
  getInsuranceCarriers: () => ({}),
  getInsuranceCarriersByOwner: () => ({ query: { ownerId: id('Organization/sanatorio-del-puente') } }),
  getAvailableSlots: () => ({
    query: { limit: '100' },
    body: { hcsId: service(), locationId: id('Location/norte'), ...patientAndCoverage() },
  }),
};

interface Told {
  readonly status: number;
  readonly body: unknown;
}

async function ask(name: string, request: Partial<RawRequest> | undefined = reads[name]?.()): Promise<Told> {
  const operation = operations.find((each) => each.name === name);
  if (!operation) throw new Error(`no operation ${name}`);
  const raw = { params: {}, query: {}, body: undefined, ...request };
  try {
    return await perform(operation, ports[getPortName(operation)], raw, callNow({ now: now.toISOString() }));
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return { status: problems[error.code].status, body: undefined };
  }
}

type Path = readonly (string | number)[];

/** Everywhere in a value, as paths. */
function collectPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...entries.flatMap(([key, each]) => collectPaths(each, [...path, key]))];
}

const getAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((owner, key) => (owner as Record<string | number, unknown>)[key], value);

/** What every leaf of an answer says, by the name of its field. */
const collectLeaves = (value: unknown, name = ''): string[] => {
  if (typeof value !== 'object' || value === null) return [`${name}=${JSON.stringify(value)}`];
  if (Array.isArray(value)) return value.flatMap((each) => collectLeaves(each, name));
  return Object.entries(value).flatMap(([key, each]) => collectLeaves(each, key));
};

const absent = Symbol('absent');
const MUTANT = 'ZZmutant';
const others = [
  absent,
  null,
  7,
  -1.5,
  true,
  '',
  MUTANT,
  [],
  {},
  [[]],
  { reference: '#x' },
  { reference: `Patient/${id('Patient/elena')}` },
  '../x',
  'Patient/..',
  `Patient/${id('Patient/elena')}`,
  '9999-99-99',
  '2026-02-30T25:00:00Z',
];

/** The body with the value at a place lost or replaced. */
function mutate(body: string, path: Path, replacement: unknown): string {
  const root = { body: JSON.parse(body) as unknown };
  const full: Path = ['body', ...path];
  const owner = getAt(root, full.slice(0, -1));
  const key = full.at(-1) ?? 'body';
  if (replacement === absent) delete (owner as Record<string, unknown>)[key];
  else (owner as Record<string, unknown>)[key] = replacement;
  return JSON.stringify(root.body) ?? '';
}

interface Spot {
  readonly name: string;
  readonly question: string;
  readonly path: Path;
}
/** Everything that is said when nothing is spoilt. */
const right = new Set<string>();
const spots: Spot[] = [];

beforeAll(async () => {
  // Of whom the age is not known, the services for children are offered to as well.
  const child = { patientId: id('Patient/camila'), patientCoverageId: id('Coverage/camila-osde') };
  for (const name of ['searchHealthCareServices', 'getHealthCareService']) {
    const query = name === 'getHealthCareService' ? { ...child, limit: '100' } : {};
    const { status, body } = await ask(name, { query });
    expect(status).toBe(200);
    for (const leaf of collectLeaves(body)) right.add(leaf);
  }
  // A room that is part of nothing is a site of its own.
  spoil = (body) => JSON.stringify(JSON.parse(body, (key, value) => (key === 'partOf' ? undefined : value)));
  for (const name of ['getMedicalDirectory', 'listLocations']) {
    for (const leaf of collectLeaves((await ask(name)).body)) right.add(leaf);
  }
  spoil = (body) => body;
  for (const name of Object.keys(reads)) {
    asked.clear();
    const { status, body } = await ask(name);
    expect([name, status]).toEqual([name, 200]);
    expect(JSON.stringify(body)).not.toMatch(/^\{"\w+":\[\]/);
    for (const leaf of collectLeaves(body)) right.add(leaf);
    for (const question of asked) {
      // Of rows that are alike one element each is enough.
      const kinds = new Map<string, Path[]>();
      for (const path of collectPaths(JSON.parse(known.get(question)?.body ?? ''))) {
        const kind = path.map((key) => (typeof key === 'number' ? '*' : key)).join('/');
        kinds.set(kind, [...(kinds.get(kind) ?? []), path]);
      }
      for (const paths of kinds.values()) {
        for (const path of paths.slice(0, 3)) spots.push({ name, question, path });
      }
    }
  }
});

/** What may stand where the server no longer says anything. */
const neutral = /^\w+=(""|null|\[\]|\{\})$|^(gender|identifier_type)="Other"$|^type="CONSULTA"$|^relationship_code=99$/;
/** Counts of rows, and what falls back upon another element when the best one is lost. */
const mayDiffer =
  /^(totalElements|numberOfElements|totalPages|created_at|createdAt|updated_at|updatedAt|offered_in|ticket_type_id|street|address|location|working_hours|plan)=/;
/** What a program says by accident. */
const accident = /undefined|NaN|\[object|Invalid/;

/** What an answer says that neither the server said nor follows from its silence. */
async function findInventions({ name, question, path }: Spot, other: unknown): Promise<string[]> {
  spoil = (body, of) => (of === question ? mutate(body, path, other) : body);
  const { status, body } = await ask(name);
  if (![200, 404, 422, 502].includes(status)) return [`status ${status}`];
  if (status !== 200) return [];
  const before = getAt(JSON.parse(known.get(question)?.body ?? ''), path);
  // One text instead of another text, or number instead of number, is what the server says.
  const said = typeof before === typeof other && typeof other !== 'object' && other !== '' && String(other);
  return collectLeaves(body).filter((leaf) => {
    if (accident.test(leaf)) return true;
    return (
      !right.has(leaf) &&
      !neutral.test(leaf) &&
      !mayDiffer.test(leaf) &&
      // A coverage whose payor is a patient is self-pay.
      !(path.includes('payor') && leaf === 'carrier="PARTICULAR"') &&
      !(said && (leaf.includes(said) || leaf.includes(said.replaceAll('.', ''))))
    );
  });
}

describe('a spoilt answer of the server', () => {
  // Four tests of a quarter of the runs each, which together take longer than one fault may.
  test.each([1, 2, 3, 4])(
    'makes the gateway say nothing but what the server says, or 404, 422 or 502 (%i)',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...spots), fc.constantFrom(...others), async (spot, other) => {
          expect(await findInventions(spot, other)).toEqual([]);
        }),
        { numRuns: 125 },
      );
    },
  );

  test('that says no longer of what a room is part makes the room a site', async () => {
    const ofRooms = spots.filter(({ name, path }) => /Directory|Locations/.test(name) && path.at(-1) === 'partOf');
    expect(ofRooms.length).toBeGreaterThan(0);
    for (const spot of ofRooms) expect([spot, await findInventions(spot, absent)]).toEqual([spot, []]);
  });

  test.each(Object.keys(reads))('that is cut is a 502 of %s', async (name) => {
    spoil = (body) => body.slice(0, -2);
    expect((await ask(name)).status).toBe(502);
  });

  test.each(Object.keys(reads))('that is a page for people is a 502 of %s', async (name) => {
    spoil = () => '<!doctype html><title>Login</title>';
    expect((await ask(name)).status).toBe(502);
  });

  test.each(Object.keys(reads))('of resources of another type is no answer of %s', async (name) => {
    spoil = (body) => body.replaceAll(/"resourceType":"(?!Bundle)[A-Za-z]+"/g, '"resourceType":"Observation"');
    expect([404, 422, 502]).toContain((await ask(name)).status);
  });
});
