import { races } from '../gaps.ts';
import type { KnownDisagreement } from './known.ts';

/** Everything on which the two adapters are known to disagree. Without the races it is to become empty. */
export const knownDisagreements: readonly KnownDisagreement[] = [...races];
