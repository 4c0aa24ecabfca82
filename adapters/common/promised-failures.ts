import { type Day, Failure, type FailureKind, PATIENT_SEARCH_LIMIT } from '../../src/ports/index.ts';

/** The failures to which a port gives a code of their own. */
const promised = {
  change_request_open: ['conflict', 'an earlier request is still in progress'],
  coverage_exists: ['conflict', 'the beneficiary has an active coverage with this credential number'],
  no_change_request: ['not_found', 'the patient has no change request'],
  no_main_practitioner: ['not_found', 'the patient has no main practitioner'],
  not_cancelable: ['conflict', 'the appointment is past, or too near to be canceled, or for other patients too'],
  relation_exists: ['conflict', 'the family group already has this relative'],
  search_too_wide: ['invalid', `more than ${PATIENT_SEARCH_LIMIT} patients match, narrow the search`],
  slot_taken: ['conflict', 'the slot is no longer free'],
  slot_unknown: ['invalid', 'nobody offers this time', 'start'],
} as const satisfies Readonly<Record<string, readonly [FailureKind, message: string, at?: string]>>;

/** The failure with this code, as its port promises it. */
export function createPromisedFailure(code: keyof typeof promised): Failure {
  const [kind, message, at] = promised[code];
  return new Failure(kind, message, { code, at });
}

/** @throws Failure invalid at `birthDate` when it lies after today in the institution's zone. */
export function checkBirthDate(birthDate: Day | undefined, today: Day): void {
  if (birthDate === undefined || birthDate <= today) return;
  throw new Failure('invalid', 'a birth date cannot lie in the future', { at: 'birthDate' });
}
