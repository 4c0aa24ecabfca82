import type { WithId } from '@medplum/core';
import type {
  HealthcareService,
  Location,
  Organization,
  Practitioner,
  PractitionerRole,
  Resource,
} from '@medplum/fhirtypes';
import { concept, email, mobile, phone, terms, to } from './terms.ts';

const pharmacy: WithId<Organization> = {
  resourceType: 'Organization',
  id: 'nueva-primera-junta',
  active: true,
  name: 'Farmacia Nueva Primera Junta',
  type: [concept(terms.roleCode, 'OUTPHARM')],
  telecom: [phone('+54 11 5555-7101')],
};

const clinic: WithId<Organization> = {
  resourceType: 'Organization',
  id: 'ribera',
  active: true,
  name: 'Clínica Ribera de Quilmes',
  type: [concept(terms.organizationType, 'prov')],
  telecom: [phone('+54 11 5555-7151'), email('ribera.clinica@example.org')],
};

const buildPlace = (
  id: string,
  managedBy: string | undefined,
  rest: Omit<Location, 'resourceType'>,
): WithId<Location> => ({
  resourceType: 'Location',
  id,
  status: 'active',
  ...(managedBy !== undefined && { managingOrganization: to(`Organization/${managedBy}`) }),
  ...rest,
});

const places = [
  buildPlace('farmacia-caballito', 'nueva-primera-junta', {
    name: 'Farmacia Nueva Primera Junta',
    type: [concept(terms.roleCode, 'OUTPHARM')],
    telecom: [phone('+54 11 5555-7101'), mobile('+54 9 11 5555-7102'), email('primerajunta.farmacia@example.org')],
    address: { text: 'Av. Rivadavia 5312, Buenos Aires', postalCode: '1424' },
    position: { latitude: -34.6204, longitude: -58.4417 },
  }),
  buildPlace('clinica-quilmes', 'ribera', {
    name: 'Clínica Ribera de Quilmes',
    telecom: [phone('+54 11 5555-7151')],
    address: { text: 'Av. Mitre 640, Quilmes', postalCode: '1878' },
    position: { latitude: -34.7203, longitude: -58.2546 },
  }),
  // Nowhere on the map and nobody's.
  buildPlace('domicilio', undefined, {
    name: 'Enfermería a domicilio Del Sur',
    telecom: [mobile('+54 9 11 5555-7191')],
    address: { text: 'Sin atención al público; cobertura en zona sur y CABA' },
  }),
];

const nurse: WithId<Practitioner> = {
  resourceType: 'Practitioner',
  id: 'sandez',
  active: true,
  name: [{ text: 'Lic. Omar Sandez', family: 'Sandez', given: ['Omar'], prefix: ['Lic.'] }],
};

const nursing: WithId<PractitionerRole> = {
  resourceType: 'PractitionerRole',
  id: 'sandez',
  active: true,
  practitioner: to('Practitioner/sandez'),
  specialty: [{ text: 'Enfermería a domicilio' }],
  location: [to('Location/domicilio')],
  telecom: [mobile('+54 9 11 5555-7191'), email('enfermeria.delsur@example.org')],
};

/** Services of others carry no code of ours: nobody can book them here. */
const vaccines: WithId<HealthcareService> = {
  resourceType: 'HealthcareService',
  id: 'npj-vacunas',
  active: true,
  providedBy: to('Organization/nueva-primera-junta'),
  location: [to('Location/farmacia-caballito')],
  name: 'Aplicación de vacunas',
};

/** Others around the institution: a pharmacy, a clinic and a nurse. */
export const directory: WithId<Resource>[] = [pharmacy, clinic, ...places, nurse, nursing, vaccines];
