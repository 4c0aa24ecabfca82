import type { Call } from './call.ts';

/** A current or former relative in a patient's family group. */
export interface FamilyMember {
  readonly id: string;
  readonly relatedPatientId: string;
  /** The institution's own code of the relationship. */
  readonly relationshipCode: number;
  /** The relationship of the relative to the patient. Empty if unknown. */
  readonly relationshipDescription: string;
  readonly active: boolean;
}

/** A relative to add. */
export type NewFamilyMember = Omit<FamilyMember, 'id'>;

/** The family groups. A relation belongs to the patient who names it. API document, sections 2 and 4.A. */
export abstract class FamilyGroups {
  /**
   * Lists the patient's relatives, inactive ones too.
   * @throws not_found when there is no such patient.
   */
  abstract list(patientId: string, call: Call): Promise<readonly FamilyMember[]>;

  /**
   * Adds a relative to the patient's own group only. An inactive relative in it becomes active, with the given details.
   * @throws not_found when there is no such patient.
   * @throws invalid at `relatedPatientId` when there is no such patient or it is the patient itself.
   * @throws conflict `relation_exists` when the patient already names this relative as active.
   */
  abstract add(patientId: string, member: NewFamilyMember, call: Call): Promise<{ readonly id: string }>;

  /**
   * Removes the member. Of several parallel removals more than one may succeed.
   * @throws not_found when there is no such patient, or this patient has no such member.
   */
  abstract remove(patientId: string, memberId: string, call: Call): Promise<void>;
}
