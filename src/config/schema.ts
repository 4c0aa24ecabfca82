import { stringify } from 'yaml';
import { z } from 'zod';
import { allScopes, groupA, groupB, isWrite } from '../api/index.ts';
import { findRouteProblems } from '../api/operation.ts';
import { databaseSettings, requireDatabaseSettings } from '../database/database.ts';
import { commandLine } from '../toolkit/package.ts';
import { didYouMean } from '../toolkit/problems.ts';
import { auth, baseUrl, secretReference, tls } from '../toolkit/secret.ts';
import { defaultTimeZone, timeZone } from '../toolkit/time-zone.ts';
import { type AdapterOptions, defaultAdapter, furtherAdapters, portOwners } from './adapters.ts';
import { jwt } from './jwt.ts';
import { always, milliseconds, wholeNumber } from './keys.ts';

interface SchemaOptions extends AdapterOptions {
  readonly production: boolean;
}

function isLocale(name: string): boolean {
  try {
    return Intl.Collator.supportedLocalesOf(name).length === 1;
  } catch {
    return false;
  }
}

const institution = z
  .strictObject({
    name: z.string().trim().min(1).max(100).optional(),
    id: z
      .string()
      .regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,199}$/u, 'must be letters, digits, dots, dashes or underscores')
      .optional(),
    timeZone: timeZone.default(defaultTimeZone),
    locale: z.string().refine(isLocale, 'must be a language of BCP 47, e.g. es-AR').default('es-AR'),
    bookingHorizonDays: wholeNumber(1, 730).default(60),
  })
  .prefault({});

const http = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1'),
    port: wholeNumber(0, 65_535).default(8080),
    basePath: z
      .string()
      .regex(/^(\/[A-Za-z0-9._~-]+)*$/, 'must be empty, or a path such as /api without a slash at its end')
      .default(''),
    middleware: z.string().min(1).meta({ file: true }).optional(),
    docs: z.enum(['on', 'off']).default('on'),
    headersTimeout: milliseconds().default(10_000),
    keepAliveTimeout: milliseconds().default(65_000),
    maxHeaderSize: wholeNumber(1_024, 1_048_576).default(16_384),
    maxConnections: wholeNumber(1, 1_000_000).default(1_000),
    maxConnectionsPerAddress: wholeNumber(1, 1_000_000).default(500),
    trustedProxies: z
      .array(
        z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'must be an IP address, or a subnet such as 10.0.0.0/8'),
      )
      .default([]),
    sendTimeout: milliseconds().default(30_000),
    maxBodyBytes: wholeNumber(1_048_576, 1_073_741_824).default(33_554_432),
    packedBodies: z.array(z.string().min(1)).default([]),
    readDeadline: milliseconds().default(8_000),
    writeDeadline: milliseconds().default(12_000),
  })
  .prefault({});

const ops = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1'),
    port: wholeNumber(0, 65_535).optional(),
    // The length limit of a socket's address.
    socket: z.string().min(1).max(100).meta({ file: true }).optional(),
    metrics: z.boolean().default(true),
  })
  .prefault({});

const tracing = z
  .strictObject({
    url: z
      .url({
        protocol: /^https?$/,
        error: 'must be an http or https URL, e.g. http://127.0.0.1:4318/v1/traces',
        abort: true,
      })
      .refine((text) => new URL(text).username === '', 'must have no password: OTEL_EXPORTER_OTLP_HEADERS has headers')
      .meta({ address: true })
      .optional(),
    sampleRatio: z.number().min(0).max(1).default(1),
  })
  .prefault({});

const shutdown = z
  .strictObject({
    drainDelay: milliseconds(0).default(0),
    drainTimeout: milliseconds(0).default(20_000),
    idleTimeout: milliseconds(0).default(2_000),
  })
  .prefault({});

