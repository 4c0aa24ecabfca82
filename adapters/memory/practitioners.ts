import type { ChangeRequest, NewChangeRequest, Practitioners } from '../../src/ports/index.ts';
import { deepFreeze } from '../../src/toolkit/deep-freeze.ts';
import { checkOpenRecord } from '../common/eligibility.ts';
import { createPromisedFailure } from '../common/promised-failures.ts';
import { requireFound } from '../common/require-found.ts';
import type { World } from './world.ts';

export function createPractitioners(world: World): Practitioners {
  return {
    list: async () => [...world.practitioners.values()],

    async mainOf(patientId) {
      const { patients, mainPractitioners, practitioners } = world;
      patients.get(patientId);
      const practitioner = practitioners.get(mainPractitioners.get(patientId) ?? '');
      if (!practitioner) throw createPromisedFailure('no_main_practitioner');
      return practitioner;
    },

    changeReasons: async () => [...world.changeReasons.values()],

    async requestChange(patientId, request, call) {
      const { changesRequested } = world;
      return changesRequested.once(call, [patientId, request], () => requestChange(patientId, request));
    },

    async changeRequestOf(patientId) {
      const { patients, changeRequestsOf } = world;
      patients.get(patientId);
      const latest = changeRequestsOf.get(patientId).at(-1);
      if (!latest) throw createPromisedFailure('no_change_request');
      return latest;
    },
  };

  function requestChange(patientId: string, { reasonId, practitionerId }: NewChangeRequest): ChangeRequest {
    const { patients, changeReasons, practitioners, changeRequestsOf } = world;
    checkOpenRecord(patients.get(patientId), 'patientId');
    requireFound(changeReasons.get(reasonId), 'reason', 'reasonId');
    if (practitionerId !== undefined) {
      requireFound(practitioners.get(practitionerId), 'practitioner', 'practitionerId');
    }
    if (changeRequestsOf.get(patientId).some(({ status }) => status === 'in_progress'))
      throw createPromisedFailure('change_request_open');
    const request = deepFreeze({ id: crypto.randomUUID(), reasonId, status: 'in_progress' });
    changeRequestsOf.add(patientId, request);
    return request;
  }
}
