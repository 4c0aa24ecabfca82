import {
  type Call,
  type ChangeReason,
  type ChangeRequest,
  type NewChangeRequest,
  type Practitioner,
  Practitioners,
} from '../../src/ports/index.ts';
import { throwIfAborted } from '../abort.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { createPromisedFailure } from '../promised-failures.ts';
import { requireFound } from '../require-found.ts';
import type { World } from './world.ts';

export class MemoryPractitioners extends Practitioners {
  readonly #world: World;

  constructor(world: World) {
    super();
    this.#world = world;
  }

  async list(call: Call): Promise<readonly Practitioner[]> {
    throwIfAborted(call);
    return [...this.#world.practitioners.values()];
  }

  async mainOf(patientId: string, call: Call): Promise<Practitioner> {
    throwIfAborted(call);
    const { patients, mainPractitioners, practitioners } = this.#world;
    patients.get(patientId);
    const practitioner = practitioners.get(mainPractitioners.get(patientId) ?? '');
    if (!practitioner) throw createPromisedFailure('no_main_practitioner');
    return practitioner;
  }

  async changeReasons(call: Call): Promise<readonly ChangeReason[]> {
    throwIfAborted(call);
    return [...this.#world.changeReasons.values()];
  }

  async requestChange(patientId: string, request: NewChangeRequest, call: Call): Promise<ChangeRequest> {
    throwIfAborted(call);
    const { changesRequested } = this.#world;
    return changesRequested.once(call, [patientId, request], () => this.#requestChange(patientId, request));
  }

  #requestChange(patientId: string, { reasonId, practitionerId }: NewChangeRequest): ChangeRequest {
    const { patients, changeReasons, practitioners, changeRequestsOf } = this.#world;
    patients.get(patientId);
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

  async changeRequestOf(patientId: string, call: Call): Promise<ChangeRequest> {
    throwIfAborted(call);
    const { patients, changeRequestsOf } = this.#world;
    patients.get(patientId);
    const latest = changeRequestsOf.get(patientId).at(-1);
    if (!latest) throw createPromisedFailure('no_change_request');
    return latest;
  }
}
