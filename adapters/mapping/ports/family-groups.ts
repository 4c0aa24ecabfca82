import { type Call, Failure, type FamilyGroups } from '../../../src/ports/index.ts';
import { createPromisedFailure } from '../../common/promised-failures.ts';
import { requireFound } from '../../common/require-found.ts';
import type { Hospital } from './hospital.ts';
import { findOf, findPatient, requirePatient } from './patients.ts';
import { getMadeId, type Keys, makeOnce, requireGone } from './writes.ts';

const listRelatives = (hospital: Hospital, patientId: string, call: Call) =>
  hospital.find('relatives', 'ofPatient', { patientId }, call);

export const createFamilyGroups = (hospital: Hospital, keys: Keys): FamilyGroups => ({
  list: (patientId, call) => findOf(hospital, patientId, call, listRelatives(hospital, patientId, call)),

  add: async (patientId, member, call) => {
    const { relatedPatientId, active } = member;
    const findKnown = async () =>
      (await listRelatives(hospital, patientId, call)).find((each) => each.relatedPatientId === relatedPatientId);
    const find = async () => {
      const known = await findKnown();
      return known?.active === active ? known.id : undefined;
    };
    const write = async () => {
      await requirePatient(hospital, patientId, call);
      requireFound(await findPatient(hospital, relatedPatientId, call), 'patient', 'relatedPatientId');
      if (relatedPatientId === patientId) {
        throw new Failure('invalid', 'a patient cannot be their own relative', { at: 'relatedPatientId' });
      }
      const known = await findKnown();
      if (known?.active) throw createPromisedFailure('relation_exists');
      hospital.requireNames('relatives.add', member);
      const result = await hospital.change('relatives', 'add', { ...member, patientId, id: known?.id }, call);
      const made = getMadeId(result, { exists: createPromisedFailure('relation_exists') });
      return known?.id ?? made;
    };
    return makeOnce(keys, call, { content: ['family-groups.add', patientId, member], write, find });
  },

  remove: async (patientId, id, call) => {
    await requirePatient(hospital, patientId, call);
    const missing = new Failure('not_found', 'the patient has no such family member');
    const find = async () => (await listRelatives(hospital, patientId, call)).find((each) => each.id === id);
    if (!(await find())) throw missing;
    const result = await hospital.change('relatives', 'remove', { patientId, id }, call);
    getMadeId(result, { nothing: missing });
    await requireGone(result, async () => (await find()) !== undefined);
  },
});
