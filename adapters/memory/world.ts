import type {
  CareService,
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
import { createNameOrder } from '../../src/ports/name-order.ts';
import { addDays, listDaysBetween, Zone } from '../../src/toolkit/zone.ts';
import type { Institution } from '../adapter.ts';
import type { ServiceLimits } from '../common/eligibility.ts';
import { AppointmentStore } from './appointment-store.ts';
import { IdempotentWrites } from './idempotent-writes.ts';
import { Lists } from './lists.ts';
import { PatientIndex } from './patient-index.ts';
import type { Schedule, WorldFile } from './world-schema.ts';

/** A plan with the name of the carrier that sells it. `active` only while both are. */
export interface SoldPlan extends Plan {
  readonly carrier: string;
}

/** A service with what decides who is eligible for it. */
export interface OfferedService extends ServiceLimits {
  readonly careService: CareService;
}

/**
 * Everything that an in-memory hospital knows. Its entries are frozen, so that they can be returned as they are. No lookup
 * of one patient's data walks through those of others.
 */
export class World {
  readonly id: string;
  readonly zone: Zone;
  /** The order of lists by name. */
  readonly compareNames: ReturnType<typeof createNameOrder>;
  readonly sexIds: WorldFile['institution']['sexIds'];
  readonly cancelUntilHours: number;
  readonly #horizon: number;
  #bookableDays: readonly Day[] = [];

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
  /** Ids of the main practitioners, by id of the patient. */
  readonly mainPractitioners = new Map<string, string>();
  readonly coverages = new Map<string, Coverage>();
  readonly coveragesOf = new Lists<Coverage>();
  readonly relativesOf = new Lists<FamilyMember>();
  /** Oldest first. */
  readonly ticketsOf = new Lists<Ticket>();
  readonly appointments = new AppointmentStore();
  readonly bookings = new IdempotentWrites<{ readonly id: string }>();
  readonly ticketsOpened = new IdempotentWrites<Ticket>();
  readonly changesRequested = new IdempotentWrites<ChangeRequest>();
  /** Oldest first. */
  readonly changeRequestsOf = new Lists<ChangeRequest>();

  /** Without any entries; `loadWorld` adds them. */
  constructor({ id, sexIds, cancelUntilHours }: WorldFile['institution'], institution: Institution) {
    this.id = id;
    this.sexIds = { ...sexIds };
    this.cancelUntilHours = cancelUntilHours;
    this.zone = new Zone(institution.timeZone);
    this.compareNames = createNameOrder(institution.locale);
    this.#horizon = institution.bookingHorizonDays;
  }

  today(now: Instant): Day {
    return this.zone.toLocalDay(now);
  }

  /** The last day that can be booked. */
  lastDay(now: Instant): Day {
    return addDays(this.today(now), this.#horizon);
  }

  /** From today to the last day that can be booked. */
  bookableDays(now: Instant): readonly Day[] {
    const today = this.today(now);
    // To write them anew would cost each search half of what its first page does.
    if (this.#bookableDays[0] !== today) this.#bookableDays = listDaysBetween(today, this.lastDay(now));
    return this.#bookableDays;
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
