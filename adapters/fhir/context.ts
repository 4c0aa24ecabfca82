import type { CompareNames } from '../../src/ports/index.ts';
import type { Zone } from '../../src/toolkit/zone.ts';
import type { Catalogue } from './catalogue.ts';
import type { FhirClient } from './rest/client.ts';
import type { Transactions } from './rest/transactions.ts';
import type { Codes } from './schema/terminology.ts';
import type { Settings } from './settings.ts';

/** What every port of this adapter works with. */
export interface FhirContext {
  readonly client: FhirClient;
  readonly catalogue: Catalogue;
  readonly transactions: Transactions;
  readonly codes: Codes;
  readonly settings: Settings;
  readonly zone: Zone;
  /** The order of lists by name. */
  readonly compareNames: CompareNames;
  /** How many days ahead slots are offered and bookings taken. */
  readonly horizonDays: number;
}
