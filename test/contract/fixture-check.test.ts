import { describe, expect, jest, test } from '@jest/globals';
import { findWrongFixtures } from '../../src/contract/fixture-check.ts';
import { cases, createPortsSubject, type Fixtures, portCases, runCase, sandbox } from '../../src/contract/index.ts';
import { capabilities, Failure } from '../../src/ports/index.ts';
import { replace } from '../support/faults/port-fault.ts';
import { openSandbox } from '../support/sandbox.ts';

const all = [...cases, ...portCases];
const ports = openSandbox();

const startWith = (changes: Partial<Fixtures>, others: object = {}) =>
  createPortsSubject({ ports: { ...ports, ...others }, fixtures: { ...sandbox, ...changes } });

const find = async (changes: Partial<Fixtures>, others: object = {}) =>
  Object.fromEntries(await findWrongFixtures(startWith(changes, others), all));

describe('wrong fixtures', () => {
  test('are none where the institution has what the fixtures name', async () => {
    expect(await find({})).toEqual({});
  });

  test('are patients whom nobody knows, each named once', async () => {
    const spare = ['sofia-bustamante', 'nobody', 'no-one'];
    const fixtures = { ...sandbox, patients: { ...sandbox.patients, bare: 'nobody', spare } };
    const problem = 'GET /patients/{id} answers 404: correct the id or the adapter';
    expect(await find(fixtures)).toEqual({ 'patients.bare': problem });
    const supports = capabilities.filter((each) => each !== 'patients.register');
    const wrong = await findWrongFixtures(createPortsSubject({ ports, supports, fixtures }), all);
    expect(Object.fromEntries(wrong)).toEqual({ 'patients.bare': problem, 'patients.spare': problem });
  });

  test('are services without a free slot, or without one at a location', async () => {
    const { appointments } = ports;
    const slots: typeof appointments.slots = async (search, call) => {
      const found = await appointments.slots(search, call);
      const isFree = ({ serviceId, locationId }: (typeof found)['items'][number]) =>
        serviceId !== 'consulta-cardiologia' && locationId !== 'norte';
      const items = found.items.filter(isFree);
      return { ...found, items, total: items.length };
    };
    const wrong = await find({}, { appointments: replace(appointments, { slots }) });
    expect(Object.keys(wrong)).toEqual(expect.arrayContaining(['services.second', 'locations.another']));
    expect(wrong['services.second']).toMatch(
      /^POST \/v1\/available-slots has no free slot there from [\d-]{10} to [\d-]{10}: name another one, or offer slots$/,
    );
    expect(wrong['services.bookable']).toBeUndefined();
  });

  test('are ids that a list lacks', async () => {
    const wrong = await find({
      practitioners: { ...sandbox.practitioners, second: 'nobody' },
      coverages: { ...sandbox.coverages, ofBare: 'ana-osde' },
      ticketType: { ...sandbox.ticketType, id: 'none' },
    });
    expect(wrong).toEqual({
      'practitioners.second': 'GET /practitioner/ lists no such id: correct the id or the adapter',
      'coverages.ofBare':
        'GET /patients/{id}/health_insurances lists no such id for patients.bare: correct the id or the adapter',
      ticketType: 'GET /ticket_types lists no such id: correct the id or the adapter',
    });
  });

  test('are names that no fixture has, and values of another form', async () => {
    const typed = { patients: { ...sandbox.patients, bear: 'bruno' }, cancelUntilHours: -1 };
    expect(await find(typed)).toEqual({
      'patients.bear': 'there is no such fixture: did you mean patients.bare?',
      cancelUntilHours: 'must be at least 0',
    });
  });

  test('are only those of fixtures that the cases use', async () => {
    const changes = { practitioners: { ...sandbox.practitioners, second: 'nobody' } };
    const ofPatients = all.filter(({ id }) => id.startsWith('patients.'));
    expect(await findWrongFixtures(startWith(changes), ofPatients)).toEqual(new Map());
    expect(await find({ patients: { ...sandbox.patients, spare: [] } })).toEqual({});
  });

  test('are not found in a system that is away, which is asked once', async () => {
    const get = jest.fn(() => Promise.reject(new Failure('unavailable', 'no system')));
    expect(await find({}, { patients: replace(ports.patients, { get }) })).toEqual({});
    expect(get).toHaveBeenCalledTimes(1);
  });

  test('are read by no case: it is skipped, and says why', async () => {
    const wrongFixtures = new Map([['patients.bare', 'GET /patients/{id} answers 404: correct the id or the adapter']]);
    const start = async () => ({ ...startWith({}), wrongFixtures });
    const reader = cases.find(({ id }) => id === 'tickets.list.none')!;
    expect(await runCase(reader, start)).toMatchObject({
      outcome: 'skip',
      reason: 'patients.bare: GET /patients/{id} answers 404: correct the id or the adapter',
    });
    const payment = cases.find(({ fixtures }) => fixtures.includes('patients.payer'))!;
    const ofPayer = async () => ({ ...startWith({}), wrongFixtures: new Map([['patients.payer', 'wrong']]) });
    expect(await runCase(payment, ofPayer)).toMatchObject({ outcome: 'skip', reason: 'patients.payer: wrong' });
  });
});
