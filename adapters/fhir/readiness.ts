import { getCauseCode } from '../../src/http-client/failures.ts';
import { describeLoginFailure, LoginFailure } from '../../src/http-client/login-failure.ts';
import type { Credentials } from '../../src/http-client/oauth.ts';
import { Failure, type Impairment, type Readiness, type Report } from '../../src/ports/index.ts';
import { Cached } from '../../src/toolkit/cached.ts';
import { findSaid } from '../../src/toolkit/failures.ts';
import { CATALOGUE_PAGE, type PartSize } from './catalogue.ts';
import type { FhirContext } from './context.ts';
import type { FaultSignal, ServerCall } from './rest/transport.ts';
import type { Settings } from './settings.ts';

const toUnreachable = (why: string, cause: string): Impairment => ({
  code: 'backend_unreachable',
  detail: `the capabilities of the FHIR server could not be read (${why}); the gateway retries every 15 seconds: check the server, baseUrl and auth`,
  cause,
});

const toRefused = (why: string, cause: string): Impairment => ({
  code: 'backend_auth',
  detail: `the FHIR server rejects the credentials of the gateway (${why}): check auth and their rights on the server`,
  cause,
});

const toLoginFailed = (failure: LoginFailure): Impairment => ({
  code: failure.reason,
  detail: describeLoginFailure(failure),
  cause: failure.answer,
  host: failure.host,
});

const toCrowded = ({ isOver, detail, fix }: Crowding): Impairment => ({
  code: isOver ? 'catalogue_too_large' : 'catalogue_nearly_too_large',
  detail: `${detail}; ${fix}`,
});

/** Milliseconds for which the sizes of the catalog are cached, and for which counting may last. */
const SIZES_TTL_MS = 300_000;
const SIZES_TIMEOUT_MS = 10_000;

const catalogueStale: Impairment = {
  code: 'catalogue_stale',
  detail:
    'services, schedules, practitioners, places, carriers, plans or ticket types cannot be read from the FHIR server, and stale ones are used for at most staleSeconds: check the server',
};

/** Reports whether the FHIR server answers, supports R4 and executes transactions atomically. */
export function createReadiness(
  context: Pick<FhirContext, 'client' | 'transactions' | 'catalogue' | 'settings'>,
  faults: FaultSignal,
  credentials: Credentials,
  examine: NonNullable<Readiness['examine']>,
): Readiness {
  const { transactions, catalogue, settings } = context;
  const measure = async (call: ServerCall) =>
    findCrowding(await catalogue.measure(call), settings.limits).map(toCrowded);
  const sizes = new Cached(measure, { ttlMs: () => SIZES_TTL_MS, timeoutMs: SIZES_TIMEOUT_MS });
  // True if the last report had no impairment. During an impairment or a check, another fault does not change the
  // report.
  let isWell = false;
  return {
    examine,

    onSurprise(listener) {
      faults.listen(() => {
        if (!isWell) return;
        transactions.allowRetest();
        listener();
      });
    },

    async report(signal, { readsOnly = false } = {}) {
      isWell = false;
      const {
        impairments,
        isWell: isWellNow,
        ...found
      } = await look(context, (call) => sizes.get(call), signal, readsOnly);
      isWell = isWellNow;
      const { failure } = credentials;
      return {
        ...found,
        impairments: [
          ...(failure ? [toLoginFailed(failure)] : []),
          ...impairments,
          ...(catalogue.isStale ? [catalogueStale] : []),
        ],
      };
    },
  };
}

/** Determines the kind of the server and its impairments. */
async function look(
  { client, transactions }: Pick<FhirContext, 'client' | 'transactions'>,
  getCrowded: (call: ServerCall) => Promise<readonly Impairment[]>,
  signal: AbortSignal,
  readsOnly: boolean,
): Promise<Report & { readonly isWell: boolean }> {
  try {
    const call = { signal, requestId: 'readiness' };
    const { kind, impairment } = await (readsOnly
      ? transactions.readStatement(call)
      : transactions.refreshFindings(call));
    const crowded = await getCrowded(call);
    await client.prepare(call);
    const impairments = [...(impairment ? [impairment] : []), ...crowded];
    return { backend: kind, impairments, isWell: impairment === undefined };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error instanceof LoginFailure) return { impairments: [], isWell: false };
    const cause = getCauseCode(error) ?? error.kind;
    const why = [cause, error.at, findSaid(error.cause)].filter(Boolean).join(', ');
    return {
      impairments: [
        error.code === 'backend_auth' || error.code === 'forbidden' ? toRefused(why, cause) : toUnreachable(why, cause),
      ],
      isWell: false,
    };
  }
}

/** The share of a limit that leads to a warning. */
const NEAR = 0.8;

/** Parts of the catalog that exceed the limits of a search, or soon may. */
export interface Crowding {
  readonly isOver: boolean;
  readonly detail: string;
  /** Names the settings to raise. */
  readonly fix: string;
}

/** The parts that exceed the limits of a search, and then those close to them. */
export function findCrowding(sizes: readonly PartSize[], { entries, pages }: Settings['limits']): Crowding[] {
  const bounds = [
    ['limits.entries', entries],
    ['limits.pages', pages * CATALOGUE_PAGE],
  ] as const;
  const limit = Math.min(...bounds.map(([, bound]) => bound));
  const describe = (isOver: boolean, least: number, most: number): Crowding[] => {
    const found = sizes.filter(({ size }) => size > least && size <= most);
    if (found.length === 0) return [];
    const largest = Math.max(...found.map(({ size }) => size));
    const names = bounds.filter(([, bound]) => largest > (isOver ? bound : bound * NEAR)).map(([name]) => name);
    const parts = found.map(({ type, size }) => `${size} ${type} resources`).join(', ');
    return [
      {
        isOver,
        detail: `the FHIR server has ${parts}, but a search reads ${limit}${isOver ? ', so lists and free times that need all of them fail' : ' at most'}`,
        fix: `raise ${names.join(' and ')}${isOver ? '' : ' before the limit is reached'}`,
      },
    ];
  };
  return [...describe(true, limit, Number.POSITIVE_INFINITY), ...describe(false, limit * NEAR, limit)];
}
