import { describe, expect, test } from '@jest/globals';
import { operations } from '../../src/api/index.ts';
import { documentConformanceCases, documented } from '../../src/contract/cases/document-conformance.ts';
import {
  type Case,
  cases,
  createPortsSubject,
  fixtureChangeCases,
  formatCaseTable,
  gatewayCases,
  outageCases,
  portCases,
  runCase,
  runCases,
  sandbox,
  startCases,
} from '../../src/contract/index.ts';
import { type Capability, capabilities, Failure } from '../../src/ports/index.ts';
import { replace } from '../support/faults/port-fault.ts';
import { openSandbox } from '../support/sandbox.ts';

const createSubject =
  (supports = capabilities) =>
  async () =>
    createPortsSubject({ ports: openSandbox(), operations, supports, fixtures: sandbox });

const createSubjectWithout = (...missing: string[]) =>
  createSubject(capabilities.filter((capability) => !missing.includes(capability)));

const sample: Case = {
  id: 'sample.case',
  title: 'a case for these tests',
  level: 'write',
  needs: 'patients.update',
  requires: ['patients.get'],
  fixtures: [],
  section: '4.A',
  run: async () => {},
};

describe('the contract', () => {
  test('proves sentences of the section that a case names, and of 4.A where it names none', () => {
    const sections = new Map(cases.map(({ id, section }) => [id, section]));
    expect(['patients.update.conflict', 'insurance.edit.refused'].map((id) => sections.get(id))).toEqual([
      '4.A',
      '4.B',
    ]);
  });

  test('sends a request to every operation, and proves a 501 of each that is not offered', async () => {
    const answers = documentConformanceCases.filter(({ whenUnsupported }) => whenUnsupported);
    expect(answers).toHaveLength(documented.length);
    const nothing = await createSubject([])();
    const results = await runCases(answers, async () => nothing);
    expect(results.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
  });

  test('fails an adapter that offers less than it claims', async () => {
    const { tickets: _, ...ports } = openSandbox();
    const result = await runCase(documentConformanceCases.find(({ needs }) => needs === 'tickets.types')!, async () =>
      createPortsSubject({ ports, operations, supports: capabilities, fixtures: sandbox }),
    );
    expect(result.outcome).toBe('fail');
  });

  test('fails an adapter that offers what it does not claim', async () => {
    const honest = await createSubjectWithout('patients.update')();
    const bold = { ...(await createSubject()()), supports: honest.supports };
    const update = documentConformanceCases.find(
      ({ needs, whenUnsupported }) => needs === 'patients.update' && whenUnsupported,
    )!;
    expect((await runCase(update, async () => honest)).outcome).toBe('pass');
    expect((await runCase(update, async () => bold)).outcome).toBe('fail');
  });
});

describe('a result', () => {
  test('is pass when the case runs to its end', async () => {
    expect(await runCase(sample, createSubject())).toMatchObject({ id: 'sample.case', outcome: 'pass' });
  });

  test('is fail with the message of the assertion', async () => {
    const broken = { ...sample, run: () => Promise.reject(new Error('it is broken')) };
    expect(await runCase(broken, createSubject())).toMatchObject({ outcome: 'fail', reason: 'it is broken' });
  });

  test('is fail when the subject cannot be started', async () => {
    const result = await runCase(sample, () => Promise.reject(new Error('no such host')));
    expect(result).toMatchObject({ outcome: 'fail', reason: 'no such host' });
  });

  const findCase = (id: string): Case => [...cases, ...portCases].find((each) => each.id === id)!;

  test.each([
    ['appointments.b.overlapping', 'one-appointment-at-a-time', 'a patient cannot have two appointments at one time'],
    ['care-services.frequent.equal', 'one-appointment-at-a-time', 'a patient cannot have two appointments at one time'],
    ['patients.update.other-document', 'one-document-per-person', 'a person has only one identity document'],
    ['texts.patients.update', 'spelling', 'the system has its own spelling of names, such as upper case'],
    ['patients.search.dashes', 'search-by-document', 'patients are found only by their identity documents'],
    [
      'patients.update.others-stay',
      'fewer-patient-fields',
      'the system stores fewer fields of a patient than the API has',
    ],
    [
      'appointments.b.create-other-offer',
      'free-slots-alone',
      'the system lists only free slots, so a taken time looks like one that was never offered',
    ],
  ] as const)('of %s is skip where the system has the rule %s', async (id, rule, reason) => {
    const withRule = async () => createPortsSubject({ ports: openSandbox(), fixtures: { ...sandbox, rules: [rule] } });
    const named = await runCase(findCase(id), withRule);
    expect(named).toMatchObject({ outcome: 'skip', reason: `a rule in the fixtures excludes it: ${reason}` });
    const refusing = async () => {
      const subject = await createSubject()();
      const send: typeof subject.send = async (request) =>
        /^PUT|\/v1\/appointments$|\/search$/.test(request.route)
          ? { status: 501, headers: {}, body: { code: 'not_implemented' } }
          : subject.send(request);
      return { ...subject, send };
    };
    const refused = await runCase(findCase(id), refusing);
    expect(refused).toMatchObject({
      outcome: 'skip',
      reason: `the system answers 501 by its rule: ${reason}`,
    });
    expect(await runCase(findCase(id), createSubject())).toMatchObject({ outcome: 'pass' });
  });

  test('of a case without a rule is fail where the system answers 501 to what it offers', async () => {
    const subject = await createSubject()();
    const refusing = { ...subject, send: async () => ({ status: 501, headers: {}, body: {} }) };
    expect(await runCase(findCase('patients.update.same-identifier'), async () => refusing)).toMatchObject({
      outcome: 'fail',
    });
  });

  test('is skip where the system does not take a value, for the reason that the adapter says', async () => {
    const { patients, ...ports } = openSandbox();
    const refuse = () => Promise.reject(new Failure('unsupported', 'the system keeps no address'));
    const update: typeof patients.update = (id, changes, call) =>
      changes.address ? refuse() : patients.update(id, changes, call);
    const start = async () =>
      createPortsSubject({ ports: { ...ports, patients: replace(patients, { update }) }, fixtures: sandbox });
    const skipped = {
      outcome: 'skip',
      reason: expect.stringMatching(/^the system does not accept a value: .*keeps no address\.?$/),
    };
    for (const id of [
      'document.PUT /patients/{id}.answers',
      'patients.update.read-back',
      'ports.patients.update.given',
    ])
      expect(await runCase(findCase(id), start)).toMatchObject(skipped);
    expect(await runCase(findCase('patients.update.same-identifier'), start)).toMatchObject({ outcome: 'pass' });
  });

  test('of what a key promises is skip where retryableWrites does not name the write', async () => {
    const { retryableWrites: _, ...ports } = openSandbox();
    const start = (retryableWrites: readonly Capability[]) => async () =>
      createPortsSubject({ ports: { ...ports, retryableWrites }, fixtures: sandbox });
    const ticket = findCase('idempotency.tickets.open');
    expect(await runCase(ticket, start(['appointments.book']))).toMatchObject({
      outcome: 'skip',
      reason: 'retryableWrites does not name tickets.open, so Puente sends it only once per key',
    });
    expect(await runCase(ticket, start(['tickets.open']))).toMatchObject({ outcome: 'pass' });
  });

  test('is skip when a case calls ports, and the subject only answers requests', async () => {
    const { send, supports, now, fixtures } = createPortsSubject({ ports: openSandbox(), fixtures: sandbox });
    const result = await runCase({ ...sample, inProcess: true }, async () => ({ send, supports, now, fixtures }));
    expect(result).toMatchObject({ outcome: 'skip', reason: 'it calls ports, which is not possible over HTTP' });
  });

  test('is skip when the system must fail for it, and the subject cannot bring that about', async () => {
    const outage: Case = { ...sample, inProcess: true, outage: 'silence' };
    expect(await runCase(outage, createSubject())).toMatchObject({
      outcome: 'skip',
      reason: 'the subject has no fail.silence',
    });
    const fail = { silence: async () => async () => {} };
    const start = async () => createPortsSubject({ ports: openSandbox(), fixtures: sandbox, fail });
    expect(await runCase(outage, start)).toMatchObject({ outcome: 'pass' });
  });

  test('is skip when it looks at what passes to the system, and nothing stands there', async () => {
    const watching: Case = { ...sample, inProcess: true, watchesLine: true };
    const skipped = { outcome: 'skip', reason: 'the subject has no line' };
    expect(await runCase(watching, createSubject())).toMatchObject(skipped);
    const line = { fail: {}, takeRequests: () => [] };
    const start = async () => createPortsSubject({ ports: openSandbox(), fixtures: sandbox, line });
    expect(await runCase(watching, start)).toMatchObject({ outcome: 'pass' });
  });

  test('is skip when the case does more to the institution than the run may', async () => {
    const result = await runCase(sample, createSubject(), 'safe');
    expect(result).toMatchObject({ outcome: 'skip', reason: 'its level is write, and the run stops at safe' });
    expect(await runCase(sample, createSubject(), 'write')).toMatchObject({ outcome: 'pass' });
  });
});

describe('the table of cases', () => {
  test('shows for each what it proves and requires, and its own fixtures', () => {
    const payment: Case = { ...sample, fixtures: ['patients.payer'] };
    expect(formatCaseTable([sample, payment])).toBe(
      [
        '| case | proves | requires | fixtures |',
        '| --- | --- | --- | --- |',
        '| sample.case | patients.update | patients.get |  |',
        '| sample.case | patients.update | patients.get | patients.payer |',
      ].join('\n'),
    );
  });
});

test('every case has an id of its own, and the two starts are compared', () => {
  const ids = [...startCases, ...cases, ...fixtureChangeCases, ...gatewayCases, ...portCases, ...outageCases].map(
    ({ id }) => id,
  );
  expect(ids.filter((id) => !/^[a-z][\w-]*\./.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(startCases.map(({ id }) => id)).toEqual(['start.independent']);
});
