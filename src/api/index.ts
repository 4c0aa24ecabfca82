import * as patientsA from './group-a/patients.ts';
import type { Operation } from './operation.ts';

export * from './operation.ts';
export * from './perform.ts';
export * from './problem.ts';
export * from './rejection.ts';
export * from './scopes.ts';

/** Every operation of Group A, in the order of the API document. */
export const groupA: readonly Operation[] = [
  patientsA.searchPatients,
  patientsA.getPatient,
  patientsA.registerPatient,
  patientsA.updatePatient,
];

/** Every operation of Group B, in the order of the API document, with this gateway's default routes. */
export const groupB: readonly Operation[] = [];

/** Every operation. */
export const operations: readonly Operation[] = [...groupA, ...groupB];

const namesOfB: ReadonlySet<string> = new Set(groupB.map(({ name }) => name));

/** The group of the API document that an operation belongs to. */
export const groupOf = (operation: Operation): 'A' | 'B' => (namesOfB.has(operation.name) ? 'B' : 'A');
