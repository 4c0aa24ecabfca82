import type { z } from 'zod';
import type {
  Carrier,
  ChangeReason,
  ChangeRequest,
  Coverage,
  Day,
  DirectoryEntry,
  FamilyMember,
  Instant,
  Location,
  Patient,
  Plan,
  Practitioner,
  Ticket,
  TicketType,
} from '../../src/ports/index.ts';
import type { Institution } from '../adapter.ts';
import { addDays, Zone } from '../zone.ts';
import { Agenda } from './agenda.ts';
import type { OfferedService } from './eligibility.ts';
import { furnish } from './furnish.ts';
import { Lists } from './lists.ts';
import { PatientIndex } from './patient-index.ts';
import type { Schedule } from './schedules.ts';
import { checkedWorld } from './world-file.ts';
import type { WorldFile, worldFile } from './world-schema.ts';

/** A plan with the name of the carrier that sells it. `active` only while both are. */
export interface SoldPlan extends Plan {
  readonly carrier: string;
}

/**
 * Everything that an in-memory hospital knows. What is kept here is frozen, so that it can be handed out as it is.
 * Nothing that concerns one patient is found by looking at others.
 */
export class World {
  readonly id: string;
  readonly zone: Zone;
  readonly sexIds: WorldFile['institution']['sexIds'];
  readonly cancelUntilHours: number;
  readonly #horizon: number;

  readonly carriers: (Carrier & { readonly owners: readonly string[]; readonly plans: readonly Plan[] })[] = [];
  readonly plans = new Map<string, SoldPlan>();
  readonly locations = new Map<string, Location>();
  readonly practitioners = new Map<string, Practitioner>();
  /** By name. */
  readonly services = new Map<string, OfferedService>();
  readonly schedules = new Map<string, Schedule>();
  readonly schedulesOfService = new Lists<Schedule>();
  readonly ticketTypes = new Map<string, TicketType>();
  readonly changeReasons = new Map<string, ChangeReason>();
  readonly directory: DirectoryEntry[] = [];

  readonly patients = new PatientIndex();
  /** Ids of the main practitioners by patient. */
  readonly mainPractitioners = new Map<string, string>();
  readonly coverages = new Map<string, Coverage>();
  readonly coveragesOf = new Lists<Coverage>();
  readonly relativesOf = new Lists<FamilyMember>();
  /** Oldest first. */
  readonly ticketsOf = new Lists<Ticket>();
  readonly agenda = new Agenda();
  /** Oldest first. */
  readonly changeRequestsOf = new Lists<ChangeRequest>();

  private constructor({ id, sexIds, cancelUntilHours }: WorldFile['institution'], institution: Institution) {
    this.id = id;
    this.sexIds = { ...sexIds };
    this.cancelUntilHours = cancelUntilHours;
    this.zone = new Zone(institution.timeZone);
    this.#horizon = institution.bookingHorizonDays;
  }

  /**
   * A hospital that holds a copy of this data. Its relative days and weeks are reckoned from `now`.
   * @throws SettingsProblem when the data does not make a world.
   */
  static of(data: z.input<typeof worldFile>, institution: Institution, now: Instant): World {
    return World.fromChecked(checkedWorld(data), institution, now);
  }

  /** As `of`, for what `readWorld` has checked. */
  static fromChecked(file: WorldFile, institution: Institution, now: Instant): World {
    const world = new World(file.institution, institution);
    furnish(world, file, now);
    return world;
  }

  today(now: Instant): Day {
    return this.zone.dayOf(now);
  }

  /** The last day that can be booked. */
  lastDay(now: Instant): Day {
    return addDays(this.today(now), this.#horizon);
  }

  addCoverage(coverage: Coverage): void {
    this.coverages.set(coverage.id, coverage);
    this.coveragesOf.add(coverage.patientId, coverage);
  }

  replaceCoverage(coverage: Coverage): void {
    this.coverages.set(coverage.id, coverage);
    this.coveragesOf.replace(coverage.patientId, coverage);
  }

  addPatient(patient: Patient, mainPractitionerId?: string): void {
    this.patients.add(patient);
    if (mainPractitionerId !== undefined) this.mainPractitioners.set(patient.id, mainPractitionerId);
  }
}
