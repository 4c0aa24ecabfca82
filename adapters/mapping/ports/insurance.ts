import { badAnswer } from '../../../src/http-client/failures.ts';
import { type Call, type Coverage, Failure, type Insurance } from '../../../src/ports/index.ts';
import { isSameCredential } from '../../common/care-services.ts';
import { checkOpenRecord, createPromisedFailure, requireFound } from '../../common/failures.ts';
import type { RecordOf } from '../file/things.ts';
import type { Hospital } from './hospital.ts';
import { findOf, requirePatient } from './patients.ts';
import { getMadeId, type Keys, makeOnce } from './writes.ts';

export const createInsurance = (hospital: Hospital, keys: Keys): Insurance => ({
  carriers: async ({ ownerId }, call) => {
    requireFound(ownerId === undefined || ownerId === hospital.file.rules.institutionId, 'institution', 'ownerId');
    return (await hospital.find('carriers', 'all', {}, call))
      .filter(({ contracted }) => ownerId === undefined || contracted)
      .map(({ id, name, active }) => ({ id, name, active }))
      .toSorted(hospital.compareNames);
  },

  plans: async (idOrName, call) => {
    const { carriers, plans } = await readSold(hospital, call);
    const carrier = carriers.find(({ id }) => id === idOrName) ?? carriers.find(({ name }) => name === idOrName);
    if (!carrier) throw new Failure('not_found', 'there is no such carrier');
    return plans
      .filter(({ carrierId }) => carrierId === carrier.id)
      .map(({ id, name, active }) => ({ id, name, active }));
  },

  coverages: (patientId, call) => findOf(hospital, patientId, call, listCoverages(hospital, patientId, call)),

  create: async (wanted, call) => {
    const { beneficiaryId: patientId, credentialNumber } = wanted;
    const listSame = async () =>
      (await hospital.find('coverages', 'ofPatient', { patientId }, call)).filter((each) =>
        isSameCredential(each.credentialNumber, credentialNumber),
      );
    const find = async () => (await listSame()).find(({ active }) => active)?.id;
    const write = async () => {
      checkOpenRecord(await requirePatient(hospital, patientId, call), 'beneficiaryId');
      const { plan, findCarrier } = await requireSoldPlan(hospital, wanted.planId, call);
      const same = await listSame();
      if (same.some(({ active }) => active)) throw createPromisedFailure('coverage_exists');
      const lapsed = same.find(({ planId }) => findCarrier(planId) === plan.carrierId);
      const values = { patientId, planId: plan.id, credentialNumber };
      if (lapsed)
        hospital.requireNames('coverages.edit', {
          active: true,
          ...(lapsed.planId !== plan.id && { planId: plan.id }),
        });
      const result = lapsed
        ? await hospital.change('coverages', 'edit', { ...values, id: lapsed.id, active: true }, call)
        : await hospital.change('coverages', 'create', values, call);
      return getMadeId(result, { exists: createPromisedFailure('coverage_exists') }) ?? lapsed?.id;
    };
    return makeOnce(keys, call, { content: ['insurance.create', wanted], write, find });
  },

  edit: async (id, changes, call) => {
    if (!(await findCoverage(hospital, id, undefined, call)))
      throw new Failure('not_found', 'there is no such coverage');
    if (changes.planId !== undefined) await requireSoldPlan(hospital, changes.planId, call);
    hospital.requireNames('coverages.edit', changes);
    getMadeId(await hospital.change('coverages', 'edit', { ...changes, id }, call), {
      exists: new Failure('invalid', 'another coverage has this credential number', { at: 'credentialNumber' }),
      done: badAnswer('done'),
    });
  },
});

/** The coverages of a patient with the names of their plans and carriers, including lapsed ones. */
async function listCoverages(hospital: Hospital, patientId: string, call: Call): Promise<Coverage[]> {
  return nameCoverages(hospital, await hospital.find('coverages', 'ofPatient', { patientId }, call), call);
}

/** The patient's coverages with these ids, as `listCoverages`. */
export async function showCoverages(hospital: Hospital, patientId: string, ids: readonly string[], call: Call) {
  if (ids.length === 0) return [];
  if (hospital.has('coverages.ofPatient')) return listCoverages(hospital, patientId, call);
  const records = await Promise.all([...new Set(ids)].map((id) => findCoverage(hospital, id, patientId, call)));
  return nameCoverages(
    hospital,
    records.flatMap((each) => (each?.patientId === patientId ? [each] : [])),
    call,
  );
}

async function nameCoverages(hospital: Hospital, records: readonly RecordOf<'coverages'>[], call: Call) {
  if (records.every(({ carrier, plan }) => carrier !== '' && plan !== '')) return [...records];
  const { carriers, plans } = await readSold(hospital, call);
  return records.map((record) => {
    const plan = plans.find(({ id }) => id === record.planId);
    const carrier = carriers.find(({ id }) => id === plan?.carrierId);
    return { ...record, plan: record.plan || (plan?.name ?? ''), carrier: record.carrier || (carrier?.name ?? '') };
  });
}

/**
 * Undefined if there is no such coverage. Without `byId`, it searches the coverages of the patient.
 * @throws Failure unsupported if the search needs a patient, and none is named.
 */
export async function findCoverage(
  hospital: Hospital,
  id: string | undefined,
  patientId: string | undefined,
  call: Call,
): Promise<RecordOf<'coverages'> | undefined> {
  if (id === undefined) return undefined;
  const isFoundByPatient = !hospital.has('coverages.byId') && hospital.has('coverages.ofPatient');
  if (isFoundByPatient && patientId === undefined)
    throw new Failure('unsupported', 'the system finds a coverage only by its patient: name the patient too');
  const records = isFoundByPatient
    ? await hospital.find('coverages', 'ofPatient', { patientId }, call)
    : await hospital.find('coverages', 'byId', { id, patientId }, call);
  return records.find((each) => each.id === id);
}

/** All carriers and plans. A plan is sold only while its carrier exists. */
async function readSold(hospital: Hospital, call: Call) {
  const [carriers, plans] = await Promise.all([
    hospital.find('carriers', 'all', {}, call),
    hospital.find('plans', 'all', {}, call),
  ]);
  const gone = new Set(carriers.filter(({ active }) => !active).map(({ id }) => id));
  return { carriers, plans: plans.map((plan) => ({ ...plan, active: plan.active && !gone.has(plan.carrierId) })) };
}

async function requireSoldPlan(hospital: Hospital, id: string, call: Call) {
  const { plans } = await readSold(hospital, call);
  const plan = plans.find((each) => each.id === id);
  if (!plan) throw new Failure('not_found', 'there is no such plan');
  if (!plan.active) throw new Failure('invalid', 'the plan is no longer sold', { at: 'planId' });
  return { plan, findCarrier: (planId: string) => plans.find((each) => each.id === planId)?.carrierId };
}
