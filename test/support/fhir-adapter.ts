import type { Institution } from '../../adapters/adapter.ts';
import { fhir } from '../../adapters/fhir/index.ts';
import type { ResourceType } from '../../adapters/fhir/schema/resources.ts';
import type { Settings } from '../../adapters/fhir/settings.ts';
import type { readWorld } from '../../adapters/memory/world-file.ts';
import { sandbox } from '../../src/contract/fixtures.ts';
import type { PortName, Readiness } from '../../src/ports/index.ts';
import type { FhirServer } from '../fhir-server/server.ts';
import { NS, terms } from '../hospital-in-fhir/terms.ts';

const buenosAires: Institution = {
  timeZone: sandbox.timeZone,
  locale: 'es-AR',
  bookingHorizonDays: sandbox.bookingHorizonDays,
};

type FhirOffer = Awaited<ReturnType<typeof fhir.offer>>;

/** The ports with the methods that the adapter offers. */
export type FhirPorts = { readonly [N in PortName]: Pick<FhirOffer[N], keyof FhirOffer[N]> };

/** The settings under which the hand-written hospital of a stand-in server makes sense; a busy machine has time to answer. */
export const makeSettings = ({ url }: Pick<FhirServer, 'url'>, changes: Record<string, unknown> = {}): Settings =>
  fhir.settings.parse({ baseUrl: url, namespace: NS, systems: { mrn: [terms.mrn] }, timeout: 60_000, ...changes });

/** The adapter with these settings, fresh: nothing is in its catalogue yet. */
export async function createFhirAdapter(
  settings: Settings,
  institution: Institution = buenosAires,
): Promise<{ ports: FhirPorts; readiness: Readiness }> {
  const { readiness, ...ports } = await fhir.offer(settings, institution, {});
  return { ports, readiness };
}

/** An adapter in front of the server, with the settings of the hospital but for these changes; it has read nothing yet. */
export const connect = (server: Pick<FhirServer, 'url'>, changes: Record<string, unknown> = {}, where?: Institution) =>
  createFhirAdapter(makeSettings(server, changes), where);

/** The type and the id of each resource that seeding makes of the world, but for slots. */
export function listSeeded(world: ReturnType<typeof readWorld>): [ResourceType, string][] {
  const rows: Partial<Record<ResourceType, readonly { readonly id: string }[]>> = {
    Patient: world.patients,
    Practitioner: world.practitioners,
    Location: world.locations,
    HealthcareService: world.services,
    Coverage: world.coverages,
    Organization: [...world.carriers, world.institution],
    InsurancePlan: world.carriers.flatMap(({ plans }) => plans),
    Questionnaire: world.ticketTypes,
    Task: [...world.tickets, ...world.changeRequests],
    RelatedPerson: world.familyMembers,
    Appointment: world.appointments,
  };
  return Object.entries(rows).flatMap(([type, all]) => all.map(({ id }) => [type as ResourceType, id]));
}
