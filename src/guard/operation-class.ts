import { type Capability, writes } from '../ports/index.ts';

/** Kinds of operations that load a backend differently. None of them waits for another. */
export const operationClasses = ['read', 'write', 'slotSearch', 'patientSearch'] as const;
export type OperationClass = (typeof operationClasses)[number];

/** The class of the operation that uses these methods. */
export function getOperationClass(uses: readonly Capability[]): OperationClass {
  if (uses.some((capability) => writes.includes(capability))) return 'write';
  if (uses.includes('appointments.slots')) return 'slotSearch';
  return uses.includes('patients.search') ? 'patientSearch' : 'read';
}
