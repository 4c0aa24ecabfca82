import {
  type Call,
  type CareService,
  type CareServices,
  type Directory,
  type Eligibility,
  Failure,
  type FamilyGroups,
  type Practitioners,
} from '../../../src/ports/index.ts';
import { omitUndefined } from '../../../src/toolkit/records.ts';
import {
  checkApplicant,
  computeFrequentSince,
  isEligible,
  rankByUse,
  type ServiceWithLimits,
} from '../../common/care-services.ts';
import { createPromisedFailure, requireFound } from '../../common/failures.ts';
import { listAppointments } from './appointment-records.ts';
import type { Hospital } from './hospital.ts';
import { findCoverage } from './insurance.ts';
import { findOf, findPatient, requirePatient } from './patients.ts';
import { getMadeId, type Keys, makeOnce, requireGone } from './writes.ts';

export const createDirectory = (hospital: Hospital): Directory => ({
  locations: async (call) =>
    (await hospital.find('locations', 'all', {}, call)).map((each) => ({
      ...each,
      address: omitUndefined(each.address),
    })),

  entries: async (call) => hospital.find('entries', 'all', {}, call),
});

export const createCareServices = (hospital: Hospital): CareServices => ({
  available: (who, call) => listAvailable(hospital, who, call),

  frequent: async (who, call) => {
    const [available, appointments] = await Promise.all([
      listAvailable(hospital, who, call),
      listAppointments(hospital, { patientId: who.patientId }, call),
    ]);
    const since = Date.parse(computeFrequentSince(hospital.zone, call));
    const uses = appointments
      .filter(({ status, begins }) => status === 'active' && begins >= since)
      .flatMap(({ services, begins }) => services.map(({ id }) => ({ serviceId: id, begins })));
    return rankByUse(available, uses);
  },
});

async function listAvailable(hospital: Hospital, who: Eligibility, call: Call): Promise<CareService[]> {
  const [applicant, services] = await Promise.all([findApplicant(hospital, who, call), listServices(hospital, call)]);
  checkApplicant(who, applicant);
  return services
    .filter((service) => isEligible(service, applicant, hospital.zone.toLocalDay(call.now)))
    .map(({ careService }) => careService)
    .toSorted(hospital.compareNames);
}

/** The patient and the coverage with these ids. Undefined if they do not exist. */
export async function findApplicant(hospital: Hospital, { patientId, coverageId }: Eligibility, call: Call) {
  const [patient, coverage] = await Promise.all([
    findPatient(hospital, patientId, call),
    findCoverage(hospital, coverageId, patientId, call),
  ]);
  return { patient, coverage };
}

/** The services that are currently offered. */
export async function listServices(hospital: Hospital, call: Call): Promise<ServiceWithLimits[]> {
  const records = await hospital.find('services', 'all', {}, call);
  return records
    .filter(({ active }) => active)
    .map(({ sex, plans, createdAt = UNKNOWN, updatedAt = createdAt, ...record }) => ({
      minAge: record.minAge,
      maxAge: record.maxAge,
      sex,
      plans: plans.length === 0 ? null : new Set(plans.map(({ id }) => id)),
      careService: { ...record, createdAt, updatedAt },
    }));
}

/** The creation time of a service if the system has none. */
const UNKNOWN = '1970-01-01T00:00:00.000Z';

const listRelatives = (hospital: Hospital, patientId: string, call: Call) =>
  hospital.find('relatives', 'ofPatient', { patientId }, call);

export const createFamilyGroups = (hospital: Hospital, keys: Keys): FamilyGroups => ({
  list: (patientId, call) => findOf(hospital, patientId, call, listRelatives(hospital, patientId, call)),

  add: async (patientId, member, call) => {
    const { relatedPatientId, active } = member;
    /** An earlier relation may stay on record, inactive, beside the present one. */
    const listKnown = async () =>
      (await listRelatives(hospital, patientId, call)).filter((each) => each.relatedPatientId === relatedPatientId);
    const find = async () => (await listKnown()).find((each) => each.active === active)?.id;
    const write = async () => {
      await requirePatient(hospital, patientId, call);
      requireFound(await findPatient(hospital, relatedPatientId, call), 'patient', 'relatedPatientId');
      if (relatedPatientId === patientId) {
        throw new Failure('invalid', 'a patient cannot be their own relative', { at: 'relatedPatientId' });
      }
      const all = await listKnown();
      if (all.some((each) => each.active)) throw createPromisedFailure('relation_exists');
      const [known] = hospital.uses('relatives.add', 'id') ? all : [];
      hospital.requireNames('relatives.add', member);
      const result = await hospital.change('relatives', 'add', { ...member, patientId, id: known?.id }, call);
      const made = getMadeId(result, { exists: createPromisedFailure('relation_exists') });
      return known?.id ?? made;
    };
    return makeOnce(keys, call, { content: ['family-groups.add', patientId, member], write, find });
  },

  remove: async (patientId, id, call) => {
    await requirePatient(hospital, patientId, call);
    const missing = new Failure('not_found', 'the patient has no such family member');
    const find = async () => (await listRelatives(hospital, patientId, call)).find((each) => each.id === id);
    if (!(await find())) throw missing;
    const result = await hospital.change('relatives', 'remove', { patientId, id }, call);
    getMadeId(result, { nothing: missing });
    await requireGone(result, async () => (await find()) !== undefined);
  },
});

/** The adapter `local` stores requests for another practitioner. */
export const createPractitioners = (hospital: Hospital): Pick<Practitioners, 'list' | 'mainOf'> => ({
  list: async (call) => hospital.find('practitioners', 'all', {}, call),

  mainOf: async (patientId, call) => {
    const [, [main], all] = await Promise.all([
      requirePatient(hospital, patientId, call),
      hospital.find('practitioners', 'mainOf', { patientId }, call),
      hospital.find('practitioners', 'all', {}, call),
    ]);
    if (!main) throw createPromisedFailure('no_main_practitioner');
    return all.find(({ id }) => id === main.id) ?? main;
  },
});
