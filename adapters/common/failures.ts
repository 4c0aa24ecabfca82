import { type Day, Failure, type FailureKind, PATIENT_SEARCH_LIMIT, type Patient } from '../../src/ports/index.ts';

/** The failures for which a port defines a code. */
const promised = {
  change_request_open: ['conflict', 'an earlier request is still in progress'],
  coverage_exists: ['conflict', 'the beneficiary has an active coverage with this credential number'],
  no_change_request: ['not_found', 'the patient has no change request'],
  no_main_practitioner: ['not_found', 'the patient has no main practitioner'],
  not_cancelable: ['conflict', 'the appointment is past, or too near to be canceled, or for other patients too'],
  precondition_failed: ['conflict', 'the patient was changed since that version'],
  relation_exists: ['conflict', 'the family group already has this relative'],
  search_too_wide: ['invalid', `more than ${PATIENT_SEARCH_LIMIT} patients match, narrow the search`],
  slot_taken: ['conflict', 'the slot is no longer free'],
  slot_unknown: ['invalid', 'no slot is offered at this time', 'start'],
} as const satisfies Readonly<Record<string, readonly [FailureKind, message: string, at?: string]>>;

/** True if a port defines a failure with this code. */
export const isPromised = (code: string): code is keyof typeof promised => Object.hasOwn(promised, code);

/** Creates the failure with this code, as its port defines it. */
export function createPromisedFailure(code: keyof typeof promised): Failure {
  const [kind, message, at] = promised[code];
  return new Failure(kind, message, { code, at });
}

/** @throws Failure invalid at `birthDate` when it lies after today in the institution's zone. */
export function checkBirthDate(birthDate: Day | undefined, today: Day): void {
  if (birthDate === undefined || birthDate <= today) return;
  throw new Failure('invalid', 'a birth date cannot lie in the future', { at: 'birthDate' });
}

/**
 * Returns the record that a request names by its id.
 * @param at the field of the port's argument with the id.
 * @throws Failure invalid when nothing was found.
 */
export function requireFound<T extends object | true>(found: T | false | undefined, what: string, at: string): T {
  if (found === undefined || found === false) throw new Failure('invalid', `there is no such ${what}`, { at });
  return found;
}

/**
 * Checks that a patient's record is open. Every write that arranges something for a patient calls it.
 * @throws Failure invalid when the record is closed.
 */
export function checkOpenRecord({ active }: Partial<Pick<Patient, 'active'>>, at: string): void {
  if (active === false) throw new Failure('invalid', 'the record of this patient is closed', { at });
}
