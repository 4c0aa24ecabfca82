import { isDeepStrictEqual } from 'node:util';
import {
  type Call,
  type CareService,
  type CareServices,
  type ChangeRequest,
  type Coverage,
  type Directory,
  type Eligibility,
  Failure,
  type FamilyGroups,
  type Insurance,
  type NewChangeRequest,
  type NewTicket,
  type Patient,
  type Patients,
  type Practitioners,
  type Ticket,
  type Tickets,
  type TicketType,
} from '../../src/ports/index.ts';
import { deepFreeze, omitUndefined } from '../../src/toolkit/records.ts';
import { computeFrequentSince, isEligible, isSameCredential, rankByUse } from '../common/care-services.ts';
import { checkBirthDate, checkOpenRecord, createPromisedFailure, requireFound } from '../common/failures.ts';
import { compareNewestFirst, fillTicketFields, matchesTicketFilter } from '../common/tickets.ts';
import { findApplicant } from './appointments.ts';
import { LastKeys, type SoldPlan, type World } from './world.ts';

export function createPatients(world: World): Patients {
  return {
    search: async (criteria) => world.patients.search(criteria),

    get: async (id) => world.patients.get(id),

    async register(person, call) {
      const { patients } = world;
      checkBirthDate(person.birthDate, world.today(call.now));
      const known = patients.findHolder(person.identifier);
      if (known) {
        if (known.birthDate === person.birthDate && known.gender === person.gender) return known;
        throw new Failure('conflict', 'the identifier belongs to a patient with another birth date or gender', {
          code: 'identity_conflict',
        });
      }
      const patient = deepFreeze<Patient>({
        ...emptyPatient,
        ...omitUndefined(person),
        id: world.createId(),
        medicalRecordId: person.medicalRecordId || patients.createRecordId(),
      });
      patients.add(patient);
      return patient;
    },

    async update(id, changes, call) {
      const { patients } = world;
      const patient = patients.get(id);
      checkBirthDate(changes.birthDate, world.today(call.now));
      const changed: Patient = { ...patient, ...omitUndefined(changes) };
      // An earlier attempt of this update has made the change (RFC 9110, section 13.1.1).
      if (isDeepStrictEqual(changed, patient)) return;
      const { version = FIRST_VERSION } = patient;
      if (call.ifMatch?.includes(version) === false) throw createPromisedFailure('precondition_failed');
      const holder = changes.identifier && patients.findHolder(changes.identifier);
      if (holder && holder.id !== id) {
        throw new Failure('conflict', 'another patient holds this identifier', { code: 'identity_conflict' });
      }
      const next = String(Number(version) + 1);
      patients.replace(deepFreeze<Patient>({ ...changed, version: next }));
    },
  };
}

/** The version of an unchanged patient. */
export const FIRST_VERSION = '1';

const emptyPatient = {
  version: FIRST_VERSION,
  name: '',
  lastName: '',
  phone: '',
  email: '',
  active: true,
  address: {},
};

export function createCareServices(world: World): CareServices {
  return {
    available: async (who, call) => findAvailable(who, call),

    async frequent(who, call) {
      const available = findAvailable(who, call);
      const since = Date.parse(computeFrequentSince(world.zone, call));
      const uses = world.appointments
        .findByPatient(who.patientId)
        .filter(({ status, interval }) => status === 'active' && interval.begins >= since)
        .flatMap(({ services, interval: { begins } }) => services.map(({ id }) => ({ serviceId: id, begins })));
      return rankByUse(available, uses);
    },
  };

  function findAvailable(who: Eligibility, { now }: Call): CareService[] {
    const applicant = findApplicant(world, who);
    const today = world.today(now);
    return [...world.services.values()]
      .filter((service) => service.careService.active && isEligible(service, applicant, today))
      .map(({ careService }) => careService);
  }
}

