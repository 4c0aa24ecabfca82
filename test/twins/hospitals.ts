import { formatSlotId, listSlotStarts } from '../../adapters/common/schedules.ts';
import { type SeedResult, seed } from '../../adapters/fhir/commands.ts';
import { fhir } from '../../adapters/fhir/index.ts';
import { createPorts } from '../../adapters/memory/index.ts';
import { loadWorld } from '../../adapters/memory/load-world.ts';
import type { Response } from '../../src/contract/index.ts';
import { addDays, Zone } from '../../src/toolkit/zone.ts';
import type { Quirks } from '../fhir-server/quirks.ts';
import { startFhirServer } from '../fhir-server/server.ts';
import { createFhirAdapter, listSeeded } from '../support/fhir-adapter.ts';
import { Ids } from './ids.ts';
import { type Directory, Knowledge } from './knowledge.ts';
import { createSide, type KeyedRequest, type Side } from './side.ts';
import { viewAppointments, viewCoverages, viewFamily, viewPatient } from './views.ts';
import { createBundle, createWorld, type World } from './world.ts';

/** Slots are offered for so many days, and the clock goes on for so many at most. */
const HORIZON_DAYS = 7;
export const DRIFT_DAYS = 9;

/** Where and when a sequence plays, and on what kind of server. */
export interface Scene {
  readonly name: string;
  readonly timeZone: string;
  /** The moment at which every sequence begins. */
  readonly now: string;
  readonly server: Quirks;
}

/** One hospital twice: in memory and in a FHIR server. */
export interface Hospitals {
  readonly scene: Scene;
  readonly zone: Zone;
  /** What everybody knows of them at the start, in the ids of the FHIR server. */
  readonly known: Knowledge;
  /** The id that the server gave to what the world names so. */
  readonly idOf: SeedResult['getId'];
  /** Both as they were at the start, and which of their ids mean the same. */
  reset(): { readonly memory: Side; readonly fhir: Side; readonly ids: Ids };
  stop(): Promise<void>;
}

/** Furnishes both hospitals from the same world. */
export async function openHospitals(scene: Scene): Promise<Hospitals> {
  const { timeZone, now } = scene;
  const zone = new Zone(timeZone);
  const world = createWorld(zone.toLocalDay(now));
  const server = await startFhirServer({ quirks: { ...scene.server, ids: 'uuid' } });
  const settings = fhir.settings.parse({
    baseUrl: server.url,
    // A busy machine is no disagreement.
    timeout: 60_000,
    changeReasons: world.changeReasons,
    ticketFiles: { origins: [server.fileOrigin] },
  });
  const days = HORIZON_DAYS + DRIFT_DAYS + 1;
  const signal = AbortSignal.timeout(60_000);
  const bundle = createBundle(world);
  const seeded = await seed(settings, { bundle, timeZone, now, days, signal });
  server.keep();
  const institution = { timeZone, locale: 'es-AR', bookingHorizonDays: HORIZON_DAYS };
  const fhirSide = createSide((await createFhirAdapter(settings, institution)).ports);
  const ids = new Ids(listIds(world, seeded, zone, now, days));
  const known = await learnAll(new Knowledge(listDirectory(world, seeded)), world, seeded, (request) =>
    fhirSide(request, new Date(now)),
  );
  return {
    scene,
    zone,
    known,
    idOf: (type, id) => seeded.getId(type, id),
    reset: () => {
      server.reset();
      const memory = createSide(createPorts(loadWorld(world, institution, now)));
      return { memory, fhir: fhirSide, ids: ids.copy() };
    },
    stop: () => server.stop(),
  };
}

/** The ids that the server gave to what the world holds, and the ids of the world; slots are named alike by both. */
function listIds(world: World, { getId }: SeedResult, zone: Zone, now: string, days: number): [string, string][] {
  const today = zone.toLocalDay(now);
  const slots = Array.from({ length: days + 1 }, (_, ahead) => addDays(today, ahead)).flatMap((day) =>
    world.schedules.flatMap((schedule) =>
      listSlotStarts(schedule, day)
        .filter((start) => zone.toEpoch(start) !== undefined)
        .map((start) => formatSlotId(schedule, start)),
    ),
  );
  return [
    ...listSeeded(world).map(([type, id]): [string, string] => [getId(type, id), id]),
    ...slots.map((id): [string, string] => [getId('Slot', id), id]),
  ];
}

const listDirectory = (world: World, { getId }: SeedResult): Directory => ({
  services: world.services.map(({ id }) => getId('HealthcareService', id)),
  practitioners: world.practitioners.map(({ id }) => getId('Practitioner', id)),
  locations: world.locations.map(({ id }) => getId('Location', id)),
  plans: world.carriers.flatMap(({ plans }) => plans.map(({ id }) => getId('InsurancePlan', id))),
  carriers: world.carriers.flatMap(({ id, name }) => [getId('Organization', id), name]),
  owners: [...world.carriers.slice(0, 2), world.institution, world.institution].map(({ id }) =>
    getId('Organization', id),
  ),
  reasons: world.changeReasons.map(({ id }) => id),
  ticketTypes: world.ticketTypes.map(({ id, fields }) => ({ id: getId('Questionnaire', id), fields })),
});

/** Reads what a caller would read first. */
async function learnAll(
  known: Knowledge,
  world: World,
  { getId }: SeedResult,
  ask: (request: KeyedRequest) => Promise<Response>,
): Promise<Knowledge> {
  const requests = [
    ...world.patients.flatMap((patient): KeyedRequest[] => {
      const id = getId('Patient', patient.id);
      return [viewPatient(id), ...viewAppointments(id).slice(0, 1), viewCoverages(id), viewFamily(id)];
    }),
    ...known.directory.services.map((hcsId): KeyedRequest => {
      return { route: 'POST /v1/available-slots', query: { limit: '100' }, body: { hcsId } };
    }),
  ];
  for (const request of requests) known.learn(request, await ask(request));
  return known;
}
