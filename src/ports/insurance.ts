import type { Call } from './call.ts';

/** Somebody who insures people. */
export interface Carrier {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
}

/** What a carrier sells. */
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
  /** The names that a person reads. */
  readonly carrier: string;
  readonly plan: string;
  readonly credentialNumber: string;
  readonly active: boolean;
}

/** A coverage as somebody asks for it. */
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

/** Who pays for the care. API document, sections 2 "Health insurance carrier" and "Coverage", 4.A and 4.B. */
export abstract class Insurance {
  /**
   * All carriers, or those with which the institution `ownerId` has a contract, by name as `createNameOrder` has it.
   * @throws invalid at `ownerId` when there is no such institution; a carrier is none.
   */
  abstract carriers(query: { readonly ownerId?: string }, call: Call): Promise<readonly Carrier[]>;

  /**
   * The plans of the carrier with this id or exactly this name; an empty list when it sells none.
   * @throws not_found when there is no such carrier.
   */
  abstract plans(carrier: string, call: Call): Promise<readonly Plan[]>;

  /**
   * The patient's coverages, inactive ones too.
   * @throws not_found when there is no such patient.
   */
  abstract coverages(patientId: string, call: Call): Promise<readonly Coverage[]>;

  /**
   * Gives the beneficiary an active coverage; one of the same carrier and credential that has lapsed is taken up again.
   * Blanks and case tell no credentials apart.
   * @throws not_found when there is no such beneficiary or plan.
   * @throws invalid at `planId` when the plan is no longer sold.
   * @throws conflict `coverage_exists` when the beneficiary has an active coverage with this credential, of whichever carrier.
   */
  abstract create(coverage: NewCoverage, call: Call): Promise<{ readonly id: string }>;

  /**
   * Changes what is present in `changes`.
   * @throws not_found when there is no such coverage, or no such plan.
   * @throws invalid at `planId` when the plan is no longer sold.
   */
  abstract edit(coverageId: string, changes: CoverageChanges, call: Call): Promise<void>;
}