export function createDirectory(world: World): Directory {
  return {
    locations: async () => [...world.locations.values()],

    entries: async () => [...world.directory],
  };
}

export function createFamilyGroups(world: World): FamilyGroups {
  const keys = new LastKeys();
  return {
    async list(patientId) {
      world.patients.get(patientId);
      return [...world.relativesOf.get(patientId)];
    },

    async add(patientId, member, call) {
      const { patients, relativesOf } = world;
      patients.get(patientId);
      const { relatedPatientId, relationshipCode, relationshipDescription, active } = member;
      requireFound(patients.find(relatedPatientId), 'patient', 'relatedPatientId');
      if (relatedPatientId === patientId) {
        throw new Failure('invalid', 'a patient cannot be their own relative', { at: 'relatedPatientId' });
      }
      const known = relativesOf.get(patientId).find((other) => other.relatedPatientId === relatedPatientId);
      if (known && keys.isOwn(known.id, call, [patientId, member])) return { id: known.id };
      if (known?.active) throw createPromisedFailure('relation_exists');
      const id = known?.id ?? world.createId();
      const relative = deepFreeze({ id, relatedPatientId, relationshipCode, relationshipDescription, active });
      if (known) relativesOf.replace(patientId, relative);
      else relativesOf.add(patientId, relative);
      keys.set(id, call, [patientId, member]);
      return { id };
    },

    async remove(patientId, memberId) {
      if (!world.relativesOf.remove(patientId, memberId)) {
        throw new Failure('not_found', 'the patient has no such family member');
      }
    },
  };
}

export function createInsurance(world: World): Insurance {
  const keys = new LastKeys();
  return {
    async carriers({ ownerId }) {
      const { id, carriers } = world;
      const chosen = ownerId === undefined ? carriers : carriers.filter(({ owners }) => owners.includes(ownerId));
      requireFound(ownerId === undefined || ownerId === id || chosen.length > 0, 'institution', 'ownerId');
      return chosen.map(({ id, name, active }) => ({ id, name, active }));
    },

    async plans(carrier) {
      const { carriers } = world;
      const found = carriers.find(({ id }) => id === carrier) ?? carriers.find(({ name }) => name === carrier);
      if (!found) throw new Failure('not_found', 'there is no such carrier');
      return [...found.plans];
    },

    async coverages(patientId) {
      world.patients.get(patientId);
      return [...world.coveragesOf.get(patientId)];
    },

    async create(wanted, call) {
      const { beneficiaryId, planId, credentialNumber } = wanted;
      world.patients.get(beneficiaryId);
      const known = world.coveragesOf.get(beneficiaryId);
      const own = known.find((each) => keys.isOwn(each.id, call, wanted));
      if (own) return { id: own.id };
      checkOpenRecord(world.patients.get(beneficiaryId), 'beneficiaryId');
      const plan = requireSoldPlan(planId);
      const same = known.filter((other) => isSameCredential(other.credentialNumber, credentialNumber));
      if (same.some(({ active }) => active)) throw createPromisedFailure('coverage_exists');
      const lapsed = same.find(({ carrier }) => carrier === plan.carrier);
      const id = lapsed?.id ?? world.createId();
      const coverage = toCoverage({ id, patientId: beneficiaryId, planId, credentialNumber, active: true }, plan);
      if (lapsed) world.replaceCoverage(coverage);
      else world.addCoverage(coverage);
      keys.set(id, call, wanted);
      return { id };
    },

    async edit(coverageId, { planId, credentialNumber }) {
      const coverage = world.coverages.get(coverageId);
      if (!coverage) throw new Failure('not_found', 'there is no such coverage');
      const plan = planId === undefined ? world.plans.get(coverage.planId)! : requireSoldPlan(planId);
      const number = credentialNumber ?? coverage.credentialNumber;
      world.replaceCoverage(toCoverage({ ...coverage, planId: plan.id, credentialNumber: number }, plan));
    },
  };

  function requireSoldPlan(id: string): SoldPlan {
    const plan = world.plans.get(id);
    if (!plan) throw new Failure('not_found', 'there is no such plan');
    if (!plan.active) throw new Failure('invalid', 'the plan is no longer sold', { at: 'planId' });
    return plan;
  }
}

