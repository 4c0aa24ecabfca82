import { Failure, type FamilyGroups } from '../../src/ports/index.ts';
import { deepFreeze } from '../../src/toolkit/deep-freeze.ts';
import { createPromisedFailure } from '../common/promised-failures.ts';
import { requireFound } from '../common/require-found.ts';
import { LastKeys } from './idempotent-writes.ts';
import type { World } from './world.ts';

export function createFamilyGroups(world: World): FamilyGroups {
  const keys = new LastKeys();
  return {
    async list(patientId) {
      world.patients.get(patientId);
      return [...world.relativesOf.get(patientId)];
    },

    async add(patientId, member, call) {
      const { patients, relativesOf } = world;
      patients.get(patientId);
      const { relatedPatientId, relationshipCode, relationshipDescription, active } = member;
      requireFound(patients.find(relatedPatientId), 'patient', 'relatedPatientId');
      if (relatedPatientId === patientId) {
        throw new Failure('invalid', 'a patient cannot be their own relative', { at: 'relatedPatientId' });
      }
      const known = relativesOf.get(patientId).find((other) => other.relatedPatientId === relatedPatientId);
      if (known && keys.isOwn(known.id, call, [patientId, member])) return { id: known.id };
      if (known?.active) throw createPromisedFailure('relation_exists');
      const id = known?.id ?? crypto.randomUUID();
      const relative = deepFreeze({ id, relatedPatientId, relationshipCode, relationshipDescription, active });
      if (known) relativesOf.replace(patientId, relative);
      else relativesOf.add(patientId, relative);
      keys.set(id, call, [patientId, member]);
      return { id };
    },

    async remove(patientId, memberId) {
      if (!world.relativesOf.remove(patientId, memberId)) {
        throw new Failure('not_found', 'the patient has no such family member');
      }
    },
  };
}
