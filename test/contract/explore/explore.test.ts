import { describe, expect, test } from '@jest/globals';
import { registerPatient } from '../../../src/contract/arrange.ts';
import { explore } from '../../../src/contract/explore/explore.ts';
import { formatExploration } from '../../../src/contract/explore/report.ts';
import { createPortsSubject, type Request, type Response, type Subject, sandbox } from '../../../src/contract/index.ts';
import { capabilities } from '../../../src/ports/index.ts';
import { toFixtures } from '../../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../../hospital-in-fhir/start.ts';
import { connect } from '../../support/fhir-adapter.ts';
import { openSandbox } from '../../support/sandbox.ts';
import { faults, type Ports } from './faults.ts';

const { server } = await startHospital();
const SEED = 7;
const records = capabilities.filter((each) => /^patients|^tickets|^family|^insurance/.test(each));
const appointments = capabilities.filter((each) => each.startsWith('appointments.'));

const createSubject = (plant: (ports: Ports) => Ports = (ports) => ports, supports = capabilities) =>
  createPortsSubject({ ports: plant(openSandbox()), supports, fixtures: sandbox });

/** The subject, whose answers somebody changes. */
const intercept = (subject: Subject, change: (response: Response, route: string) => Response | Promise<Response>) => ({
  ...subject,
  send: async (request: Parameters<Subject['send']>[0]) => change(await subject.send(request), request.route),
});

describe('exploring', () => {
  test.each([1, 2, 3])('finds nothing in the hospital in memory with seed %s', async (seed) => {
    const result = await explore(createSubject(), { seed, sequences: 15, length: 20 });
    expect(result.findings).toEqual([]);
    expect(result.played).toBe(15);
    expect(result.left).toMatchObject({ appointments: 0, relatives: 0 });
    expect(result.left.patients).toBeGreaterThan(15);
  });

  test('plays every step, and says so', async () => {
    const { steps, requests } = await explore(createSubject(), { seed: 1, sequences: 25, length: 30 });
    expect(Object.keys(steps)).toHaveLength(19);
    expect(requests).toBeGreaterThan(1000);
  });

  test('is the same for a seed', async () => {
    const play = async () => {
      const { ms, ...rest } = await explore(createSubject(), { seed: 4, sequences: 5, length: 10 });
      return rest;
    };
    expect(await play()).toEqual(await play());
  });

  test('finds nothing in the hospital in a FHIR server', async () => {
    for (const seed of [1, 2]) {
      server.reset();
      const { ports } = await connect(server);
      const subject = createPortsSubject({ ports, fixtures: toFixtures(server.ids) });
      expect((await explore(subject, { seed, sequences: 3, length: 12 })).findings).toEqual([]);
    }
  });
});

describe('exploring finds', () => {
  test.each(faults)('%s', async (_, promise, plant) => {
    const { findings } = await explore(createSubject(plant), { seed: SEED, sequences: 40, length: 15 });
    expect(findings.map((finding) => finding.promise)).toEqual([promise]);
    expect(findings[0]?.seed).toBe(SEED);
    const sent = findings[0]?.curl.filter((line) => line.includes('curl')) ?? [];
    expect(sent.length).toBeGreaterThan(1);
    expect(sent.length).toBeLessThanOrEqual(7);
  });
});

describe('exploring finds at once, though it happens only once,', () => {
  test.each<[string, string, (response: Response, route: string) => Response | undefined]>([
    [
      'a ticket that is not listed',
      'own',
      ({ body, ...rest }, route) =>
        route === 'GET /patients/{id}/ticket/' && Array.isArray(body) && body.length > 0
          ? { ...rest, body: body.slice(1) }
          : undefined,
    ],
    [
      'an answer without what the document shows',
      'answered',
      (response, route) => (route === 'GET /patients/{id}/ticket/' ? { ...response, body: null } : undefined),
    ],
    [
      'an error of the server',
      'answered',
      (response, route) => (route === 'GET /patients/{id}/ticket/' ? { ...response, status: 500 } : undefined),
    ],
    [
      'a race in which a relative is added twice',
      'winner',
      (response, route) =>
        route === 'POST /patients/{id}/family_group' && response.status === 409
          ? { ...response, status: 201 }
          : undefined,
    ],
    [
      'a coverage that is created a second time',
      'refused',
      (response, route) =>
        route === 'POST /v1/coverages' && response.status === 409 ? { ...response, status: 201 } : undefined,
    ],
  ])('%s', async (_, promise, change) => {
    const seen = new AbortController();
    const once = intercept(createSubject(), (response, route) => {
      const changed = seen.signal.aborted ? undefined : change(response, route);
      if (changed) seen.abort();
      return changed ?? response;
    });
    const { findings } = await explore(once, { seed: SEED, length: 30, capabilities: records, signal: seen.signal });
    expect(findings.map((finding) => finding.promise)).toEqual([promise]);
  });
});

test('exploring plays at most 40 sequences more to make a sequence shorter', async () => {
  const [, , plant] = faults.find(([what]) => what.startsWith('a relative')) ?? [];
  let all = 0;
  const onSequence = () => all++;
  const { played } = await explore(createSubject(plant), { seed: SEED, sequences: 40, length: 15, onSequence });
  expect(all - played).toBeGreaterThan(0);
  expect(all - played).toBeLessThanOrEqual(40);
});

