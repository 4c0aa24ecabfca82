import type { KnownDisagreement } from './known.ts';
import { ofRecords } from './records.ts';

/** Everything on which the two adapters are known to disagree. It is to become empty. */
export const knownDisagreements: readonly KnownDisagreement[] = [...ofRecords];
