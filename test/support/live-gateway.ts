import { seed } from '../../adapters/fhir/commands.ts';
import { fhir } from '../../adapters/fhir/index.ts';
import { createHttpSubject, type Fixtures, type Subject, sandbox } from '../../src/contract/index.ts';
import { startGateway } from './gateway.ts';
import { makeLiveHospital } from './live-hospital.ts';
import { offeredMethods } from './offered-methods.ts';

/** How to reach a FHIR server that somebody else runs, and that may hold anything already. */
export interface LiveServer {
  readonly baseUrl: string;
  readonly auth?: object;
  /** Origins of the storage to which the server signs its links. */
  readonly fileOrigins?: readonly string[];
}

export interface LiveGateway {
  readonly subject: Subject;
  stop(): Promise<void>;
}

/** Slots are published for so many days: the contract looks five weeks ahead. */
const DAYS = 37;
/** Milliseconds for one request to the server, which may be slow and is to be right. */
const TIMEOUT = 60_000;

/** A hospital that nobody used before, in the server, and what a gateway has to know to serve it. */
export interface SeededHospital {
  /** Of an adapter. */
  readonly settings: object;
  /** `PUENTE_*` variables, beside `config/fhir.yaml`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly fixtures: Fixtures;
}

/** Puts a hospital into the server. */
export async function seedLiveHospital({ baseUrl, auth, fileOrigins = [] }: LiveServer): Promise<SeededHospital> {
  const fresh = makeLiveHospital();
  const { namespace, hospital, changeReasons } = fresh;
  // Others may have left any number of practitioners and carriers there.
  const limits = { entries: 20_000, pages: 200 };
  const access = { baseUrl, namespace, limits, timeout: TIMEOUT, ...(auth && { auth }) };
  const settings = fhir.settings.parse(access);
  const seeded = await seed(settings, {
    bundle: hospital,
    timeZone: sandbox.timeZone,
    now: new Date().toISOString(),
    days: DAYS,
    signal: new AbortController().signal,
  });
  return {
    settings: { ...access, changeReasons, ticketFiles: { origins: fileOrigins } },
    environment: {
      PUENTE_ADAPTER_SETTINGS_BASE_URL: baseUrl,
      PUENTE_ADAPTER_SETTINGS_AUTH: JSON.stringify(settings.auth),
      PUENTE_ADAPTER_SETTINGS_NAMESPACE: namespace,
      PUENTE_ADAPTER_SETTINGS_LIMITS_ENTRIES: String(limits.entries),
      PUENTE_ADAPTER_SETTINGS_LIMITS_PAGES: String(limits.pages),
      PUENTE_ADAPTER_SETTINGS_CHANGE_REASONS: JSON.stringify(changeReasons),
      PUENTE_ADAPTER_SETTINGS_TICKET_FILES_ORIGINS: JSON.stringify(fileOrigins),
    },
    fixtures: fresh.toFixtures(seeded),
  };
}

/** A gateway in front of the server, and a hospital in it that nobody used before. */
export async function startLiveGateway(server: LiveServer): Promise<LiveGateway> {
  const { environment, fixtures } = await seedLiveHospital(server);
  const gateway = await startGateway({
    file: 'config/fhir.yaml',
    environment: { ...environment, PUENTE_ADAPTER_SETTINGS_TIMEOUT: String(TIMEOUT) },
  });
  const { url: baseUrl, token } = gateway;
  const subject = createHttpSubject({ baseUrl, token, supports: offeredMethods.fhir, fixtures });
  return { subject, stop: () => gateway.stop() };
}