const authSection = ({ production }: SchemaOptions) =>
  z
    .strictObject({
      groupA: z.enum(['bearer', 'none']).default('bearer'),
      allowAnonymousGroupA: z.boolean().default(false),
      openOps: z.boolean().default(false),
      tokens: z.array(tokenEntry).default([]),
      jwt: jwt.optional(),
      issuers: z.array(jwt).default([]),
      maxTokenLength: wholeNumber(256, 1_048_576).default(16_384),
    })
    .refine(({ groupA, allowAnonymousGroupA }) => groupA !== 'none' || allowAnonymousGroupA === true, {
      path: ['groupA'],
      error:
        'none exposes every patient to anyone who can reach the port: to allow that, set auth.allowAnonymousGroupA to true',
      ...always,
    })
    .refine(
      ({ tokens, jwt, issuers }) => !production || jwt !== undefined || issuers?.length > 0 || tokens?.length > 0,
      {
        path: ['tokens'],
        error: `is missing in production: add a token (${commandLine} token create) or auth.jwt`,
        ...always,
      },
    )
    .refine(({ tokens }) => new Set(tokens.map(({ sha256 }) => sha256)).size === tokens.length, {
      path: ['tokens'],
      error: 'has the same sha256 twice: remove one, because a token belongs to one client',
    })
    .refine(
      ({ jwt, issuers }) => {
        const names = [...(jwt ? [jwt] : []), ...issuers].map(({ issuer }) => issuer);
        return new Set(names).size === names.length;
      },
      { path: ['issuers'], error: 'names an issuer twice (auth.jwt counts too): remove one' },
    )
    .refine(
      ({ jwt, issuers }) =>
        [...(jwt ? [jwt] : []), ...issuers].filter(({ introspection }) => (introspection?.tokens ?? 'jwt') !== 'jwt')
          .length <= 1,
      {
        path: ['issuers'],
        error: 'several issuers accept opaque tokens: set introspection.tokens to jwt for all but one',
      },
    )
    .prefault({});

const paths = z.record(z.string(), z.string()).superRefine((given, context) => {
  for (const { operation, problem } of findRouteProblems(groupA, groupB, given)) {
    const hint = groupB.some(({ name }) => name === operation)
      ? ''
      : didYouMean(
          operation,
          groupB.map(({ name }) => name),
        );
    context.addIssue({ code: 'custom', path: [operation], message: `${problem}${hint}` });
  }
});

const writeNames = [...groupA, ...groupB].filter(isWrite).map(({ name }) => name);

const idempotency = z
  .strictObject({
    required: z
      .array(
        z.string().superRefine((name, context) => {
          if (writeNames.includes(name)) return;
          const message = `is not a write operation${didYouMean(name, writeNames) || ': remove it'}`;
          context.addIssue({ code: 'custom', message });
        }),
      )
      .default([]),
    retention: wholeNumber(60_000, 30 * 86_400_000).default(86_400_000),
  })
  .prefault({});

const everywhere = ['0.0.0.0', '::'];

/** True if the second of two listeners would find the port in use. */
const takesPort = (one: z.output<typeof http>, other: z.output<typeof ops>): boolean =>
  other?.port !== 0 &&
  one?.port === other?.port &&
  (one?.host === other?.host || everywhere.includes(one?.host) || everywhere.includes(other?.host));

/** The whole configuration. `config/default.yaml` explains each key. */
export const configSchema = (options: SchemaOptions) =>
  z
    .strictObject({
      institution,
      http,
      ops,
      tracing,
      shutdown,
      auth: authSection(options),
      adapter: defaultAdapter(options),
      adapters: furtherAdapters(options),
      ports: portOwners(options),
      api: z.strictObject({ paths: paths.default({}) }).prefault({}),
      guard,
      limits,
      idempotency,
      state,
      audit,
      compat: z
        .strictObject({
          unknownFields: z.enum(['reject', 'ignore']).default('reject'),
          strictStatusCodes: z.boolean().default(false),
        })
        .prefault({}),
      log: z
        .strictObject({
          level: z.enum(['error', 'warn', 'info', 'debug']).default('info'),
          format: z.enum(['auto', 'json', 'pretty']).default('auto'),
        })
        .prefault({}),
    })
    .refine(({ audit, state }) => audit?.enabled !== true || state?.kind !== 'memory', {
      path: ['audit', 'enabled'],
      error: 'needs a persistent state: set state.kind to sqlite or postgres',
      ...always,
    })
    .refine(({ http, ops }) => ops?.port === undefined || !takesPort(http, ops), {
      path: ['ops', 'port'],
      error: 'is also http.port: choose another port, e.g. 8081',
      ...always,
    });

export type Config = z.output<ReturnType<typeof configSchema>>;

const server = z
  .string()
  .regex(/^[^\s:/]+(:\d{1,5})?$/, 'must be a host, with a port unless it is 6514, e.g. audit.example.org:6514');

