import { z } from 'zod';
import { secretReference } from '../toolkit/secret.ts';
import type { ConnectionPool } from '../toolkit/telemetry.ts';

export type SqlValue = string | number | Uint8Array | null;

/** A row by its columns. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Runs one statement as a separate transaction, with values for `$1`, `$2` and so on, and returns its rows.
 * @param timeLeft the remaining milliseconds of the caller. Without it, the database's own limit applies.
 * @throws DatabaseUnavailable if the database cannot be reached, or refuses.
 */
export type RunQuery = (sql: string, values?: readonly SqlValue[], timeLeft?: () => number) => Promise<readonly Row[]>;

export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** True if the transaction fails when this statement returns no row. */
  readonly mustReturn?: boolean;
}

/** A database with the SQL that SQLite and PostgreSQL share. */
export interface Database {
  readonly query: RunQuery;
  /**
   * Runs statements in order and atomically.
   * @throws DatabaseUnavailable if the database cannot be reached, or refuses one of them.
   */
  transact(statements: readonly Statement[]): Promise<void>;
  /** The database's name in OpenTelemetry. */
  readonly system: 'sqlite' | 'postgresql';
  readonly pool?: ConnectionPool;
  /** Milliseconds since 1970, by a clock that all gateways of this database share. */
  now(): number;
  /** Milliseconds by which the database's clock is ahead of this machine's. Undefined if they share a clock. */
  clockOffset?(): number;
  /** The database's type for bytes. */
  readonly bytes: 'BLOB' | 'BYTEA';
  /** A primary key with increasing row numbers. */
  readonly counter: string;
  /** Runs statements in one transaction, with a lock against other gateways. */
  migrate(work: (query: RunQuery) => Promise<void>): Promise<void>;
  /** Present if the database is only read. It then receives what a start would change, one line each. */
  readonly notes?: string[] | undefined;
  close(): Promise<void>;
}

/** @throws DatabaseUnavailable `row_missing` if the statement had to return a row. */
export function checkRows({ mustReturn = false }: Statement, rows: readonly object[]): void {
  if (mustReturn && rows.length === 0) throw new DatabaseUnavailable('a row is missing or unexpected', 'row_missing');
}

/** The database cannot be reached, or refuses. Only its `code` is ever logged. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  /** The code of the database or the network. `unknown` if there is none. */
  readonly code: string;
  /** True if the statement may have taken effect. False if it certainly has not. */
  readonly isOutcomeUnknown: boolean;
  /** The parameter of the address that a pooler refuses. */
  readonly parameter: string | undefined;

  constructor(message: string, code: unknown, isOutcomeUnknown = false, parameter?: string) {
    super(message);
    this.code = typeof code === 'string' ? code : 'unknown';
    this.isOutcomeUnknown = isOutcomeUnknown;
    this.parameter = parameter;
  }
}

/** The cause of a code for an operator, a colon, and what to do. */
export const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: start the database, or correct the address',
  ECONNRESET: 'the connection was cut: check whether the server, a proxy or a firewall restarted',
  EHOSTUNREACH: 'no route to this host: check the network or the address',
  ENETUNREACH: 'no route to this network: check the network or the address',
  ENOTFOUND: 'host not found: check DNS or the address (percent-encode / ? # @ and % in a password)',
  EAI_AGAIN: 'DNS does not answer: check the DNS server',
  ETIMEDOUT: 'the host does not answer: check the network, the firewalls and the address',
  ERR_INVALID_URL:
    'invalid address: percent-encode the user and the password, e.g. %2F for /, %23 for #, %40 for @ and %25 for %',
  connection_failed: 'the connection ended without a reason: read the server’s log',
  connect_timeout: 'no connection in time: check the network and the server’s load',
  pool_busy:
    'all connections of this gateway are in use, because statements take too long: look for locks and a slow disk',
  statement_timeout: 'a statement took too long: look for locks, a slow disk and a high load of the server',
  password_missing: 'the server requires a password: add it to the address',
  tls_refused: 'the server has no TLS, but the address requires it: set ssl = on there, or sslmode=disable here',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the server’s certificate is self-signed: name it in sslrootcert of the address',
  SELF_SIGNED_CERT_IN_CHAIN: 'the server’s certificate has an unknown issuer: name the CA in sslrootcert',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the server’s certificate has an unknown issuer: name the CA in sslrootcert',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the server’s certificate has an unknown issuer: name the CA in sslrootcert',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the server’s certificate is for another host: use a name from the certificate',
  CERT_HAS_EXPIRED: 'the server’s certificate has expired: renew it',
  PG_08P01:
    'the pooler refuses a parameter of the address: remove it, or add it to ignore_startup_parameters of PgBouncer',
  PG_28P01: 'the user or the password is wrong: correct it (percent-encode / ? # @ and % in a password)',
  PG_28000:
    'the server refuses this user from this host, or without TLS: check its pg_hba.conf, and sslmode in the address',
  PG_3D000: 'there is no such database: create it, or correct the last part of the address',
  PG_3F000: 'no schema of the search_path exists: create it, or correct options in the address',
  PG_42501: 'the user lacks a permission: GRANT CREATE, USAGE on the schema, and all on the tables puente_*',
  PG_25006: 'the server is read-only, like a standby: use the address of the primary',
  PG_53100: 'the server’s disk is full: free space',
  PG_53200: 'the server is out of memory: free memory there',
  PG_53300:
    'the server has no connection left: raise max_connections there (a gateway takes 10, and 8 for each adapter with a database)',
  PG_55P03: 'another session holds a lock: check pg_locks',
  PG_55000:
    'the database currently accepts no connections, e.g. during a restore: ALTER DATABASE ... ALLOW_CONNECTIONS true',
  PG_57014: 'a statement took too long: look for locks, a slow disk and a high load of the server',
  PG_57P01: 'the server ended the connection: wait, and check whether it restarts',
  PG_57P02: 'the server crashed and restarts: wait, and read its log',
  PG_57P03: 'the server is starting or stopping: wait',
  SQLITE_BUSY: 'another process has locked the file: stop that process',
  SQLITE_READONLY: 'the file cannot be written: correct its owner or its permissions',
  SQLITE_IOERR: 'the disk fails or is unreachable: check the disk',
  SQLITE_CORRUPT: 'the file is damaged: restore it, or start with another file',
  SQLITE_FULL: 'the disk is full: free space',
  SQLITE_CANTOPEN: 'the file cannot be opened: correct the path, its owner or its permissions',
  SQLITE_NOTADB: 'the file is not a database, or is damaged: correct the path, or restore it',
  ENOENT: 'the folder does not exist: create it, or correct the path',
  EACCES: 'permission denied: correct the owner or the permissions of the file and its folder',
  EROFS: 'the file system is read-only: correct the path, or the mount',
  EISDIR: 'this is a folder: name a file in it',
  NOT_REGULAR: 'this is a pipe or a device: name a file',
  ENOSPC: 'the disk is full: free space',
};

