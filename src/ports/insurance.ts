import type { Call } from './call.ts';

/** An insurer. */
export interface Carrier {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
}

/** A plan of a carrier. */
export interface Plan {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
}

/** A patient's insurance with a carrier under one of its plans. */
export interface Coverage {
  readonly id: string;
  readonly patientId: string;
  readonly planId: string;
  /** The display name of the carrier; the plan's follows. */
  readonly carrier: string;
  readonly plan: string;
  readonly credentialNumber: string;
  readonly active: boolean;
}

/** A coverage to create. */
export interface NewCoverage {
  readonly credentialNumber: string;
  readonly beneficiaryId: string;
  readonly planId: string;
}

/** The fields to change, at least one. */
export interface CoverageChanges {
  readonly credentialNumber?: string;
  readonly planId?: string;
}

/** Carriers, plans and coverages. API document, sections 2 "Health insurance carrier" and "Coverage", 4.A and 4.B. */
export abstract class Insurance {
  /**
   * Lists all carriers, or those with a contract with the institution `ownerId`, in the order of `createNameOrder`.
   * @throws invalid at `ownerId` when there is no such institution; a carrier is not an institution.
   */
  abstract carriers(query: { readonly ownerId?: string }, call: Call): Promise<readonly Carrier[]>;

  /**
   * Lists the plans of the carrier with this id or exactly this name. The list is empty if it sells none.
   * @throws not_found when there is no such carrier.
   */
  abstract plans(carrier: string, call: Call): Promise<readonly Plan[]>;

  /**
   * Lists the patient's coverages, inactive ones too.
   * @throws not_found when there is no such patient.
   */
  abstract coverages(patientId: string, call: Call): Promise<readonly Coverage[]>;

  /**
   * Creates an active coverage for the beneficiary. A lapsed coverage of the same carrier and credential becomes active
   * again, with the given plan. Credentials that differ only in blanks and case are equal.
   * @throws not_found when there is no such beneficiary or plan.
   * @throws invalid at `beneficiaryId` when the beneficiary's record is closed, at `planId` when the plan is no longer sold.
   * @throws conflict `coverage_exists` when the beneficiary has an active coverage with this credential, of any
   * carrier.
   */
  abstract create(coverage: NewCoverage, call: Call): Promise<{ readonly id: string }>;

  /**
   * Changes what is present in `changes`.
   * @throws not_found when there is no such coverage, or no such plan.
   * @throws invalid at `planId` when the plan is no longer sold.
   */
  abstract edit(coverageId: string, changes: CoverageChanges, call: Call): Promise<void>;
}
