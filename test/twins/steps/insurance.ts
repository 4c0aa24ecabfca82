import fc from 'fast-check';
import type { Knowledge } from '../knowledge.ts';
import { viewAppointments, viewCoverages, viewFrequent } from '../views.ts';
import { anyChoice, anyPatient, choose, choosePatient, optional } from './choices.ts';
import { read, type Steps, write } from './step.ts';

/** A number, or which coverage of the patient has it. */
type Credential = string | number | { readonly own: number };

const credential: fc.Arbitrary<Credential> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom('61248830501', 61248830501, '1-A', '1-a', ' 1-A', '00077', 77, 'a|b,c$d\\e'),
  },
  { weight: 1, arbitrary: fc.record({ own: fc.nat(3) }) },
);

function chooseCredential({ coverages }: Knowledge, patientId: string, choice: Credential): string | number {
  if (typeof choice !== 'object') return choice;
  const own = [...coverages.values()].filter((coverage) => coverage.patientId === patientId);
  return own[choice.own % own.length]?.credential ?? '1-A';
}

export const insuranceSteps: readonly Steps[] = [
  write(
    'create a coverage',
    5,
    fc.record({ who: anyPatient, plan: anyChoice, credential }),
    ({ who, plan, credential }, known) => {
      const beneficiaryId = choosePatient(known, who);
      const insurancePlanId = choose(known.directory.plans, plan);
      return {
        request: {
          route: 'POST /v1/coverages',
          body: {
            credentialNumber: chooseCredential(known, beneficiaryId, credential),
            beneficiaryId,
            insurancePlanId,
          },
        },
        views: () => [viewCoverages(beneficiaryId), ...viewFrequent(known, beneficiaryId)],
      };
    },
  ),
  write(
    'edit a coverage',
    4,
    fc.record({
      which: anyChoice,
      plan: fc.option(anyChoice, { freq: 2 }),
      credential: fc.option(credential, { freq: 2 }),
    }),
    ({ which, plan, credential }, known) => {
      const coverageId = choose([...known.coverages.keys()], which);
      const owner = known.coverages.get(coverageId)?.patientId ?? choosePatient(known, 0);
      const body = {
        ...optional('insurancePlanId', plan === null ? undefined : choose(known.directory.plans, plan)),
        ...(credential !== null && { credentialNumber: chooseCredential(known, owner, credential) }),
      };
      return {
        request: { route: 'PUT /v1/coverages/{coverageId}', params: { coverageId }, body },
        views: () => [viewCoverages(owner), ...viewAppointments(owner), ...viewFrequent(known, owner)],
      };
    },
  ),
  read('carriers and plans', 1, anyChoice, (which, known) => ({
    request: { route: 'GET /health_insurance_carriers/' },
    views: () => [
      {
        route: 'GET /health_insurance_carriers/{id}/health_insurance_plans/',
        params: { id: choose(known.directory.carriers, which) },
      },
    ],
  })),
  read(
    'carriers (B)',
    1,
    fc.record({
      search: fc.option(fc.constantFrom('o', 'MÉ', 'swiss', 'nobody'), { freq: 2 }),
      direction: fc.constantFrom('ASC', 'DESC'),
      page: fc.nat(3),
      owner: fc.option(anyChoice),
    }),
    ({ search, direction, page, owner }, { directory }) => {
      const query = {
        sortDirection: direction,
        page: String(page),
        limit: '3',
        ...optional('search', search ?? undefined),
      };
      if (owner === null) return { request: { route: 'GET /v1/insurance-carriers', query } };
      const ownerId = choose(directory.owners, owner);
      return { request: { route: 'GET /v1/insurance-carriers/by-owner', query: { ...query, ownerId } } };
    },
  ),
];
