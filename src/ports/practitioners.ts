import type { Call } from './call.ts';

/** Somebody who treats patients. Texts are empty when unknown. */
export interface Practitioner {
  readonly id: string;
  readonly name: string;
  readonly specialty: string;
  readonly email: string;
  readonly phone: string;
  /** Free text for people. */
  readonly workingHours: string;
  /** Free text for people. */
  readonly location: string;
  /** True if the practitioner takes patients at present. */
  readonly available: boolean;
}

/** Why a patient may ask for another main practitioner. `label` is in words for people. */
export interface ChangeReason {
  readonly id: string;
  readonly label: string;
}

/** A change as a patient asks for it. */
export interface NewChangeRequest {
  readonly reasonId: string;
  /** Whom the patient would like instead. */
  readonly practitionerId?: string;
  readonly observations?: string;
}

/** A patient's request for another main practitioner. */
export interface ChangeRequest {
  readonly id: string;
  readonly reasonId: string;
  /** `in_progress` while the institution works on it. */
  readonly status: string;
}

/** The institution's practitioners and each patient's main one. API document, sections 2 and 4.A. */
export abstract class Practitioners {
  /** Everybody who treats patients here, each once. */
  abstract list(call: Call): Promise<readonly Practitioner[]>;

  /** @throws not_found when there is no such patient, or `no_main_practitioner` when the patient has none. */
  abstract mainOf(patientId: string, call: Call): Promise<Practitioner>;

  /** The reasons that `requestChange` takes. */
  abstract changeReasons(call: Call): Promise<readonly ChangeReason[]>;

  /**
   * Files a request, which is `in_progress` from then on.
   * @throws not_found when there is no such patient.
   * @throws invalid at `reasonId` or `practitionerId` when it does not exist.
   * @throws conflict `change_request_open` while another request of the patient is `in_progress`.
   */
  abstract requestChange(patientId: string, request: NewChangeRequest, call: Call): Promise<ChangeRequest>;

  /**
   * The patient's latest request.
   * @throws not_found when there is no such patient, or `no_change_request` when there is no request.
   */
  abstract changeRequestOf(patientId: string, call: Call): Promise<ChangeRequest>;
}
