import type { WithId } from '@medplum/core';
import type { InsurancePlan, Organization, OrganizationAffiliation } from '@medplum/fhirtypes';
import { ownCodes, ownIds, terms, to } from './terms.ts';

const buildCarrier = (id: string, name: string, kind: string, active = true): WithId<Organization> => ({
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
const buildPlan = (id: string, owner: string, name: string, status: 'active' | 'retired'): WithId<InsurancePlan> => ({
  resourceType: 'InsurancePlan',
  id,
  identifier: [{ system: ownIds('plan'), value: id }],
  status,
  name,
  ownedBy: to(`Organization/${owner}`),
});

const buildContract = (carrierId: string): WithId<OrganizationAffiliation> => ({
  resourceType: 'OrganizationAffiliation',
  id: `puente-${carrierId}`,
  active: true,
  organization: to('Organization/sanatorio-del-puente'),
  participatingOrganization: to(`Organization/${carrierId}`),
});

/** The carriers, what they sell, and with whom the institution has a contract. */
export const insurance = [
  buildCarrier('osde', 'OSDE', 'prepaga'),
  buildCarrier('swiss', 'Swiss Medical', 'prepaga'),
  buildCarrier('pami', 'PAMI', 'obra-social'),
  buildCarrier('galeno', 'Galeno', 'prepaga'),
  buildCarrier('ioma', 'IOMA', 'obra-social'),
  buildCarrier('osecac', 'OSECAC', 'obra-social', false),
  buildCarrier('particulares', 'Particulares', 'mutual'),
  buildPlan('osde-210', 'osde', '210', 'active'),
  buildPlan('osde-310', 'osde', '310', 'active'),
  buildPlan('swiss-smg20', 'swiss', 'SMG20', 'active'),
  buildPlan('swiss-smg02', 'swiss', 'SMG02', 'retired'),
  buildPlan('pami-general', 'pami', 'General', 'active'),
  buildPlan('galeno-220', 'galeno', 'Azul 220', 'active'),
  ...['osde', 'swiss', 'pami', 'galeno', 'ioma'].map(buildContract),
];
