import { join } from 'node:path';
import { z } from 'zod';
import { loaders } from '../../../adapters/loaders.ts';
import { operations } from '../../api/index.ts';
import type { Environment } from '../../config/keys.ts';
import { type LoadedConfig, loadConfig } from '../../config/read.ts';
import {
  type Case,
  createHttpSubject,
  createPortsSubject,
  type Fixtures,
  type Line,
  openLine,
  type PartialFixtures,
  type Route,
  type Subject,
  sandbox,
} from '../../contract/index.ts';
import { getText } from '../../contract/recorder.ts';
import { sendRequest } from '../../contract/subject.ts';
import type { Capability } from '../../ports/index.ts';
import { type Composition, compose } from '../../runtime/container.ts';
import { commandLine, packageRoot } from '../../toolkit/package.ts';
import { defaultTimeZone } from '../../toolkit/time-zone.ts';
import type { FixtureMap } from './map.ts';
import type { CurlTarget } from './mask.ts';
import { CannotRun, type CommandContext, findConfigOf } from './options.ts';

/** Selects the institution of a command. */
export interface InstitutionOptions {
  readonly config?: string;
  readonly adapter?: string;
  readonly url?: string;
  /** The address of the system behind the server of `url`. */
  readonly through?: string;
  /** The port of the proxy through which that server reaches the system. */
  readonly throughPort?: number;
}

/** @throws CannotRun or ConfigProblems if the institution cannot be reached, or its adapters cannot be composed. */
export async function findTarget(
  { config, adapter, url, through, throughPort = 0 }: InstitutionOptions,
  { environment }: CommandContext,
): Promise<Target> {
  if (url !== undefined) {
    const line = through === undefined ? undefined : await openLine(through, { port: throughPort }).catch(refuseLine);
    return openHttpTarget(url, environment.PUENTE_CONTRACT_TOKEN || undefined, line);
  }
  return openProcessTarget(adapter === undefined ? config : findConfigOf(adapter), environment);
}

const refuseLine = (error: NodeJS.ErrnoException): never => {
  throw new CannotRun(`the line to the system of --through cannot be opened (${error.code})`);
};

/**
 * The target's offer and fixtures, from the map if there is one.
 * @throws CannotRun if neither defines the offer.
 */
export function describeTarget(
  target: Pick<Target, 'name' | 'supports' | 'institution' | 'builtIn'>,
  map: FixtureMap | undefined,
  file: string | undefined,
) {
  const supports = map?.offers ? new Set(map.offers) : target.supports;
  if (!supports) {
    const where = map ? `${file} must list under offers` : 'a map must list';
    throw new CannotRun(
      `${target.name} has no /capabilities, so ${where} the offered operations: run ${commandLine} contract init`,
    );
  }
  const fixtures = map ? toFixtures(map, target) : (target.builtIn ?? toFixtures({}, target));
  const none = target.builtIn ? 'built in' : `none: ${commandLine} contract init writes a map`;
  return { supports, fixtures, source: file ?? none };
}

/** The fixtures of a map, completed from the institution's configuration. */
export function toFixtures(
  { offers: _, timeZone, locale, unknown, ...rest }: FixtureMap,
  { institution }: Pick<Target, 'institution'>,
): PartialFixtures {
  return {
    ...institution,
    ...rest,
    timeZone: timeZone ?? institution.timeZone ?? defaultTimeZone,
    locale: locale ?? institution.locale ?? 'es-AR',
    unknown: unknown ?? 'puente-contract-unknown',
  };
}

const capabilitiesBody = z.object({
  operations: z.array(z.object({ operation: z.string(), route: z.string(), offered: z.boolean() })),
});

/**
 * A server with the API at that URL.
 * @param line the proxy before the system behind it.
 * @throws CannotRun if it cannot be reached, or rejects the token.
 */
async function openHttpTarget(url: string, token: string | undefined, line?: Line): Promise<Target> {
  const baseUrl = checkUrl(url);
  // A header value has visible ASCII only.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw new CannotRun('PUENTE_CONTRACT_TOKEN holds no token');
  const { supports, routes } = await describe(baseUrl, token);
  return {
    name: baseUrl,
    how: 'over HTTP',
    supports,
    institution: {},
    builtIn: undefined,
    forgets: false,
    curl: { baseUrl, routes },
    start: async (_case, fixtures, offered) =>
      createHttpSubject({
        baseUrl,
        token,
        supports: [...offered],
        fixtures,
        fail: line?.fail,
        ...(routes && { routes }),
      }),
    close: async () => line?.close(),
  };
}

