import type { Call } from './call.ts';
import type { Instant } from './time.ts';

/** A consultation with somebody, or something that is done to or for the patient. */
export type CareServiceType = 'CONSULTA' | 'PRACTICA';

/** A service, and for whom it is. */
export interface CareService {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly type: CareServiceType;
  readonly active: boolean;
  /** Where it is given, in words for people. */
  readonly offeredIn: string;
  /** Empty when no single practitioner gives it. */
  readonly practitionerId: string;
  readonly extraDetails: string;
  readonly patientInstruction: string;
  readonly integrationId: string;
  readonly appointmentRequired: boolean;
  readonly requiresAuthorization: boolean;
  readonly availabilityExceptions: string | null;
  /** Youngest and oldest age in completed years, both included. */
  readonly minAge: number | null;
  readonly maxAge: number | null;
  /** The institution's own code for the sex that the service is for; null when it is for everybody. */
  readonly sexId: number | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly deletedAt: Instant | null;
}

/** Only services for this patient's age and sex, and only those that this coverage pays for while it is active; gender `Other` passes for either sex. */
export interface Eligibility {
  readonly patientId?: string;
  readonly coverageId?: string;
}

/** What the institution does for patients. API document, sections 2 "Health care service", 4.A and 4.B. */
export abstract class CareServices {
  /**
   * The active services that pass, by name as `createNameOrder` has it.
   * @throws invalid at `patientId` or `coverageId` when it does not exist, and at `coverageId` when it is not the patient's.
   */
  abstract available(who: Eligibility, call: Call): Promise<readonly CareService[]>;

  /**
   * The services of the patient's appointments of the last 24 months and to come, canceled ones left out: most often first,
   * then those with the latest start, then by name, as far as they are still available for the patient and the coverage.
   * @throws invalid as `available` does.
   */
  abstract frequent(who: Required<Eligibility>, call: Call): Promise<readonly CareService[]>;
}
