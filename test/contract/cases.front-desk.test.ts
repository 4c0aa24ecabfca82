import { describe, expect, test } from '@jest/globals';
import { type PartialFixtures, sandbox } from '../../src/contract/index.ts';
import { replace } from '../support/faults/port-fault.ts';
import { type Change, tryCase } from '../support/legal-case.ts';

/** Registered patients are inactive until the front desk has verified them: nobody offers them anything before. */
const withFrontDesk: Change = ({ patients, appointments, 'care-services': services }) => {
  const unverified = new Set<string>();
  const register: typeof patients.register = async (person, call) => {
    const patient = { ...(await patients.register(person, call)), active: false };
    unverified.add(patient.id);
    return patient;
  };
  const isUnverified = (id = '') => unverified.has(id);
  return {
    patients: replace(patients, { register }),
    appointments: replace(appointments, {
      slots: async (query, call) =>
        isUnverified(query.patientId) ? { items: [], total: 0 } : appointments.slots(query, call),
    }),
    'care-services': replace(services, {
      available: async (query, call) => (isUnverified(query.patientId) ? [] : services.available(query, call)),
    }),
  };
};

/** The fewest spare patients that the fixtures allow. */
const threeSpare: Partial<PartialFixtures> = {
  rules: ['verified-later'],
  patients: { ...sandbox.patients, spare: sandbox.patients.spare.slice(0, 3) },
};

describe('where the front desk verifies each registration', () => {
  test.each(['slots.sex-other', 'care-services.sex-other', 'ports.midnight.birthday', 'ports.age-limits.slots'])(
    '%s is skipped, because it needs a new patient',
    async (id) => {
      expect(await tryCase(id, withFrontDesk, threeSpare)).toEqual(['skip']);
    },
  );

  test.each([
    'ports.practitioners.requestChange.outage',
    'ports.family-groups.add.outage',
    'idempotency.practitioners.requestChange',
    'idempotency.family-groups.add',
  ])('%s writes for each of three spare patients once', async (id) => {
    expect(await tryCase(id, withFrontDesk, threeSpare)).toEqual(['pass']);
  });

  test('a case is skipped when earlier cases have written for every spare patient', async () => {
    const withRequests: Change = ({ practitioners }) => ({
      practitioners: replace(practitioners, {
        changeRequestOf: async () => ({ id: 'r1', reasonId: 'r', status: 'in_progress' }),
      }),
    });
    expect(await tryCase('practitioners.change.open', withRequests, threeSpare)).toEqual(['skip']);
  });
});
