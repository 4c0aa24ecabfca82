import type { Call } from './call.ts';
import type { Instant } from './time.ts';

/** A consultation, or a procedure. */
export type CareServiceType = 'CONSULTA' | 'PRACTICA';

/** A service and the patients who may have it. */
export interface CareService {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly type: CareServiceType;
  readonly active: boolean;
  /** The place of the service, as display text. */
  readonly offeredIn: string;
  /** Empty if the service has no single practitioner. */
  readonly practitionerId: string;
  readonly extraDetails: string;
  readonly patientInstruction: string;
  readonly integrationId: string;
  readonly appointmentRequired: boolean;
  readonly requiresAuthorization: boolean;
  readonly availabilityExceptions: string | null;
  /** Youngest and oldest age in completed years, both inclusive. */
  readonly minAge: number | null;
  readonly maxAge: number | null;
  /** The institution's own code for the required sex. Null if the service is for everybody. */
  readonly sexId: number | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly deletedAt: Instant | null;
}

/**
 * Selects the services for this patient's age and sex that this coverage pays for while it is active. Gender `Other`
 * passes for either sex.
 */
export interface Eligibility {
  readonly patientId?: string;
  readonly coverageId?: string;
}

/** The services of the institution. API document, sections 2 "Health care service", 4.A and 4.B. */
export abstract class CareServices {
  /**
   * Lists the active services that pass, in the order of `createNameOrder`.
   * @throws invalid at `patientId` or `coverageId` when it does not exist.
   * @throws invalid at `coverageId` when the coverage is not the patient's.
   */
  abstract available(who: Eligibility, call: Call): Promise<readonly CareService[]>;

  /**
   * Lists the services of the patient's appointments of the last 24 months and of the future. Canceled appointments do
   * not count. The order is by frequency, then by latest start, then by name. Services that are not available for the
   * patient and the coverage are left out.
   * @throws invalid as `available` does.
   */
  abstract frequent(who: Required<Eligibility>, call: Call): Promise<readonly CareService[]>;
}
