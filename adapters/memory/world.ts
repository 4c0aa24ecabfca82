import { randomUUID } from 'node:crypto';
import {
  type Appointment,
  type Call,
  type Carrier,
  type ChangeReason,
  type ChangeRequest,
  type CompareNames,
  type Coverage,
  createNameOrder,
  type Day,
  type DirectoryEntry,
  Failure,
  type FamilyMember,
  type Identifier,
  type IdentifierType,
  type Instant,
  type Location,
  normalizeDocument,
  PATIENT_SEARCH_LIMIT,
  type Patient,
  type PatientSearch,
  type Plan,
  type Practitioner,
  type Ticket,
  type TicketType,
  throwKeyReused,
} from '../../src/ports/index.ts';
import { listDaysBetween, Zone } from '../../src/toolkit/zone.ts';
import type { Institution } from '../adapter.ts';
import { computeLastDay } from '../common/bookable.ts';
import type { ServiceWithLimits } from '../common/care-services.ts';
import { createPromisedFailure } from '../common/failures.ts';
import { computeDigest } from '../common/key-store.ts';
import { BusyIntervals, type Interval } from '../common/schedules.ts';
import type { WorldFile } from './world-file.ts';
import type { Schedule } from './world-records.ts';

/** A plan with the name of its carrier. `active` only if both are. */
export interface SoldPlan extends Plan {
  readonly carrier: string;
}

/**
 * All data of an in-memory hospital. The entries are frozen, so methods can return them. Lookups of a patient's data
 * never scan the data of others.
 */
export class World {
  readonly id: string;
  readonly zone: Zone;
  /** The order of lists by name. */
  readonly compareNames: CompareNames;
  readonly sexIds: WorldFile['institution']['sexIds'];
  readonly cancelUntilHours: number;
  /** An unused id. */
  readonly createId: () => string = randomUUID;
  readonly #institution: Institution;
  #bookableDays: readonly Day[] = [];

  readonly carriers: (Carrier & { readonly owners: readonly string[]; readonly plans: readonly Plan[] })[] = [];
  readonly plans = new Map<string, SoldPlan>();
  readonly locations = new Map<string, Location>();
  readonly practitioners = new Map<string, Practitioner>();
  /** Services by name. */
  readonly services = new Map<string, ServiceWithLimits>();
  readonly schedules = new Map<string, Schedule>();
  readonly schedulesOfService = new Lists<Schedule>();
  readonly ticketTypes = new Map<string, TicketType>();
  readonly changeReasons = new Map<string, ChangeReason>();
  readonly directory: DirectoryEntry[] = [];

  readonly patients = new PatientIndex();
  /** Ids of the main practitioners, by patient id. */
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

  /** Creates an empty world. `loadWorld` adds the entries. */
  constructor({ id, sexIds, cancelUntilHours }: Omit<WorldFile['institution'], 'name'>, institution: Institution) {
    this.id = id;
    this.sexIds = { ...sexIds };
    this.cancelUntilHours = cancelUntilHours;
    this.zone = new Zone(institution.timeZone);
    this.compareNames = createNameOrder(institution.locale);
    this.#institution = institution;
  }

  /** Creates an independent world with the same entries. It forgets writes by key. */
  copy(createId: () => string): World {
    return Object.assign(new World(this, this.#institution), {
      ...this,
      createId,
      patients: this.patients.copy(),
      mainPractitioners: new Map(this.mainPractitioners),
      coverages: new Map(this.coverages),
      coveragesOf: this.coveragesOf.copy(),
      relativesOf: this.relativesOf.copy(),
      ticketsOf: this.ticketsOf.copy(),
      appointments: this.appointments.copy(),
      bookings: new IdempotentWrites(),
      ticketsOpened: new IdempotentWrites(),
      changesRequested: new IdempotentWrites(),
      changeRequestsOf: this.changeRequestsOf.copy(),
    });
  }

  today(now: Instant): Day {
    return this.zone.toLocalDay(now);
  }

