/** What `puente/adapter` exports: all that an adapter in another package needs. Nothing else of Puente is for others. */
export { z } from 'zod';
export { toCountryName } from '../src/ports/country-name.ts';
export * from '../src/ports/index.ts';
export { takePage } from '../src/ports/take-page.ts';
export { throwIfAborted } from '../src/toolkit/abort.ts';
export { Cached, type CacheOptions } from '../src/toolkit/cached.ts';
export { isSameCredential } from '../src/toolkit/credential.ts';
export { deepFreeze } from '../src/toolkit/deep-freeze.ts';
export { createHttpClient } from '../src/toolkit/http-client/axios.ts';
export {
  badAnswer,
  createTimeoutFailure,
  getCauseCode,
  toNetworkFailure,
} from '../src/toolkit/http-client/failures.ts';
export type { HttpOptions } from '../src/toolkit/http-client/http-options.ts';
export { parseJsonObject } from '../src/toolkit/http-client/json.ts';
export { readContent, readSecret, secretReference } from '../src/toolkit/secret.ts';
export { SettingsProblem } from '../src/toolkit/settings-problem.ts';
export { addDays, addMinutes, addMonths, computeAge, Zone } from '../src/toolkit/zone.ts';
export {
  type Adapter,
  type AdapterDefinition,
  adapter,
  apiVersion,
  type Institution,
  type OtherPorts,
} from './adapter.ts';
export { checkBooking, type FoundForBooking } from './common/booking-checks.ts';
export { isCancelable } from './common/cancelable.ts';
export { changeReasons } from './common/change-reasons.ts';
export { computeMinutes, type OfferedSlot, pickSlots, throwOfferMismatch } from './common/contiguous-slots.ts';
export * from './common/eligibility.ts';
export { computeFrequentSince, rankByUse, type Use } from './common/frequent-services.ts';
export { type KeyedWrite, KeyStore, keyStoreSettings, openKeyStore } from './common/key-store.ts';
export { compareNewestFirst } from './common/paging.ts';
export { checkBirthDate, createPromisedFailure } from './common/promised-failures.ts';
export { requireFound } from './common/require-found.ts';
export type {
  Connection as DatabaseConnection,
  Driver as DatabaseDriver,
  DriverOptions as DatabaseDriverOptions,
  Outcome as StatementOutcome,
} from './common/sql-driver.ts';
export { entryId, fillTicketFields, matchesTicketFilter, ticketType, toTicketField } from './common/ticket-type.ts';
