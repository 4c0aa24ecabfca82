import type { Call } from './call.ts';

/** A practitioner. Texts are empty when unknown. */
export interface Practitioner {
  readonly id: string;
  readonly name: string;
  readonly specialty: string;
  readonly email: string;
  readonly phone: string;
  /** Display text. */
  readonly workingHours: string;
  /** Display text. */
  readonly location: string;
  /** True if the practitioner currently accepts patients. */
  readonly available: boolean;
}

/** A reason for a change of the main practitioner. `label` is display text. */
export interface ChangeReason {
  readonly id: string;
  readonly label: string;
}

/** A change request to file. */
export interface NewChangeRequest {
  readonly reasonId: string;
  /** The preferred practitioner of the patient. */
  readonly practitionerId?: string;
  readonly observations?: string;
}

/** A patient's request for another main practitioner. */
export interface ChangeRequest {
  readonly id: string;
  readonly reasonId: string;
  /** `in_progress` until the institution has decided. */
  readonly status: string;
}

/** The institution's practitioners and each patient's main practitioner. API document, sections 2 and 4.A. */
export abstract class Practitioners {
  /** Lists every practitioner once. */
  abstract list(call: Call): Promise<readonly Practitioner[]>;

  /** @throws not_found when there is no such patient, or `no_main_practitioner` when the patient has none. */
  abstract mainOf(patientId: string, call: Call): Promise<Practitioner>;

  /** Lists the reasons that `requestChange` accepts. */
  abstract changeReasons(call: Call): Promise<readonly ChangeReason[]>;

  /**
   * Files a request, which is then `in_progress`.
   * @throws not_found when there is no such patient.
   * @throws invalid at `patientId` when the patient's record is closed, at `reasonId` or `practitionerId` when it does not exist.
   * @throws conflict `change_request_open` while another request of the patient is `in_progress`.
   */
  abstract requestChange(patientId: string, request: NewChangeRequest, call: Call): Promise<ChangeRequest>;

  /**
   * Returns the patient's latest request.
   * @throws not_found when there is no such patient, or `no_change_request` when there is no request.
   */
  abstract changeRequestOf(patientId: string, call: Call): Promise<ChangeRequest>;
}
