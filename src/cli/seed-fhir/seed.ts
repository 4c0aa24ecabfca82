import { randomUUID } from 'node:crypto';
import { connect } from '../../../adapters/fhir/rest/connect.ts';
import type { ResourceType } from '../../../adapters/fhir/schema/resources.ts';
import { Codes } from '../../../adapters/fhir/schema/terminology.ts';
import type { Settings } from '../../../adapters/fhir/settings.ts';
import { Zone } from '../../../adapters/zone.ts';
import type { Instant } from '../../ports/index.ts';
import { bookings, schedules, slots } from './appointments.ts';
import { listExternalDirectory, listExternalOrganizations } from './external-directory.ts';
import type { Hospital } from './hospital.ts';
import { owners, practitioners, roles, services, sites } from './institution.ts';
import { coverages, insurance } from './insurance.ts';
import { families, patients } from './people.ts';
import type { Context, Step } from './plan.ts';
import { ResourceIds } from './resource-ids.ts';
import { changeRequests, tickets, ticketTypes } from './tickets.ts';
import { Uploader } from './uploader.ts';
import { waitForServer } from './wait-for-server.ts';

export type { Hospital } from './hospital.ts';

export interface SeedOptions {
  readonly hospital: Hospital;
  /** IANA name of the institution's zone. */
  readonly timeZone: string;
  readonly now: Instant;
  /** How many days ahead slots are published. */
  readonly days: number;
  /** Seconds to wait for the server to answer for the first time; none when absent. */
  readonly wait?: number;
  readonly signal: AbortSignal;
  /** Called at the beginning of each step, and whenever more of it is in the server. */
  readonly progress?: (step: string, done: number, of: number) => void;
}

export interface Seeded {
  readonly created: number;
  /** From an earlier seeding. */
  readonly there: number;
  /** Appointments whose slot somebody else has taken. */
  readonly leftOut: number;
  /** The id that the server gave to a resource, by its type and the id that the hospital has for it. */
  idOf(type: ResourceType, id: string): string;
}

/**
 * Puts a hospital into the FHIR server, as far as it is not there yet: what has been sown once is found again by an
 * identifier of its own, `{namespace}/sid/seed|{type}-{id}`, and is left as it is.
 * @throws Failure what the server answers, after several tries where it may pass; all that was written stays, and another
 *   seeding goes on from there.
 * @throws SettingsProblem when the server cannot be spoken with as the settings say.
 */
export async function seed(settings: Settings, options: SeedOptions): Promise<Seeded> {
  const { hospital, timeZone, now, days, signal, progress = () => {} } = options;
  const { client } = await connect(settings);
  const codes = new Codes(settings);
  const { relationships, currency } = settings;
  const context: Context = { hospital, codes, zone: new Zone(timeZone), now, relationships, currency };
  const caller = { signal, requestId: `seed-${randomUUID()}` };
  await waitForServer(client, options.wait ?? 0, caller);
  const shelf = new ResourceIds(client, codes);
  const sower = new Uploader(client, shelf, caller);
  let created = 0;
  let all = 0;
  const sow = async ({ title, seeds }: Step) => {
    progress(title, 0, seeds.length);
    created += await sower.upload(seeds, (done) => progress(title, done, seeds.length));
    all += seeds.length;
  };

  for (const step of listSteps(context)) await sow(step);
  const booked = bookings(context);
  await sower.look(booked.map(({ appointment }) => appointment));
  const missing = booked.filter(({ appointment }) => !shelf.has(appointment));
  const published = new Map(
    [...slots(days, context), ...missing.flatMap(({ slot }) => slot ?? [])].map((slot) => [slot.name, slot]),
  );
  await sow({ title: 'slots', seeds: [...published.values()] });
  progress('appointments', 0, booked.length);
  const { created: appointments, leftOut } = await sower.book(booked, (done) =>
    progress('appointments', done, booked.length),
  );
  created += appointments;
  all += booked.length;
  return { created, there: all - created - leftOut, leftOut, idOf: (type, id) => shelf.idOf(type, id) };
}

/** In an order in which nothing refers to what comes later. */
const listSteps = (context: Context): Step[] => [
  owners(context),
  ...insurance(context),
  listExternalDirectory(context),
  sites(context),
  practitioners(context),
  services(context),
  roles(context),
  schedules(context),
  ...listExternalOrganizations(context),
  ticketTypes(context),
  patients(context),
  coverages(context),
  families(context),
  ...tickets(context),
  changeRequests(context),
];
