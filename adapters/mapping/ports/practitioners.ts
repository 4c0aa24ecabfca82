import type { Practitioners } from '../../../src/ports/index.ts';
import { createPromisedFailure } from '../../common/promised-failures.ts';
import type { Hospital } from './hospital.ts';
import { requirePatient } from './patients.ts';

/** Requests for another practitioner are kept by `local`. */
export const createPractitioners = (hospital: Hospital): Pick<Practitioners, 'list' | 'mainOf'> => ({
  list: async (call) => hospital.find('practitioners', 'all', {}, call),

  mainOf: async (patientId, call) => {
    const [, [main], all] = await Promise.all([
      requirePatient(hospital, patientId, call),
      hospital.find('practitioners', 'mainOf', { patientId }, call),
      hospital.find('practitioners', 'all', {}, call),
    ]);
    if (!main) throw createPromisedFailure('no_main_practitioner');
    return all.find(({ id }) => id === main.id) ?? main;
  },
});