/**
 * The cause of a `DatabaseUnavailable` code and what to do, in one sentence without values. Undefined for an unknown
 * code.
 */
export const explainDatabaseCode = (code: string): string | undefined => explanations[code];

/** The code with its cause and what to do. */
export function describeDatabaseCode(code: string): string {
  const explanation = explainDatabaseCode(code);
  return explanation === undefined ? code : `${code}: ${explanation}`;
}

/** Classes of SQLSTATE: connection, resources, operator and system, and a standby that may become the primary. */
const passing =
  /^(ECONN|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|ENOSPC|SQLITE_(BUSY|FULL|IOERR)|PG_(08(?!P01)|25006|40|53|55000|55P03|57|58)|connect|pool_busy|statement_timeout)/;

/**
 * True if the error may disappear without a change of settings, e.g. after a server's start or when a disk has space
 * again.
 */
export const canPass = (code: string): boolean => passing.test(code);

/** Milliseconds since 1970. It never goes back during the process, even if the machine's clock does. */
export const readSteadyClock = (): number => Math.floor(performance.timeOrigin + performance.now());

/**
 * Milliseconds between two portions of long work. Meanwhile other processes can use an SQLite file, and this one serves
 * requests, because SQLite's answers let no other work in between.
 */
export const PAUSE = 10;

/** The settings of a database; `kind` selects it. */
export const databaseSettings = {
  kind: z.enum(['sqlite', 'postgres']).default('sqlite').meta({
    description: '`sqlite`, a file for one gateway, or `postgres`, for any number of gateways.',
  }),
  file: z.string().min(1).optional().meta({
    file: true,
    description:
      'The SQLite file, created if missing. It must be on a local disk, in a folder that the process can write to.',
  }),
  url: secretReference.optional().meta({
    address: true,
    description: 'Reference to the PostgreSQL address with its password: `env:NAME` or `file:/path`.',
  }),
  encryptionKey: secretReference.optional().meta({
    description:
      'Reference to the key that encrypts the data: `env:NAME` or `file:/path`, 32 bytes in base64 or hexadecimal (`openssl rand -base64 32`).',
  }),
};

/** After validation, the settings that its kind requires are present. */
export interface DatabaseSettings<Kind = 'sqlite' | 'postgres'> {
  readonly kind: Kind;
  readonly file?: string | undefined;
  readonly url?: string | undefined;
  readonly encryptionKey?: string | readonly string[] | undefined;
  /** Milliseconds for a statement of PostgreSQL. Default: two seconds, because requests wait for it. */
  readonly statementTimeout?: number | undefined;
}

const required: Readonly<Record<string, readonly Exclude<keyof DatabaseSettings, 'kind'>[]>> = {
  sqlite: ['file', 'encryptionKey'],
  postgres: ['url', 'encryptionKey'],
};

/** Reports missing settings that this kind of database requires. */
export function requireDatabaseSettings(given: DatabaseSettings<string>, context: z.core.$RefinementCtx): void {
  for (const key of required[given.kind] ?? []) {
    if (given[key] !== undefined) continue;
    context.addIssue({ code: 'custom', path: [key], message: `is required for ${given.kind}: add it` });
  }
}