/** The coverage with the names of its plan and its carrier. */
export const toCoverage = (from: Omit<Coverage, 'carrier' | 'plan'>, plan: SoldPlan): Coverage =>
  Object.freeze({
    id: from.id,
    patientId: from.patientId,
    planId: from.planId,
    carrier: plan.carrier,
    plan: plan.name,
    credentialNumber: from.credentialNumber,
    active: from.active,
  });

export function createPractitioners(world: World): Practitioners {
  return {
    list: async () => [...world.practitioners.values()],

    async mainOf(patientId) {
      const { patients, mainPractitioners, practitioners } = world;
      patients.get(patientId);
      const practitioner = practitioners.get(mainPractitioners.get(patientId) ?? '');
      if (!practitioner) throw createPromisedFailure('no_main_practitioner');
      return practitioner;
    },

    changeReasons: async () => [...world.changeReasons.values()],

    async requestChange(patientId, request, call) {
      const { changesRequested } = world;
      return changesRequested.once(call, [patientId, request], () => requestChange(patientId, request));
    },

    async changeRequestOf(patientId) {
      const { patients, changeRequestsOf } = world;
      patients.get(patientId);
      const latest = changeRequestsOf.get(patientId).at(-1);
      if (!latest) throw createPromisedFailure('no_change_request');
      return latest;
    },
  };

  function requestChange(patientId: string, { reasonId, practitionerId }: NewChangeRequest): ChangeRequest {
    const { patients, changeReasons, practitioners, changeRequestsOf } = world;
    checkOpenRecord(patients.get(patientId), 'patientId');
    requireFound(changeReasons.get(reasonId), 'reason', 'reasonId');
    if (practitionerId !== undefined) {
      requireFound(practitioners.get(practitionerId), 'practitioner', 'practitionerId');
    }
    if (changeRequestsOf.get(patientId).some(({ status }) => status === 'in_progress'))
      throw createPromisedFailure('change_request_open');
    const request = deepFreeze({ id: world.createId(), reasonId, status: 'in_progress' });
    changeRequestsOf.add(patientId, request);
    return request;
  }
}

export function createTickets(world: World): Tickets {
  return {
    types: async () => [...world.ticketTypes.values()].filter(isActive),

    type: async (id) => requireActiveType(id),

    async list(patientId, filter) {
      const { patients, ticketsOf, zone } = world;
      patients.get(patientId);
      return ticketsOf
        .get(patientId)
        .filter((ticket) => matchesTicketFilter(ticket, filter, zone))
        .reverse()
        .sort(compareNewestFirst);
    },

    async open(patientId, ticketTypeId, wanted, call) {
      const content = [patientId, ticketTypeId, wanted];
      return world.ticketsOpened.once(call, content, () => open(patientId, ticketTypeId, wanted, call));
    },
  };

  function open(patientId: string, ticketTypeId: string, { observations, fields }: NewTicket, call: Call): Ticket {
    world.patients.get(patientId);
    const type = requireActiveType(ticketTypeId);
    const ticket = deepFreeze<Ticket>({
      id: world.createId(),
      createdAt: call.now,
      updatedAt: call.now,
      status: 'pending',
      ticketTypeId,
      observations,
      fields: fillTicketFields(type, fields),
    });
    world.ticketsOf.add(patientId, ticket);
    return ticket;
  }

  function requireActiveType(id: string): TicketType {
    const type = world.ticketTypes.get(id);
    if (!type || !isActive(type)) throw new Failure('not_found', 'there is no such ticket type');
    return type;
  }
}

const isActive = ({ status }: TicketType): boolean => status === 'active';
