import type { CompareNames } from '../../src/ports/index.ts';
import type { Zone } from '../../src/toolkit/zone.ts';
import type { Catalogue } from './catalogue.ts';
import type { FhirClient } from './rest/client.ts';
import type { Transactions } from './rest/transactions.ts';
import type { Codes } from './schema/terminology.ts';
import type { Settings } from './settings.ts';

/** The context of every port of this adapter. */
export interface FhirContext {
  readonly client: FhirClient;
  readonly catalogue: Catalogue;
  readonly transactions: Transactions;
  readonly codes: Codes;
  readonly settings: Settings;
  readonly zone: Zone;
  /** The order of lists by name. */
  readonly compareNames: CompareNames;
  /** The number of days ahead for which slots are offered and booked. */
  readonly horizonDays: number;
}