function checkUrl(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol))
    throw new CannotRun('--url must be an http or https URL');
  if (parsed.username || parsed.password) throw new CannotRun('--url must contain no user and password: use a token');
  if (parsed.search || parsed.hash) throw new CannotRun('--url must be a base URL, without ? and #');
  return parsed.href.replace(/\/+$/, '');
}

/** The content of a gateway's `/capabilities`. Empty for another server. */
async function describe(baseUrl: string, token: string | undefined) {
  const options = { baseUrl, token, timeout: 30_000 };
  const { status, body } = await sendRequest(options, { route: 'GET /capabilities' }).catch((error: unknown) => {
    const { name, cause } = error as Error;
    throw new CannotRun(`${new URL(baseUrl).origin} cannot be reached (${getText(cause, 'code') || name})`);
  });
  if (status === 401) {
    throw new CannotRun(
      `${baseUrl} refuses the token (401): ${token === undefined ? 'set PUENTE_CONTRACT_TOKEN' : 'check it'}`,
    );
  }
  if (status === 403) throw new CannotRun('/capabilities answers 403: grant the token the scope ops:read');
  // A gateway that starts or is overloaded, or its proxy.
  if ([429, 502, 503, 504].includes(status))
    throw new CannotRun(`${baseUrl}/capabilities answers ${status}: run this command again when the gateway is ready`);
  const { data } = capabilitiesBody.safeParse(status === 200 ? body : undefined);
  if (!data) return { supports: undefined, routes: undefined };
  const known = operations.map((operation) => ({
    operation,
    said: data.operations.find(({ operation: name }) => name === operation.name),
  }));
  return {
    supports: new Set(known.flatMap(({ operation, said }) => (said?.offered ? operation.uses : []))),
    routes: new Map(
      known.flatMap(({ operation, said }) =>
        said && said.route !== operation.route ? [[operation.route, said.route as Route]] : [],
      ),
    ),
  };
}

/**
 * The adapters of the configuration, called without HTTP.
 * @throws ConfigProblems if the configuration is invalid.
 */
async function openProcessTarget(file: string | undefined, environment: Environment): Promise<Target> {
  const loaded = await loadConfig({ file, environment, adapters: loaders });
  const composition = await compose(loaded);
  const { timeZone, locale, bookingHorizonDays } = loaded.config.institution;
  const institution = { timeZone, locale, bookingHorizonDays };
  const names = composition.adapters.map(({ name }) => name);
  const { name, module } = loaded.config.adapter;
  const forgets = name === 'memory' && module === undefined && names.length === 1;
  return {
    name: loaded.file,
    how: `in process (${names.join(', ')})`,
    supports: composition.supports,
    institution,
    builtIn: forgets && isBundledWorld(loaded) ? { ...sandbox, ...institution } : undefined,
    forgets,
    curl: {},
    // Cases that only read share one hospital. A case that writes gets its own, if the hospital ends with the case.
    start: async ({ level }, fixtures) =>
      createSubject(forgets && level !== 'safe' ? await compose(loaded) : composition, fixtures),
    close: () => composition.close(),
  };
}

const isBundledWorld = ({ config }: LoadedConfig): boolean => {
  const { world } = config.adapter.settings as { readonly world?: string };
  return world === undefined || world === join(packageRoot, 'config/sandbox-hospital.json');
};

const createSubject = ({ ports, supports, retryableWrites }: Composition, fixtures: PartialFixtures): Subject =>
  createPortsSubject({ ports, supports: [...supports], retryableWrites: [...retryableWrites], fixtures });

/** An institution for the contract, without fixtures. */
export interface Target {
  /** The name for the operator, e.g. a URL or a configuration file. */
  readonly name: string;
  /** The kind of access, e.g. `over HTTP`. */
  readonly how: string;
  /** Undefined if the target does not report its offer. */
  readonly supports: ReadonlySet<Capability> | undefined;
  /** Values that the fixtures may omit. */
  readonly institution: Partial<Pick<Fixtures, 'timeZone' | 'locale' | 'bookingHorizonDays'>>;
  /** The fixtures of an institution in this package. */
  readonly builtIn: Fixtures | undefined;
  /** True if every case has its own institution, which ends with the case. */
  readonly forgets: boolean;
  readonly curl: CurlTarget;
  /** Creates the subject of that case, for an institution with this offer. */
  start(testCase: Pick<Case, 'level'>, fixtures: PartialFixtures, supports: ReadonlySet<Capability>): Promise<Subject>;
  close(): Promise<void>;
}
