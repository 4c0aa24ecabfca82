import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type FhirClient } from '../../../adapters/fhir/rest/client.ts';
import type { ServerCall } from '../../../adapters/fhir/rest/transport.ts';
import type { ResourceType } from '../../../adapters/fhir/schema/resources.ts';
import { Codes } from '../../../adapters/fhir/schema/terminology.ts';
import type { Settings } from '../../../adapters/fhir/settings.ts';
import type { WorldFile } from '../../../adapters/memory/world-file.ts';
import { Failure, type Instant } from '../../ports/index.ts';
import { Zone } from '../../toolkit/zone.ts';
import {
  buildBooking,
  buildCarriers,
  buildChangeRequests,
  buildContracts,
  buildCoverages,
  buildFamilyMembers,
  buildPatients,
  buildPlans,
  buildSchedules,
  buildSlots,
  buildTicketAnswers,
  buildTickets,
  buildTicketTypes,
  placeAppointments,
} from './people.ts';
import { type Context, ResourceIds, type Seed, type SeedType, type Step, Uploader } from './plan.ts';
import {
  buildExternalLocations,
  buildExternalOrganizations,
  buildExternalPractitioners,
  buildExternalRoles,
  buildExternalServices,
  buildInstitutions,
  buildLocations,
  buildPractitioners,
  buildRoles,
  buildServices,
} from './resources.ts';

interface SeedOptions {
  readonly world: WorldFile;
  /** IANA name of the institution's zone. */
  readonly timeZone: string;
  readonly now: Instant;
  /** How many days ahead slots are published. */
  readonly days: number;
  /** Seconds to wait for the server to answer for the first time; none when absent. */
  readonly wait?: number;
  readonly signal: AbortSignal;
  /** Called at the beginning of each step, and whenever the server has more of it. */
  readonly progress?: (step: string, done: number, of: number) => void;
}

export interface SeedResult {
  readonly created: number;
  /** Resources that the server already had. */
  readonly existing: number;
  /** Appointments that were not created because their slots are taken. */
  readonly leftOut: number;
  /** The id that the server gave to a resource, by its type and the id in the world. */
  getId(type: ResourceType, id: string): string;
}

/**
 * Creates the world in the FHIR server, except for what an earlier seeding created, which it finds by the identifier
 * `{namespace}/sid/seed|{type}-{id}` and leaves as it is.
 * @throws Failure of the server, after several tries where it may pass. What was created stays; another seeding continues
 *   from there.
 * @throws SettingsProblem when the settings cannot be used.
 */
export async function seed(settings: Settings, options: SeedOptions): Promise<SeedResult> {
  const { world, now, days, signal, progress = () => {} } = options;
  const { client } = await connect(settings);
  const caller = { signal, requestId: `seed-${randomUUID()}` };
  await waitForServer(client, options.wait ?? 0, caller);
  const codes = new Codes(settings);
  const ids = new ResourceIds(client, codes);
  const zone = new Zone(options.timeZone);
  const { relationships, currency } = settings;
  const context: Context = { world, ids, codes, zone, now, today: zone.toLocalDay(now), relationships, currency };
  const uploader = new Uploader(client, ids, caller);
  let total = 0;
  let created = 0;
  const upload = async (title: string, type: SeedType, seeds: readonly Seed[]) => {
    progress(title, 0, seeds.length);
    created += await uploader.upload(type, seeds, (done) => progress(title, done, seeds.length));
    total += seeds.length;
  };

  for (const { title, type, build } of steps) await upload(title, type, build(context));
  const appointments = placeAppointments(context);
  await uploader.fetchIds('Appointment', appointments);
  const missing = ids.filterMissing('Appointment', appointments);
  const taken = missing.flatMap(({ slot }) => slot ?? []);
  const slots = new Map([...buildSlots(days, context), ...taken].map((slot) => [slot.id, slot]));
  await upload('slots', 'Slot', [...slots.values()]);
  const bookings = missing.map((appointment) => buildBooking(appointment, context));
  const existing = appointments.length - missing.length;
  const leftOut = await uploader.book(bookings, (done) =>
    progress('appointments', existing + done, appointments.length),
  );
  created += bookings.length - leftOut;
  total += appointments.length;
  return { created, existing: total - created - leftOut, leftOut, getId: (type, id) => ids.getId(type, id) };
}

/** In an order in which nothing refers to what comes later. */
const steps: readonly Step[] = [
  { title: 'institutions', type: 'Organization', build: buildInstitutions },
  { title: 'carriers', type: 'Organization', build: buildCarriers },
  { title: 'plans', type: 'InsurancePlan', build: buildPlans },
  { title: 'contracts with carriers', type: 'OrganizationAffiliation', build: buildContracts },
  { title: 'external organizations', type: 'Organization', build: buildExternalOrganizations },
  { title: 'locations', type: 'Location', build: buildLocations },
  { title: 'practitioners', type: 'Practitioner', build: buildPractitioners },
  { title: 'services', type: 'HealthcareService', build: buildServices },
  { title: 'roles of practitioners', type: 'PractitionerRole', build: buildRoles },
  { title: 'schedules', type: 'Schedule', build: buildSchedules },
  { title: 'external locations', type: 'Location', build: buildExternalLocations },
  { title: 'external practitioners', type: 'Practitioner', build: buildExternalPractitioners },
  { title: 'external services', type: 'HealthcareService', build: buildExternalServices },
  { title: 'external roles', type: 'PractitionerRole', build: buildExternalRoles },
  { title: 'ticket types', type: 'Questionnaire', build: buildTicketTypes },
  { title: 'patients', type: 'Patient', build: buildPatients },
  { title: 'coverages', type: 'Coverage', build: buildCoverages },
  { title: 'family members', type: 'RelatedPerson', build: buildFamilyMembers },
  { title: 'answers in tickets', type: 'QuestionnaireResponse', build: buildTicketAnswers },
  { title: 'tickets', type: 'Task', build: buildTickets },
  { title: 'change requests', type: 'Task', build: buildChangeRequests },
];

/**
 * Waits until the server answers, for at most this many seconds.
 * @throws Failure of the last attempt; unsupported when the server has another FHIR version than R4 (4.0).
 */
async function waitForServer(client: FhirClient, seconds: number, caller: ServerCall): Promise<void> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    try {
      const { fhirVersion } = await client.metadata(caller);
      if (String(fhirVersion).startsWith('4.0')) return;
      throw new Failure('unsupported', 'the server does not speak FHIR R4 (4.0)');
    } catch (error) {
      // While a server starts, it may refuse connections or answer 404 or HTML.
      const isFinal = !(error instanceof Failure) || error.kind === 'unsupported' || performance.now() > until;
      if (isFinal) throw error;
      await sleep(1_000, undefined, { signal: caller.signal });
    }
  }
}
