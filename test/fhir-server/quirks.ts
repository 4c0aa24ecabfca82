import type { CryptoKey } from 'jose';
import type { LoggedRequest } from './request-log.ts';
import type { Answer } from './response.ts';
import type { Rights } from './rights.ts';

/** What a server asks of its callers. Times are in seconds. */
export type Auth =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string }
  | {
      readonly kind: 'oauth';
      readonly clientId: string;
      /** Client credentials with a secret, in the body or by Basic. */
      readonly clientSecret?: string;
      /** Client credentials with `private_key_jwt`, ES384 or RS384 (SMART Backend Services). */
      readonly publicKey?: CryptoKey;
      /** Those that may be asked for; default: any. */
      readonly scopes?: readonly string[];
      readonly expiresIn: number;
    };

/** What befalls a request besides being answered. */
export interface Fault {
  /** Whether the request is executed before the fault; after it only when the answer is `late`, else never. */
  readonly commits: boolean;
  /** Cuts the connection, never answers, goes on late, or answers something else. */
  readonly answer: 'reset' | 'hang' | 'late' | ((answer: Answer) => Answer);
  /** After the commit the server dies: what it kept in its cache of the resources that changed stays as it was. */
  readonly crashes?: true;
  /** When it goes on that is late; default: after 3 s. */
  readonly until?: Promise<void>;
}

/** In what real FHIR servers differ. Every switch may be turned while the server runs. */
export interface Quirks {
  /** `CapabilityStatement.software.name`. */
  software: string;
  /** What ids and versions look like; ids change with the next `reset`. */
  ids: 'uuid' | 'number';
  /** Whether a UUID in a path or in `_id` is found in any letter case; the resource has it in lower case. */
  anyCaseIds: boolean;
  /** The status of a stale `If-Match`. */
  versionConflict: 409 | 412;
  /** `batch` runs the entries of a transaction one by one, undoes nothing, and says `transaction-response` all the same. */
  transactions: 'atomic' | 'batch';
  /** Whether `_total=accurate` is heeded. */
  totals: boolean;
  /** The included resources of a page beyond this number are left out without a word. */
  includeLimit: number;
  /** Most matches of a page, however many were asked for. */
  pageSize: number;
  /** `state` hands out `_getpages` links to a stored search, `offset` repeats the search with an `_offset`. */
  nextLinks: 'offset' | 'state';
  /** Whether a search by POST that names a parameter twice is executed, or answered with 400. */
  repeatedInForms: 'taken' | 'refused';
  /** The origin that `next` links name instead of the server's own. */
  nextHost: string | undefined;
  /** So many milliseconds long a search is answered as it was at first, unless the caller says `Cache-Control: no-cache`. */
  staleSearch: number;
  /** Dangling references are refused with 400, the deletion of what is referenced with 409. */
  referentialIntegrity: boolean;
  /** Whether PATCH heeds `If-Match`; PUT always does, DELETE never. */
  ifMatchOnPatch: boolean;
  /** The status of DELETE for what never existed. */
  deleteUnknown: 200 | 404;
  /** `processing` is all that an answer says of what went wrong, whatever it was. */
  issueCodes: 'telling' | 'processing';
  /** The entries of a transaction are answered with `201 Created` and a bare `1`, or with `201` and `W/"1"`. */
  entryAnswers: 'wordy' | 'terse';
  /** PUT to an id that does not exist creates it (then 201), else it is 404. */
  createByUpdate: boolean;
  /** For so many milliseconds after a conditional create another with its criteria conflicts, as those do that overlap. */
  createRace: number;
  /** Conditional creates are refused with 409 `40001`: those that overlap with another that creates, or all of them. */
  serializationFailures: 'none' | 'overlapping' | 'all';
  /** A conditional create whose criteria once led to a create conflicts, also when that resource was deleted. */
  keepsSearchUrls: boolean;
  /** Whether HAPI's validator looks at each write first; `strict` knows no extensions but those of HL7. */
  validation: 'off' | 'on' | 'strict';
  /** The largest body that is accepted, in bytes; raw Binary content is not limited. */
  jsonLimit: number;
  /** `Attachment.url` of a Binary is answered as a signed link to another host, which wants no credentials. */
  presignedFiles: boolean;
  /** Whether its database is away: then all but the capabilities is 400, in the words of the network. */
  databaseAway: boolean;
  /** How many requests it still takes; beyond them it is 429. It says with each answer how many are left, and until when. */
  quota: number;
  /** Commits, then destroys the socket instead of answering. */
  loseAnswer: (request: LoggedRequest) => boolean;
  /** Destroys the socket before anything is done. */
  loseRequest: (request: LoggedRequest) => boolean;
  fault: (request: LoggedRequest) => Fault | undefined;
  /** Milliseconds before a request is looked at, or what has to come first. */
  delay: number | Promise<unknown>;
  auth: Auth;
  /** What a caller may do; the rest is refused with 403, also within a transaction. */
  rights: Rights;
}

/** HAPI FHIR JPA 8 with the defaults of its starter project, as 8.8.0 was seen to answer. */
export const hapi: Quirks = {
  software: 'HAPI FHIR Server',
  ids: 'number',
  anyCaseIds: false,
  versionConflict: 409,
  transactions: 'atomic',
  totals: true,
  includeLimit: 1000,
  pageSize: 1000,
  nextLinks: 'state',
  repeatedInForms: 'taken',
  nextHost: undefined,
  staleSearch: 60_000,
  referentialIntegrity: true,
  ifMatchOnPatch: true,
  deleteUnknown: 200,
  issueCodes: 'processing',
  entryAnswers: 'wordy',
  createByUpdate: true,
  createRace: 0,
  serializationFailures: 'none',
  keepsSearchUrls: false,
  validation: 'off',
  jsonLimit: 16 * 2 ** 20,
  presignedFiles: false,
  databaseAway: false,
  quota: Number.POSITIVE_INFINITY,
  loseAnswer: () => false,
  loseRequest: () => false,
  fault: () => undefined,
  delay: 0,
  auth: { kind: 'none' },
  rights: undefined,
};

/** Medplum 5 in a project with the feature `transaction-bundles`. */
export const medplum: Quirks = {
  ...hapi,
  software: 'medplum',
  ids: 'uuid',
  anyCaseIds: true,
  versionConflict: 412,
  nextLinks: 'offset',
  repeatedInForms: 'refused',
  staleSearch: 0,
  referentialIntegrity: false,
  ifMatchOnPatch: false,
  deleteUnknown: 404,
  issueCodes: 'telling',
  entryAnswers: 'terse',
  createByUpdate: false,
  serializationFailures: 'overlapping',
  jsonLimit: 2 ** 20,
  presignedFiles: true,
};
