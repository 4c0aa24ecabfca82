import { type Call, Failure, FamilyGroups, type FamilyMember, type NewFamilyMember } from '../../src/ports/index.ts';
import { throwIfAborted } from '../abort.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { createPromisedFailure } from '../promised-failures.ts';
import { requireFound } from '../require-found.ts';
import { LastKeys } from './idempotent-writes.ts';
import type { World } from './world.ts';

export class MemoryFamilyGroups extends FamilyGroups {
  readonly #world: World;
  readonly #keys = new LastKeys();

  constructor(world: World) {
    super();
    this.#world = world;
  }

  async list(patientId: string, call: Call): Promise<readonly FamilyMember[]> {
    throwIfAborted(call);
    this.#world.patients.get(patientId);
    return [...this.#world.relativesOf.get(patientId)];
  }

  async add(patientId: string, member: NewFamilyMember, call: Call): Promise<{ readonly id: string }> {
    throwIfAborted(call);
    const { patients, relativesOf } = this.#world;
    patients.get(patientId);
    const { relatedPatientId, relationshipCode, relationshipDescription, active } = member;
    requireFound(patients.find(relatedPatientId), 'patient', 'relatedPatientId');
    if (relatedPatientId === patientId) {
      throw new Failure('invalid', 'a patient cannot be their own relative', { at: 'relatedPatientId' });
    }
    const known = relativesOf.get(patientId).find((other) => other.relatedPatientId === relatedPatientId);
    if (known && this.#keys.isOwn(known.id, call, [patientId, member])) return { id: known.id };
    if (known?.active) throw createPromisedFailure('relation_exists');
    const id = known?.id ?? crypto.randomUUID();
    const relative = deepFreeze({ id, relatedPatientId, relationshipCode, relationshipDescription, active });
    if (known) relativesOf.replace(patientId, relative);
    else relativesOf.add(patientId, relative);
    this.#keys.set(id, call, [patientId, member]);
    return { id };
  }

  async remove(patientId: string, memberId: string, call: Call): Promise<void> {
    throwIfAborted(call);
    if (!this.#world.relativesOf.remove(patientId, memberId)) {
      throw new Failure('not_found', 'the patient has no such family member');
    }
  }
}