  /** The last bookable day. */
  lastDay(now: Instant): Day {
    return computeLastDay(this.zone, this.#institution.bookingHorizonDays, { now });
  }

  /** The days from today to the last bookable day. */
  bookableDays(now: Instant): readonly Day[] {
    const today = this.today(now);
    // Cached: a new list would take half as long as the first page of a search.
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

/**
 * An appointment without the fields that depend on the moment of reading (`cancelable`) or change separately
 * (`coverage`).
 */
export interface StoredAppointment extends Omit<Appointment, 'cancelable' | 'coverage'> {
  readonly coverageId?: string;
  /** The time of the appointment's slots. */
  readonly interval: Interval;
}

/** All appointments, ordered by begin for each patient, and the busy times of practitioners. */
class AppointmentStore {
  readonly #byPatient: Lists<StoredAppointment>;
  readonly #busy: BusyIntervals;

  constructor(byPatient = new Lists<StoredAppointment>(), busy = new BusyIntervals()) {
    this.#byPatient = byPatient;
    this.#busy = busy;
  }

  copy(): AppointmentStore {
    return new AppointmentStore(this.#byPatient.copy(), this.#busy.copy());
  }

  /** By begin, then in the order of the booking. */
  findByPatient(patientId: string): readonly StoredAppointment[] {
    return this.#byPatient.get(patientId);
  }

  add(appointment: StoredAppointment): void {
    const { patientId, interval } = appointment;
    const before = this.#byPatient.get(patientId).findLastIndex((other) => other.interval.begins <= interval.begins);
    this.#byPatient.add(patientId, appointment, before + 1);
    if (appointment.status !== 'active') return;
    for (const { id } of appointment.practitioners) this.#busy.add(id, appointment.interval);
  }

  /** Cancels the appointment and frees its slots. */
  cancel(appointment: StoredAppointment): void {
    this.#byPatient.replace(appointment.patientId, Object.freeze({ ...appointment, status: 'canceled' }));
    for (const { id } of appointment.practitioners) this.#busy.remove(id, appointment.interval);
  }

  /** True if the practitioner has no active appointment at that time, at any location and for any service. */
  isPractitionerFree(id: string, interval: Interval): boolean {
    return this.#busy.isFree(id, interval);
  }
}

/** The maximum number of remembered writes of one kind. The oldest is evicted first. */
const MAX_WRITES = 10_000;

/** The writes of one kind with an `Idempotency-Key`, and their results. */
class IdempotentWrites<T> {
  readonly #done = new Map<string, { readonly content: string; readonly result: T }>();

  /**
   * Writes, or returns the result of this client's earlier write with this key. A failed write may be retried.
   * @throws Failure invalid `idempotency_key_reused` when the earlier write had another content.
   */
  async once({ client, idempotencyKey }: Call, content: unknown, write: () => T): Promise<T> {
    if (idempotencyKey === undefined) return write();
    const key = JSON.stringify([client, idempotencyKey]);
    const digest = computeDigest(content);
    const earlier = this.#done.get(key);
    if (earlier && earlier.content !== digest) throwKeyReused();
    if (earlier) return earlier.result;
    const result = write();
    this.#done.set(key, { content: digest, result });
    forgetOldest(this.#done);
    return result;
  }
}

/** The `Idempotency-Key` of the last write to each record. */
export class LastKeys {
  readonly #digests = new Map<string, string>();

  /** True if the last write to the record was this client's, with this key and content. */
  isOwn(id: string, call: Call, content: unknown): boolean {
    return call.idempotencyKey !== undefined && this.#digests.get(id) === toDigest(call, content);
  }

  set(id: string, call: Call, content: unknown): void {
    this.#digests.delete(id);
    if (call.idempotencyKey === undefined) return;
    this.#digests.set(id, toDigest(call, content));
    forgetOldest(this.#digests);
  }
}

const toDigest = ({ client, idempotencyKey }: Call, content: unknown): string =>
  computeDigest([client, idempotencyKey, content]);

function forgetOldest(writes: Map<string, unknown>): void {
  const [oldest] = writes.size > MAX_WRITES ? writes.keys() : [];
  if (oldest !== undefined) writes.delete(oldest);
}

/** Lists by key. A key without items costs no memory. */
class Lists<T extends { readonly id: string }> {
  readonly #lists = new Map<string, T[]>();

  copy(): Lists<T> {
    const copy = new Lists<T>();
    for (const [key, list] of this.#lists) copy.#lists.set(key, [...list]);
    return copy;
  }

  get(key: string): readonly T[] {
    return this.#lists.get(key) ?? [];
  }

  /** Adds the item before the one with this index, by default as the last. */
  add(key: string, item: T, index = Number.POSITIVE_INFINITY): void {
    const list = this.#lists.get(key);
    if (list) list.splice(index, 0, item);
    else this.#lists.set(key, [item]);
  }

  /** Replaces the item with the same id. */
  replace(key: string, item: T): void {
    const list = this.#lists.get(key) ?? [];
    const index = list.findIndex(({ id }) => id === item.id);
    if (index >= 0) list[index] = item;
  }

  /** Returns true if there was an item with that id. */
  remove(key: string, id: string): boolean {
    const list = this.#lists.get(key) ?? [];
    const index = list.findIndex((item) => item.id === id);
    if (index < 0) return false;
    list.splice(index, 1);
    if (list.length === 0) this.#lists.delete(key);
    return true;
  }
}

const identifierTypes: readonly IdentifierType[] = ['DNI', 'Passport', 'Other'];

type Documents = Partial<Record<IdentifierType, string>>;

/** The patients by id, identifier and birth date. The time of a lookup does not depend on their number. */
class PatientIndex {
  #byId = new Map<string, Patient>();
  /** Ids, by the normalized document. */
  #byIdentifier: Readonly<Record<IdentifierType, Map<string, string>>> = {
    DNI: new Map(),
    Passport: new Map(),
    Other: new Map(),
  };
  /** The former documents of patients who got another document, by type. */
  #formerDocuments = new Map<string, Documents>();
  #byBirthDate = new Lists<Patient>();
  #lastRecord = 0;

  copy(): PatientIndex {
    const copy = new PatientIndex();
    const { DNI, Passport, Other } = this.#byIdentifier;
    copy.#byId = new Map(this.#byId);
    copy.#byIdentifier = { DNI: new Map(DNI), Passport: new Map(Passport), Other: new Map(Other) };
    copy.#formerDocuments = new Map(this.#formerDocuments);
    copy.#byBirthDate = this.#byBirthDate.copy();
    copy.#lastRecord = this.#lastRecord;
    return copy;
  }

  find(id: string): Patient | undefined {
    return this.#byId.get(id);
  }

  /** @throws Failure not_found when there is no such patient. */
  get(id: string): Patient {
    const patient = this.#byId.get(id);
    if (!patient) throw new Failure('not_found', 'there is no such patient');
    return patient;
  }

  findHolder({ type, value }: Identifier): Patient | undefined {
    return this.#byId.get(this.#byIdentifier[type].get(normalizeDocument(type, value)) ?? '');
  }

  /** @throws Failure invalid `search_too_wide`. */
  search(criteria: PatientSearch): Patient[] {
    const found = this.#findCandidates(criteria).filter((patient) => this.#matchesCriteria(patient, criteria));
    if (found.length > PATIENT_SEARCH_LIMIT) throw createPromisedFailure('search_too_wide');
    return found;
  }

  add(patient: Patient): void {
    this.#byId.set(patient.id, patient);
    const { type, value } = patient.identifier;
    if (value !== '') this.#byIdentifier[type].set(normalizeDocument(type, value), patient.id);
    this.#byBirthDate.add(patient.birthDate, patient);
    this.#lastRecord = Math.max(this.#lastRecord, parseRecordNumber(patient));
  }

  /** Replaces the patient with the same id. A replaced document of the same type no longer finds the patient. */
  replace(patient: Patient): void {
    const { type } = patient.identifier;
    const { birthDate, id } = this.get(patient.id);
    const { [type]: replaced, ...kept } = this.#listDocuments(id);
    if (replaced !== undefined) this.#byIdentifier[type].delete(normalizeDocument(type, replaced));
    this.#formerDocuments.set(id, kept);
    this.#byBirthDate.remove(birthDate, id);
    this.add(patient);
  }

  /** Returns an unused number for a clinical record: `HC-` and at least six digits. */
  createRecordId(): string {
    this.#lastRecord += 1;
    return `HC-${String(this.#lastRecord).padStart(6, '0')}`;
  }

  #listDocuments(id: string): Documents {
    const { type, value } = this.get(id).identifier;
    return { ...this.#formerDocuments.get(id), [type]: value };
  }

  #findCandidates({ identifier, identifierType, birthDate }: PatientSearch): readonly Patient[] {
    if (identifier !== undefined) {
      const types = identifierType === undefined ? identifierTypes : [identifierType];
      return [...new Set(types.flatMap((type) => this.findHolder({ type, value: identifier }) ?? []))];
    }
    if (birthDate !== undefined) return this.#byBirthDate.get(birthDate);
    throw new Failure('invalid', 'a search needs an identifier, or a birth date with a gender', { at: 'identifier' });
  }

  #matchesCriteria({ id, ...patient }: Patient, { identifierType, birthDate, gender }: PatientSearch): boolean {
    return (
      (identifierType === undefined || this.#listDocuments(id)[identifierType] !== undefined) &&
      isSame(birthDate, patient.birthDate) &&
      isSame(gender, patient.gender)
    );
  }
}

const isSame = (wanted: string | undefined, actual: string): boolean => wanted === undefined || wanted === actual;

const parseRecordNumber = ({ medicalRecordId }: Patient): number =>
  Number(/^HC-(\d{1,12})$/.exec(medicalRecordId)?.[1] ?? 0);
