import type { Call, Finding } from '../../src/ports/index.ts';
import { getServiceCode, isOffered, readLimits } from './care-services/read.ts';
import type { FhirContext } from './context.ts';
import { createIsInForce } from './datatypes/dates.ts';
import { nameSome } from './examination/name-some.ts';
import { formatPractitionerName } from './practitioners/read.ts';
import { findIdentifierValue, parseReferenceId } from './schema/datatypes.ts';
import type { Resource } from './schema/resources.ts';

/** Whether what the institution offers fits together: each resource alone is as FHIR says, and yet not what is meant. */
export async function* examineCatalogue(context: FhirContext, call: Call): AsyncGenerator<Finding> {
  const check = 'catalogue';
  const { catalogue, codes, settings, zone } = context;
  const { matches: services } = await catalogue.services.get(call);
  const { matches: plans } = await catalogue.plans.get(call);
  const { matches: carriers } = await catalogue.carriers.get(call);
  const { matches: practitioners } = await catalogue.practitioners.get(call);
  const { matches: locations } = await catalogue.locations.get(call);
  const offered = services.filter((each) => isOffered(each, context));
  const sharing = Map.groupBy(offered, (each) => getServiceCode(each, codes.system('hcs')));
  const planIds = new Set(plans.flatMap(({ id, identifier = [] }) => [id, ...identifier.map(({ value }) => value)]));
  const institutions = new Set(offered.map(({ providedBy }) => providedBy?.reference));
  /** The seeded ones of others are in the directory alone. */
  const isOurs = ({ category, program, extension, identifier, providedBy }: Resource<'HealthcareService'>) =>
    JSON.stringify([category, program, extension]).includes(`"${settings.namespace}/`) ||
    (institutions.has(providedBy?.reference) && findIdentifierValue(identifier, [codes.sid('seed')]) === undefined);
  const isInForce = createIsInForce(call, zone);
  const wholes = new Map(locations.map(({ id, partOf }) => [id, parseReferenceId(partOf, 'Location') ?? '']));
  /** What is found, what is wrong with it, and what to do; with `isMeant` only the institution knows whether it is wrong. */
  const faults: { found: readonly Resource[]; is: string; fix: string; readonly isMeant?: true }[] = [
    {
      found: offered.filter((each) => [...(readLimits(each, context).plans ?? [])].some((id) => !planIds.has(id))),
      is: 'name in program a plan that no InsurancePlan has as an identifier or as its id, which pays for nothing',
      fix: 'correct program, or the identifier of the plan (docs/fhir/set-up.md, 5)',
    },
    {
      found: [...sharing.values()].filter(({ length }) => length > 1).flat(),
      is: 'have a code that another service has too, so that each is booked in the schedules of the other',
      fix: `give each service a code of its own, of ${codes.system('hcs')}`,
    },
    {
      found: services.filter((each) => each.active !== false && !offered.includes(each) && isOurs(each)),
      is: 'have no code, so that they are only in the directory and nobody can book them',
      fix: `give those that are yours to offer a code of ${codes.system('hcs')}`,
      isMeant: true,
    },
    {
      found: plans.filter(
        ({ status = 'active', ownedBy }) =>
          status === 'active' && !carriers.some(({ id }) => id === parseReferenceId(ownedBy, 'Organization')),
      ),
      is: 'are owned by no carrier, so that no list shows them',
      fix: 'set ownedBy to an Organization of the type ins, if patients are to have them',
      isMeant: true,
    },
    {
      found: practitioners.filter(({ name }) => !formatPractitionerName(name, settings.practitionerName, isInForce)),
      is: 'have no name that could be shown',
      fix: 'give them a name',
    },
    {
      found: locations.filter(({ id }) => isInCircle(id, wholes)),
      is: 'are part of themselves, around a circle, so that nothing tells at which site they are',
      fix: 'correct partOf of one of them',
    },
  ];
  const dangling = await catalogue.listDangling(call);
  if (dangling.length > 0) {
    const detail = `${dangling.length} resources refer to what is not there, or by an address that is not the server’s own: ${nameSome(dangling)}`;
    const fix = 'correct these references; what they mean is shown nowhere';
    yield { check: 'references', ok: false, detail, fix, explainsGaps: true };
  }
  for (const { found, is, fix, isMeant } of faults) {
    const [first] = found;
    if (!first) continue;
    const names = nameSome(found.map(({ resourceType, id }) => `${resourceType}/${id}`));
    yield {
      check,
      ok: isMeant ? null : false,
      detail: `${found.length} ${first.resourceType} resources ${is}: ${names}`,
      fix,
    };
  }
}

/** Whether the location is part of itself. */
function isInCircle(id: string, wholes: ReadonlyMap<string, string>): boolean {
  const seen = new Set<string>();
  for (let at = wholes.get(id); at && !seen.has(at); at = wholes.get(at)) {
    if (at === id) return true;
    seen.add(at);
  }
  return false;
}
