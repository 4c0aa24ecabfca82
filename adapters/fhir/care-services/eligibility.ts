import type { Call, Coverage, Eligibility } from '../../../src/ports/index.ts';
import { checkApplicant, type Payer, type Person, type ServiceLimits } from '../../common/care-services.ts';
import type { FhirContext } from '../context.ts';
import { findPlanClass, findPlanId, isActive } from '../insurance/read.ts';
import { getMergedIntoId, isOfHidden, readPerson, requireReadable } from '../patients/person.ts';
import { isOpenRecord } from '../patients/read.ts';
import { isId, parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { toGender } from '../schema/terminology.ts';

/** The patient and the coverage of a request, as far as they exist. */
export interface Applicant {
  readonly patient: Person | undefined;
  /** The id of the patient's surviving record, or the requested id if there is none. */
  readonly survivorId: string;
  readonly coverage: { readonly patientId: string; readonly resource: Resource<'Coverage'> } | undefined;
}

/** Finds the patient and the coverage. Throws invalid as `CareServices.available` specifies. */
export async function findApplicant(context: FhirContext, who: Eligibility, call: Call): Promise<Applicant> {
  const found = await readApplicant(context, who, call);
  checkApplicant(who, found);
  return found;
}

/**
 * Reads the patient and the coverage, by one request if both are named and no records were merged. The caller reports
 * missing ones. A coverage of any record of the patient is the patient's.
 */
export async function readApplicant(
  { client }: FhirContext,
  { patientId, coverageId }: Eligibility,
  call: Call,
): Promise<Applicant> {
  const query = { _id: coverageId, _include: 'Coverage:beneficiary' };
  const found = coverageId && isId(coverageId) ? await client.search('Coverage', query, call) : undefined;
  const stored = found?.matches.find(({ id, status }) => id === coverageId && status !== 'entered-in-error');
  const isHidden = found && stored && (await isOfHidden(client, found, stored.beneficiary, call));
  const resource = isHidden ? undefined : stored;
  const ownerId = parseReferenceId(resource?.beneficiary, 'Patient') ?? '';
  const included = ownerId === patientId ? found?.resolve(resource?.beneficiary, 'Patient') : undefined;
  const isLeft = included && getMergedIntoId(included) === undefined;
  const person = isLeft || patientId === undefined ? undefined : await readPerson(client, patientId, call);
  const patient = isLeft ? included : person && requireReadable(person);
  return {
    patient: patient && {
      gender: toGender(patient.gender),
      birthDate: patient.birthDate ?? '',
      active: isOpenRecord(patient),
    },
    survivorId: patient?.id ?? patientId ?? '',
    coverage: resource && { patientId: person?.ids.includes(ownerId) ? (patientId ?? '') : ownerId, resource },
  };
}

/** Reads the coverage, whether it is in force, and the codes of its plan that services may use. */
export async function readPayer(
  { coverage }: Applicant,
  services: readonly ServiceLimits[],
  { catalogue, codes, zone }: FhirContext,
  call: Call,
): Promise<(Payer & Pick<Coverage, 'patientId'>) | undefined> {
  if (!coverage) return undefined;
  const { patientId, resource } = coverage;
  const active = isActive(resource, call.now, zone);
  const planId = findPlanClass(resource)?.value ?? '';
  const limited = services.filter(({ plans }) => plans !== null);
  // Services may use the id or another identifier of the plan instead of the coverage's code.
  if (!active || limited.length === 0 || limited.some(({ plans }) => plans?.has(planId)))
    return { patientId, active, planId };
  const referred = findPlanId(resource, codes);
  const { matches } = await catalogue.plans.get(call);
  const plan = matches.find(({ id, identifier = [] }) =>
    referred === undefined ? identifier.some(({ value }) => value === planId) || id === planId : id === referred,
  );
  const otherPlanIds = [plan?.id, ...(plan?.identifier ?? []).map(({ value }) => value)].filter(
    (id) => id !== undefined,
  );
  return { patientId, active, planId, otherPlanIds };
}
