/** What `puente/adapter` exports: all that an adapter in another package needs. Nothing else of Puente is for others. */
export { z } from 'zod';
export { toCountryName } from '../src/ports/country-name.ts';
export * from '../src/ports/index.ts';
export { takePage } from '../src/ports/take-page.ts';
export { throwIfAborted } from './abort.ts';
export {
  type Adapter,
  type AdapterDefinition,
  adapter,
  apiVersion,
  type Institution,
  type OtherPorts,
  SettingsProblem,
} from './adapter.ts';
export { checkBooking, type FoundForBooking } from './booking-checks.ts';
export { Cached, type CacheOptions } from './cached.ts';
export { isCancelable } from './cancelable.ts';
export { changeReasons } from './change-reasons.ts';
export { computeMinutes, type OfferedSlot, pickSlots, throwOfferMismatch } from './contiguous-slots.ts';
export { isSameCredential } from './credential.ts';
export { deepFreeze } from './deep-freeze.ts';
export * from './eligibility.ts';
export { computeFrequentSince, rankByUse, type Use } from './frequent-services.ts';
export { createHttpClient } from './http-client/axios.ts';
export { badAnswer, createTimeoutFailure, getCauseCode, toNetworkFailure } from './http-client/failures.ts';
export type { HttpOptions } from './http-client/http-options.ts';
export { parseJsonObject } from './http-client/json.ts';
export { type KeyedWrite, KeyStore, keyStoreSettings, openKeyStore } from './key-store.ts';
export { compareNewestFirst } from './paging.ts';
export { checkBirthDate, createPromisedFailure } from './promised-failures.ts';
export { requireFound } from './require-found.ts';
export { readContent, readSecret, secretReference } from './secret.ts';
export { entryId, fillTicketFields, matchesTicketFilter, ticketType, toTicketField } from './ticket-type.ts';
export { addDays, addMinutes, addMonths, computeAge, Zone } from './zone.ts';
