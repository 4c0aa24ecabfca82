/**
 * The exports of `puente/adapter`: everything that an adapter in another package needs. All other modules are internal.
 */
export { z } from 'zod';
export { parseJsonObject } from '../src/http-client/answer-size.ts';
export { createHttpClient } from '../src/http-client/axios.ts';
export type { HttpOptions } from '../src/http-client/exchange.ts';
export {
  badAnswer,
  createTimeoutFailure,
  getCauseCode,
  toNetworkFailure,
} from '../src/http-client/failures.ts';
export * from '../src/ports/index.ts';
export { Cached, type CacheOptions } from '../src/toolkit/cached.ts';
export { throwIfAborted } from '../src/toolkit/failures.ts';
export { SettingsProblem } from '../src/toolkit/problems.ts';
export { deepFreeze, omitUndefined } from '../src/toolkit/records.ts';
export { readContent, readSecret, secretReference } from '../src/toolkit/secret.ts';
export { addDays, addMinutes, addMonths, computeAge, Zone } from '../src/toolkit/zone.ts';
export {
  type Adapter,
  type AdapterDefinition,
  adapter,
  apiVersion,
  type Institution,
  type OtherPorts,
} from './adapter.ts';
export * from './common/bookable.ts';
export * from './common/booking.ts';
export * from './common/care-services.ts';
export * from './common/failures.ts';
export { type KeyedWrite, KeyStore, keyStoreSettings, openKeyStore } from './common/key-store.ts';
export { takeSlots } from './common/slot-lists.ts';
export type {
  DatabaseConnection,
  DatabaseDriver,
  DatabaseDriverOptions,
  StatementOutcome,
} from './common/sql-driver.ts';
export {
  changeReasons,
  compareNewestFirst,
  entryId,
  fillTicketFields,
  matchesTicketFilter,
  ticketType,
  toTicketField,
} from './common/tickets.ts';