describe('exploring leaves', () => {
  test('what is not offered alone', async () => {
    const supports = (
      ['patients.register', 'patients.get', 'tickets.open', 'tickets.list', 'tickets.type'] as const
    ).slice();
    const { steps, findings } = await explore(createSubject(undefined, supports), { seed: 1 });
    expect(findings).toEqual([]);
    expect(Object.keys(steps).toSorted()).toEqual([
      'ask for a patient in other letters',
      'file a ticket',
      'file several tickets at once',
      'look at everything of a patient',
      'register somebody again',
    ]);
  });

  test('slots alone at the level write, and everything at safe', async () => {
    const { steps } = await explore(createSubject(), { seed: 1, level: 'write' });
    expect(Object.keys(steps).filter((name) => /book|cancel/.test(name))).toEqual([]);
    expect(await explore(createSubject(), { seed: 1, level: 'safe' })).toMatchObject({ requests: 0, played: 0 });
  });

  test('a slot that a stranger takes between offer and booking no finding', async () => {
    const subject = createSubject();
    let taken = 0;
    const busy: Subject = {
      ...subject,
      send: async (request) => {
        if (request.route !== 'POST /v1/appointments') return subject.send(request);
        const patientId = await registerPatient(subject);
        const stranger = await subject.send({ ...request, body: { ...Object(request.body), patientId } });
        if (stranger.status === 201) taken++;
        return subject.send(request);
      },
    };
    const { findings } = await explore(busy, { seed: 1, sequences: 10 });
    expect(findings).toEqual([]);
    expect(taken).toBeGreaterThan(0);
  });

  test('a slot that a stranger takes as soon as it is free no finding, unless it happens three times', async () => {
    const play = async (times: number) => {
      let canceled = false;
      const busy = intercept(createSubject(), (response, route) => {
        if (route.startsWith('PUT ')) canceled = true;
        if (!canceled || times === 0 || route !== 'POST /v1/available-slots') return response;
        canceled = false;
        times--;
        return { ...response, body: { data: [] } };
      });
      const capabilities = [...appointments, 'patients.register'] as const;
      return (await explore(busy, { seed: 1, sequences: 4, capabilities })).findings.map(({ promise }) => promise);
    };
    expect(await play(1)).toEqual([]);
    expect(await play(200)).toEqual(['freed']);
  });

  test('a sequence early when the subject is too busy', async () => {
    let turn = 0;
    const busy = intercept(createSubject(), (response) =>
      turn++ % 50 === 0 ? { ...response, status: 503 } : response,
    );
    const { findings, interrupted } = await explore(busy, { seed: 1, sequences: 5 });
    expect(findings).toEqual([]);
    expect(interrupted).toBeGreaterThan(0);
  });
});

test('exploring counts what its patients keep', async () => {
  const supports = capabilities.filter((each) => !['appointments.cancel', 'family-groups.remove'].includes(each));
  const patients = new Set<string>();
  const subject = intercept(createSubject(undefined, supports), (response, route) => {
    const { id }: { readonly id?: string } = Object(response.body);
    if (route === 'POST /patients/' && response.status === 200 && id !== undefined) patients.add(id);
    return response;
  });
  const { left } = await explore(subject, { seed: 3, sequences: 5 });
  const count = async (route: Request['route'], list?: string) => {
    const bodies = await Promise.all(
      [...patients].map(async (id) => Object((await subject.send({ route, params: { id } })).body)),
    );
    return bodies.flatMap((body) => (list === undefined ? body : body[list])).length;
  };
  const changes = [...patients].map((id) =>
    subject.send({ route: 'GET /patients/{id}/practitioner/change_request', params: { id } }),
  );
  expect(left).toEqual({
    patients: patients.size,
    appointments: await count('GET /patients/{id}/appointments', 'appointments'),
    tickets: await count('GET /patients/{id}/ticket/'),
    relatives: await count('GET /patients/{id}/family_group', 'family_group'),
    coverages: await count('GET /patients/{id}/health_insurances', 'health_insurances'),
    changeRequests: (await Promise.all(changes)).filter(({ status }) => status === 200).length,
  });
  expect(Object.values(left).filter((number) => number === 0)).toEqual([]);
});

describe('exploring a subject that does not answer', () => {
  const createSilent = (isSilent: (turn: number) => boolean) => {
    let turn = 0;
    return intercept(createSubject(), (response) => {
      if (isSilent(turn++)) throw new TypeError('fetch failed');
      return response;
    });
  };

  test('goes on with the next sequence when an answer stays away', async () => {
    const result = await explore(
      createSilent((turn) => turn === 60),
      { seed: 1, sequences: 5 },
    );
    expect(result).toMatchObject({ findings: [], played: 5, interrupted: 1 });
  });

  test('stops, and says so, when it stays away again and again', async () => {
    const result = await explore(
      createSilent((turn) => turn > 60),
      { seed: 1, sequences: 20 },
    );
    expect(result).toMatchObject({ findings: [], interrupted: 3, stopped: 'the subject does not answer' });
    expect(formatExploration(result)).toContain('Not everything was explored: the subject does not answer.');
  });
});

describe('the report of exploring', () => {
  test('repeats the sequence in a shell, with ids from earlier answers, and says what stays', async () => {
    const [, , plant] = faults.find(([what]) => what.startsWith('a relative')) ?? [];
    const result = await explore(createSubject(plant), { seed: SEED, sequences: 40, length: 15 });
    const report = formatExploration(result);
    expect(report).toContain('PATIENT_1=$(jq -r \'.id\' <<<"$ANSWER")');
    expect(report).toMatch(
      /curl -sS -X DELETE "\$PUENTE_URL\/patients\/\$\{PATIENT_\d\}\/family_group\/\$\{MEMBER_\d\}"/,
    );
    const variables = [...report.matchAll(/\b(PATIENT_\d+)=/g)].map(([, name]) => name);
    expect(variables.length).toBeGreaterThan(1);
    expect(new Set(variables).size).toBe(variables.length);
    expect(report).toContain(`seed ${SEED}`);
    expect(report).toMatch(/What stays: \d+ patients/);
  });
});
