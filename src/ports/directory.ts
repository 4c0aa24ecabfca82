import type { Call } from './call.ts';
import type { Address } from './patients.ts';

/** A place where the institution works. */
export interface Location {
  readonly id: string;
  readonly name: string;
  readonly address: Address;
}

/** A telephone number and what kind it is: `phone`, `cell-phone`. */
export interface Phone {
  readonly type: string;
  readonly value: string;
}

/** A place of the medical directory. Texts are empty when unknown. */
export interface DirectoryLocation {
  readonly id: string;
  readonly name: string;
  /** Decimal degrees (WGS 84). */
  readonly latitude: string;
  readonly longitude: string;
  /** The whole address in one line. */
  readonly address: string;
  readonly zipCode: string;
  readonly email: string;
  readonly phones: readonly Phone[];
}

/** A provider at a place of the medical directory. Texts are empty when unknown. */
export interface DirectoryProvider {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly type: 'pharmacy' | 'practitioner' | 'clinic';
  readonly email: string;
  readonly phones: readonly Phone[];
  readonly services: readonly { readonly id: string; readonly name: string; readonly description: string }[];
}

/** A place with its providers. */
export interface DirectoryEntry {
  readonly location: DirectoryLocation;
  readonly providers: readonly DirectoryProvider[];
}

/** Places of care, inside the institution and around it. API document, sections 2 and 4.A. */
export abstract class Directory {
  /** Lists every place once. */
  abstract locations(call: Call): Promise<readonly Location[]>;

  /** Lists the medical directory of the social insurance: places with their providers. */
  abstract entries(call: Call): Promise<readonly DirectoryEntry[]>;
}
