import { Failure, type Impairment, type Readiness, type Report } from '../../src/ports/index.ts';
import { Cached } from '../../src/toolkit/cached.ts';
import { getCauseCode } from '../../src/toolkit/http-client/failures.ts';
import { describeLoginFailure, LoginFailure } from '../../src/toolkit/http-client/login-failure.ts';
import type { Credentials } from '../../src/toolkit/http-client/oauth.ts';
import type { FhirContext } from './context.ts';
import { type Crowding, findCrowding } from './examination/catalogue-size.ts';
import type { FaultSignal } from './rest/fault-signal.ts';
import type { Caller } from './rest/transport.ts';

const toUnreachable = (why: string): Impairment => ({
  code: 'backend_unreachable',
  detail: `the capabilities of the FHIR server could not be read (${why}), which is tried again every 15 seconds; check that the server runs, baseUrl and auth`,
  cause: why,
});

const toRefused = (why: string): Impairment => ({
  code: 'backend_auth',
  detail: `the FHIR server refuses the credentials of the gateway (${why}); check auth, and what the server grants them`,
  cause: why,
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

/** Milliseconds for which the sizes of the catalogue are remembered, and that counting them may take. */
const SIZES_TTL_MS = 300_000;
const SIZES_TIMEOUT_MS = 10_000;

const catalogueStale: Impairment = {
  code: 'catalogue_stale',
  detail:
    'services, schedules, practitioners, places, carriers, plans or ticket types cannot be read from the FHIR server, and old ones are shown, for staleSeconds at most; check that the server runs',
};

/** Whether the FHIR server answers, speaks R4 and executes transactions as a whole. */
export function createReadiness(
  { transactions, catalogue, settings }: Pick<FhirContext, 'transactions' | 'catalogue' | 'settings'>,
  faults: FaultSignal,
  credentials: Credentials,
  examine: NonNullable<Readiness['examine']>,
): Readiness {
  const measure = async (call: Caller) => findCrowding(await catalogue.measure(call), settings.limits).map(toCrowded);
  const sizes = new Cached(measure, { ttlMs: () => SIZES_TTL_MS, timeoutMs: SIZES_TIMEOUT_MS });
  // Whether the last report was good. A fault of what is impaired already, or is being asked, changes no report.
  let isWell = false;
  return {
    examine,

    onSurprise(listener) {
      faults.listen(() => {
        if (!isWell) return;
        transactions.distrust();
        listener();
      });
    },

    async report(signal, { readsOnly = false } = {}) {
      const { impairments, ...found } = await look(signal, readsOnly);
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

  async function look(signal: AbortSignal, readsOnly: boolean): Promise<Report> {
    isWell = false;
    try {
      const call = { signal, requestId: 'readiness' };
      const { kind, impairment } = await (readsOnly ? transactions.identify(call) : transactions.look(call));
      const crowded = await sizes.get(call);
      isWell = impairment === undefined;
      return { backend: kind, impairments: [...(impairment ? [impairment] : []), ...crowded] };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error instanceof LoginFailure) return { impairments: [] };
      const why = getCauseCode(error) ?? error.kind;
      return {
        impairments: [
          error.code === 'backend_auth' || error.code === 'forbidden' ? toRefused(why) : toUnreachable(why),
        ],
      };
    }
  }
}
