import type { Fixtures } from '../../src/contract/index.ts';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { NS } from '../hospital-in-fhir/terms.ts';
import { readAll } from '../live/kill-rounds/inventory.ts';
import { seedLiveHospital } from '../support/live-gateway.ts';

/** A hospital that nobody used before, and a look at what its FHIR server holds. */
export interface CrashHospital {
  readonly environment: Readonly<Record<string, string>>;
  readonly fixtures: Fixtures;
  /** How many resources the search finds. */
  count(search: string): Promise<number>;
  /** How many of those have an identifier of this kind, which the gateway gives to what it writes. */
  countOwn(search: string, kind: string): Promise<number>;
}

/** Returns what begins a hospital: in a server that others run, or in a stand-in. */
export async function prepareHospitals(liveUrl: string | undefined): Promise<() => Promise<CrashHospital>> {
  if (liveUrl !== undefined) {
    return async () => {
      const { environment, fixtures } = await seedLiveHospital({ baseUrl: liveUrl });
      const namespace = environment.PUENTE_ADAPTER_SETTINGS_NAMESPACE ?? '';
      return { environment, fixtures, ...createCounts(liveUrl, namespace) };
    };
  }
  const { server } = await startHospital();
  const environment = { PUENTE_ADAPTER_SETTINGS_BASE_URL: server.url, PUENTE_ADAPTER_SETTINGS_NAMESPACE: NS };
  return async () => {
    server.reset();
    return { environment, fixtures: toFixtures(server.ids), ...createCounts(server.url, NS) };
  };
}

const createCounts = (baseUrl: string, namespace: string): Pick<CrashHospital, 'count' | 'countOwn'> => ({
  count: async (search) => (await readAll(`${baseUrl}/${search}`)).length,
  countOwn: async (search, kind) =>
    (await readAll(`${baseUrl}/${search}&_count=500`)).filter(({ identifier }) =>
      identifier?.some(({ system }) => system === `${namespace}/sid/${kind}`),
    ).length,
});
