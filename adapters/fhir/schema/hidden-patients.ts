import type { Settings } from '../settings.ts';
import { findCode } from './datatypes.ts';
import type { Resource } from './resources.ts';
import { hl7 } from './terminology.ts';

/** Tells whether a resource is a patient whom the institution does not show: test patients, and those whose record is restricted. */
export function createIsHidden({ hidePatients }: Pick<Settings, 'hidePatients'>): (resource: Resource) => boolean {
  const kinds = hidePatients ?? (process.env.NODE_ENV === 'production' ? ['test'] : []);
  return (resource) => {
    if (resource.resourceType !== 'Patient') return false;
    const { security = [], tag = [] } = resource.meta ?? {};
    const isTest = [...security, ...tag].some(({ code }) => code === 'HTEST');
    const confidentiality = findCode({ coding: security }, hl7.confidentiality) ?? 'N';
    return (isTest && kinds.includes('test')) || (['R', 'V'].includes(confidentiality) && kinds.includes('restricted'));
  };
}
