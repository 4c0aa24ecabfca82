import type { WithId } from '@medplum/core';
import type { InsurancePlan, Organization, OrganizationAffiliation } from '@medplum/fhirtypes';
import { ownCodes, ownIds, terms, to } from './terms.ts';

const carrier = (id: string, name: string, kind: string, active = true): WithId<Organization> => ({
  resourceType: 'Organization',
  id,
  active,
  type: [
    {
      coding: [
        { system: terms.organizationType, code: 'ins' },
        { system: ownCodes('carrier-kind'), code: kind },
      ],
    },
  ],
  name,
});

/** `identifier` holds the code by which services name the plans that they accept. */
const plan = (id: string, owner: string, name: string, status: 'active' | 'retired'): WithId<InsurancePlan> => ({
  resourceType: 'InsurancePlan',
  id,
  identifier: [{ system: ownIds('plan'), value: id }],
  status,
  name,
  ownedBy: to(`Organization/${owner}`),
});

const contract = (carrierId: string): WithId<OrganizationAffiliation> => ({
  resourceType: 'OrganizationAffiliation',
  id: `puente-${carrierId}`,
  active: true,
  organization: to('Organization/sanatorio-del-puente'),
  participatingOrganization: to(`Organization/${carrierId}`),
});

/** The carriers, what they sell, and with whom the institution has a contract. */
export const insurance = [
  carrier('osde', 'OSDE', 'prepaga'),
  carrier('swiss', 'Swiss Medical', 'prepaga'),
  carrier('pami', 'PAMI', 'obra-social'),
  carrier('galeno', 'Galeno', 'prepaga'),
  carrier('ioma', 'IOMA', 'obra-social'),
  carrier('osecac', 'OSECAC', 'obra-social', false),
  carrier('particulares', 'Particulares', 'mutual'),
  plan('osde-210', 'osde', '210', 'active'),
  plan('osde-310', 'osde', '310', 'active'),
  plan('swiss-smg20', 'swiss', 'SMG20', 'active'),
  plan('swiss-smg02', 'swiss', 'SMG02', 'retired'),
  plan('pami-general', 'pami', 'General', 'active'),
  plan('galeno-220', 'galeno', 'Azul 220', 'active'),
  ...['osde', 'swiss', 'pami', 'galeno', 'ioma'].map(contract),
];
