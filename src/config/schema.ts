import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import { groupA, groupB, isWrite } from '../api/index.ts';
import { findRouteProblems } from '../api/routes.ts';
import { didYouMean } from '../toolkit/did-you-mean.ts';
import { commandLine } from '../toolkit/package.ts';
import { type AdapterOptions, defaultAdapter, furtherAdapters, portOwners } from './adapters.ts';
import { audit } from './audit.ts';
import { guard } from './guard.ts';
import { jwt } from './jwt.ts';
import { limits } from './limits.ts';
import { milliseconds, wholeNumber } from './numbers.ts';
import { state } from './state.ts';
import { tokenEntry } from './token-entry.ts';

/** What the schema depends on besides the file. */
interface SchemaOptions extends AdapterOptions {
  readonly production: boolean;
}

/** Checks a rule about several keys even when one of them is invalid, so that all problems are shown at once. */
const always = { when: () => true };

export const defaultTimeZone = 'America/Argentina/Buenos_Aires';

export const timeZone = z.string().superRefine((name, context) => {
  if (isTimeZone(name)) return;
  const hint = didYouMean(name, [defaultTimeZone, ...Intl.supportedValuesOf('timeZone')]);
  context.addIssue({ code: 'custom', message: `must be an IANA time zone${hint || `, e.g. ${defaultTimeZone}`}` });
});

/** Temporal, which computes with the zone, does not know each abbreviation that Intl takes, e.g. `ART`. */
function isTimeZone(name: string): boolean {
  try {
    return /^[A-Z]/i.test(name) && Boolean(Temporal.Now.zonedDateTimeISO(name));
  } catch {
    return false;
  }
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
    requestTimeout: milliseconds().default(15_000),
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
  .refine(({ headersTimeout, requestTimeout }) => !(headersTimeout > requestTimeout), {
    path: ['headersTimeout'],
    error: 'must not be longer than http.requestTimeout, which includes it',
    ...always,
  })
  .prefault({});

const ops = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1'),
    port: wholeNumber(0, 65_535).optional(),
    // What the address of a socket has room for.
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

const auth = ({ production }: SchemaOptions) =>
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
        'none gives everybody who reaches the port access to all patients; set auth.allowAnonymousGroupA to true as well',
      ...always,
    })
    .refine(
      ({ tokens, jwt, issuers }) => !production || jwt !== undefined || issuers?.length > 0 || tokens?.length > 0,
      {
        path: ['tokens'],
        error: `production needs a token (${commandLine} token create) or auth.jwt`,
        ...always,
      },
    )
    .refine(({ tokens }) => new Set(tokens.map(({ sha256 }) => sha256)).size === tokens.length, {
      path: ['tokens'],
      error: 'must not hold the same sha256 twice: a token belongs to one client',
    })
    .refine(
      ({ jwt, issuers }) => {
        const names = [...(jwt ? [jwt] : []), ...issuers].map(({ issuer }) => issuer);
        return new Set(names).size === names.length;
      },
      { path: ['issuers'], error: 'must not name the same issuer twice; auth.jwt counts too' },
    )
    .refine(
      ({ jwt, issuers }) =>
        [...(jwt ? [jwt] : []), ...issuers].filter(({ introspection }) => (introspection?.tokens ?? 'jwt') !== 'jwt')
          .length <= 1,
      {
        path: ['issuers'],
        error: 'must leave opaque tokens to one issuer: set introspection.tokens of the others to jwt',
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
          const message = `no operation that writes has this name${didYouMean(name, writeNames)}`;
          context.addIssue({ code: 'custom', message });
        }),
      )
      .default([]),
    retention: wholeNumber(60_000, 30 * 86_400_000).default(86_400_000),
  })
  .prefault({});

const everywhere = ['0.0.0.0', '::'];

/** Whether the second of two listeners would find the port taken. */
const takesPort = (one: z.output<typeof http>, other: z.output<typeof ops>): boolean =>
  other?.port !== 0 &&
  one?.port === other?.port &&
  (one?.host === other?.host || everywhere.includes(one?.host) || everywhere.includes(other?.host));

/** The whole configuration. `config/default.yaml` says what each key means. */
export const configSchema = (options: SchemaOptions) =>
  z
    .strictObject({
      institution,
      http,
      ops,
      tracing,
      shutdown,
      auth: auth(options),
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
      error: 'needs a state that outlives the process: set state.kind to sqlite or postgres',
      ...always,
    })
    .refine(({ http, ops }) => ops?.port === undefined || !takesPort(http, ops), {
      path: ['ops', 'port'],
      error: 'must not be http.port, where the callers are; e.g. 8081',
      ...always,
    });

export type Config = z.output<ReturnType<typeof configSchema>>;