/** The trail of callers, actions and patients. It is stored in the database of the state. */
const audit = z
  .strictObject({
    enabled: z.boolean().optional(),
    chain: z
      .string()
      .regex(/^[\w.:-]{1,100}$/, 'must have 1 to 100 letters, digits, dots, colons or dashes')
      .optional(),
    whenUnavailable: z.enum(['refuseWrites', 'refuseAll', 'proceed']).default('refuseWrites'),
    retentionDays: wholeNumber(1, 36_525).default(3_653),
    forward: z
      .strictObject({ fhir: baseUrl.optional(), auth, syslog: server.optional(), ...tls.unwrap().shape })
      .prefault({}),
  })
  .prefault({});

const bulkhead = (running: number, queued: number) =>
  z
    .strictObject({
      running: wholeNumber(1, 10_000).default(running),
      queued: wholeNumber(0, 100_000).default(queued),
    })
    .prefault({});

const names = [...groupA, ...groupB].map(({ name }) => name);

const operations = z
  .record(
    z.string(),
    z.strictObject({
      deadline: milliseconds().optional(),
      running: wholeNumber(1, 10_000).optional(),
      queued: wholeNumber(0, 100_000).optional(),
    }),
  )
  .superRefine((given, context) => {
    for (const name of Object.keys(given)) {
      if (names.includes(name)) continue;
      const message = `is not an operation${didYouMean(name, names) || ': remove it'}`;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .default({});

const rateError = 'must be a number above 0 and at most 1';

/** The limits of parallel calls of the adapter, and of its circuit breaker. */
const guard = z
  .strictObject({
    bulkheads: z
      .strictObject({
        read: bulkhead(32, 64),
        write: bulkhead(32, 64),
        slotSearch: bulkhead(8, 16),
        patientSearch: bulkhead(8, 16),
      })
      .prefault({}),
    operations,
    circuit: z
      .strictObject({
        window: milliseconds(100).default(10_000),
        minimum: wholeNumber(1, 100_000).default(20),
        faultRate: z.number({ error: rateError }).gt(0, rateError).max(1, rateError).default(0.5),
        openFor: milliseconds().default(5_000),
        longestOpen: milliseconds().default(60_000),
      })
      .refine(({ openFor, longestOpen }) => !(openFor > longestOpen), {
        path: ['openFor'],
        error: 'must not be longer than guard.circuit.longestOpen',
        ...always,
      })
      .prefault({}),
  })
  .prefault({});

const quota = (requests: number, seconds: number, concurrent: number) =>
  z
    .strictObject({
      requests: wholeNumber(1, 10_000_000).default(requests),
      seconds: wholeNumber(1, 3_600).default(seconds),
      concurrent: wholeNumber(1, 100_000).default(concurrent),
    })
    .prefault({});

/** The limits of one client, and of requests without a valid token from one address. */
const limits = z
  .strictObject({
    clients: z
      .strictObject({
        read: quota(5_000, 10, 64),
        write: quota(1_000, 10, 64),
        slotSearch: quota(1_000, 10, 16),
        patientSearch: quota(300, 60, 16),
      })
      .prefault({}),
    failedTokens: z
      .strictObject({
        requests: wholeNumber(1, 10_000_000).default(10),
        seconds: wholeNumber(1, 3_600).default(60),
      })
      .prefault({}),
  })
  .prefault({});

/** The storage of the gateway's own data. */
const state = z
  .strictObject({
    ...databaseSettings,
    kind: z.enum(['memory', 'sqlite', 'postgres']).default('memory'),
    /** The first of several keys encrypts, and all decrypt. */
    encryptionKey: z
      .union([secretReference, z.array(secretReference).min(1)], {
        error: 'must be env:NAME or file:/path, or a list of them, never the secret itself',
      })
      .optional(),
  })
  .superRefine(requireDatabaseSettings)
  .prefault({});

/** An entry of `auth.tokens`: a client, its scopes, and the hash of its token. */
export const tokenEntry = z.strictObject({
  client: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, `must be 64 hexadecimal digits: run ${commandLine} token create`)
    .toLowerCase(),
  scopes: z.preprocess((value) => (value === 'all' ? allScopes : value), z.array(z.enum(allScopes)).min(1)),
  expires: z
    .union([z.iso.date(), z.iso.datetime()], {
      error: 'must be a day such as 2027-01-31, or a moment such as 2027-01-31T12:00:00Z',
    })
    .optional(),
});

/** The entry in the form of a configuration file. */
export const tokenEntryYaml = (entry: z.input<typeof tokenEntry>): string => stringify({ auth: { tokens: [entry] } });
