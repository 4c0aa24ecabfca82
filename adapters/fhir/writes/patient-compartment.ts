import { badAnswer } from '../../http-client/failures.ts';
import { parseReferenceId, type Reference } from '../schema/datatypes.ts';

/**
 * Holds a server to its word that everything it found is this patient's.
 * @param ownersOf whom a resource is about.
 * @throws Failure bad_answer when one is not: a server may ignore a criterion, and then returns strangers.
 */
export function assertBelongsTo<T>(
  patientId: string,
  resources: readonly T[],
  ownersOf: (resource: T) => readonly (Reference | undefined)[],
): void {
  const isOwn = (resource: T) => ownersOf(resource).some((each) => parseReferenceId(each, 'Patient') === patientId);
  if (!resources.every(isOwn)) throw badAnswer('of_another_patient');
}
