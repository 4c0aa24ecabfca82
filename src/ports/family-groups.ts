import type { Call } from './call.ts';

/** A relative whom a patient names, or somebody who once was. */
export interface FamilyMember {
  readonly id: string;
  readonly relatedPatientId: string;
  /** The institution's own code of the relationship. */
  readonly relationshipCode: number;
  /** What the relative is to the patient; empty when nobody said. */
  readonly relationshipDescription: string;
  readonly active: boolean;
}

/** A relative as a patient names one. */
export type NewFamilyMember = Omit<FamilyMember, 'id'>;

/** Who belongs to whom. A relation belongs to the patient who names it. API document, sections 2 and 4.A. */
export abstract class FamilyGroups {
  /**
   * The patient's relatives, inactive ones too.
   * @throws not_found when there is no such patient.
   */
  abstract list(patientId: string, call: Call): Promise<readonly FamilyMember[]>;

  /**
   * Adds a relative to the patient's own group, and to nobody else's; one who is in it and not active becomes what is given.
   * @throws not_found when there is no such patient.
   * @throws invalid at `relatedPatientId` when there is no such patient or it is the patient itself.
   * @throws conflict `relation_exists` when the patient already names this relative as active.
   */
  abstract add(patientId: string, member: NewFamilyMember, call: Call): Promise<{ readonly id: string }>;

  /**
   * Removes the member. Of several removals at one moment more than one may succeed.
   * @throws not_found when there is no such patient, or this patient has no such member.
   */
  abstract remove(patientId: string, memberId: string, call: Call): Promise<void>;
}
