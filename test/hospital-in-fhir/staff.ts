import type { WithId } from '@medplum/core';
import type {
  Location,
  Organization,
  Practitioner,
  PractitionerRole,
  PractitionerRoleAvailableTime,
} from '@medplum/fhirtypes';
import { buildAddress } from './address.ts';
import { concept, email, phone, terms, to, typedId } from './terms.ts';

const owner: WithId<Organization> = {
  resourceType: 'Organization',
  id: 'sanatorio-del-puente',
  active: true,
  type: [concept(terms.organizationType, 'prov')],
  name: 'Sanatorio del Puente',
  telecom: [phone('+54 11 5555-7000')],
};

const buildSite = (id: string, name: string, place: NonNullable<Location['address']>): WithId<Location> => ({
  resourceType: 'Location',
  id,
  status: 'active',
  name,
  physicalType: concept('http://terminology.hl7.org/CodeSystem/location-physical-type', 'si'),
  address: place,
  managingOrganization: to('Organization/sanatorio-del-puente'),
});

const caba = { city: 'Buenos Aires', state: 'Ciudad Autónoma de Buenos Aires' };
const province = { state: 'Buenos Aires' };

const sites = [
  buildSite(
    'central',
    'Sede Central',
    buildAddress({ street: 'Av. Entre Ríos', number: '1247', zip: '1133', ...caba }),
  ),
  buildSite(
    'norte',
    'Consultorios Norte',
    buildAddress({ street: 'Av. Maipú', number: '1845', city: 'Vicente López', zip: '1638', ...province }),
  ),
  buildSite(
    'oeste',
    'Consultorios Oeste',
    buildAddress({ street: 'Av. de Mayo', number: '632', city: 'Ramos Mejía', zip: '1704', ...province }),
  ),
  buildSite(
    'sur',
    'Consultorios Sur',
    buildAddress({
      street: 'Av. Hipólito Yrigoyen',
      number: '8420',
      city: 'Lomas de Zamora',
      zip: '1832',
      ...province,
    }),
  ),
  buildSite(
    'imagenes',
    'Centro de Diagnóstico por Imágenes',
    buildAddress({ street: 'Virrey del Pino', number: '2466', floor: '1', zip: '1426', ...caba }),
  ),
];

/** A room is a Location too, but no place to which the API would send anybody by itself. */
const buildRoom: WithId<Location> = {
  resourceType: 'Location',
  id: 'consultorio-12',
  status: 'active',
  name: 'Consultorio 12',
  physicalType: concept('http://terminology.hl7.org/CodeSystem/location-physical-type', 'ro'),
  partOf: to('Location/central'),
};

const buildPractitioner = (
  id: string,
  prefix: string,
  given: string,
  family: string,
  licence: string,
): WithId<Practitioner> => ({
  resourceType: 'Practitioner',
  id,
  identifier: [typedId('AC', 'https://sisa.msal.gov.ar/REFEPS', licence)],
  name: [{ use: 'official', text: `${prefix} ${given} ${family}`, family, given: [given], prefix: [prefix] }],
});

const practitioners: WithId<Practitioner>[] = [
  buildPractitioner('paz', 'Dra.', 'Julia', 'Paz', '900001'),
  buildPractitioner('ruiz', 'Dr.', 'Tomás', 'Ruiz', '900002'),
  buildPractitioner('sosa', 'Dra.', 'Inés', 'Sosa', '900003'),
  buildPractitioner('vidal', 'Dr.', 'Andrés', 'Vidal', '900004'),
  buildPractitioner('molina', 'Bioq.', 'Verónica', 'Molina', '900008'),
  buildPractitioner('duarte', 'Dr.', 'Leonel', 'Duarte', '900009'),
  buildPractitioner('acosta', 'Dra.', 'Mariana', 'Acosta', '900010'),
  { ...buildPractitioner('benitez', 'Dr.', 'Fabián', 'Benítez', '900012'), active: false },
];

type Days = NonNullable<PractitionerRoleAvailableTime['daysOfWeek']>;
const weekdays: Days = ['mon', 'tue', 'wed', 'thu', 'fri'];
const hours = (daysOfWeek: Days, from: string, until: string): PractitionerRoleAvailableTime => ({
  daysOfWeek,
  availableStartTime: `${from}:00`,
  availableEndTime: `${until}:00`,
});

const central: Pick<PractitionerRole, 'location'> = { location: [to('Location/central')] };

type Role = Pick<PractitionerRole, 'location' | 'healthcareService' | 'availableTime'>;
const buildRole = (who: string, specialty: string, number: string, rest: Role): WithId<PractitionerRole> => ({
  resourceType: 'PractitionerRole',
  id: who,
  active: true,
  practitioner: to(`Practitioner/${who}`),
  organization: to('Organization/sanatorio-del-puente'),
  specialty: [{ text: specialty }],
  telecom: [phone(number), email(`${who}@sanatoriodelpuente.example.org`)],
  ...rest,
});

const roles = [
  buildRole('paz', 'Clínica médica', '+54 9 11 5555-9001', {
    location: [to('Location/central'), to('Location/norte')],
    healthcareService: [to('HealthcareService/consulta-clinica'), to('HealthcareService/teleconsulta-clinica')],
    availableTime: [hours(weekdays, '09:00', '12:00'), hours(['tue', 'thu'], '15:00', '18:00')],
  }),
  buildRole('ruiz', 'Pediatría', '+54 9 11 5555-9002', {
    ...central,
    healthcareService: [to('HealthcareService/consulta-pediatria')],
    availableTime: [hours(weekdays, '14:00', '18:00')],
  }),
  buildRole('sosa', 'Ginecología y obstetricia', '+54 9 11 5555-9003', {
    ...central,
    healthcareService: [to('HealthcareService/consulta-ginecologia')],
    availableTime: [hours(['mon'], '14:00', '18:00')],
  }),
  buildRole('vidal', 'Cardiología', '+54 9 11 5555-9004', {
    ...central,
    healthcareService: [to('HealthcareService/consulta-cardiologia')],
    availableTime: [hours(weekdays, '09:00', '12:00')],
  }),
  buildRole('molina', 'Laboratorio de análisis clínicos', '+54 9 11 5555-9008', {
    ...central,
    healthcareService: [to('HealthcareService/laboratorio')],
    availableTime: [hours(weekdays, '07:00', '10:00')],
  }),
  buildRole('duarte', 'Diagnóstico por imágenes', '+54 9 11 5555-9009', {
    location: [to('Location/imagenes')],
    healthcareService: [to('HealthcareService/ecografia-abdominal')],
    availableTime: [hours(['wed'], '08:00', '12:00')],
  }),
  buildRole('acosta', 'Medicina familiar', '+54 9 11 5555-9010', {
    ...central,
    healthcareService: [to('HealthcareService/electrocardiograma')],
    availableTime: [hours(weekdays, '08:00', '11:00')],
  }),
  buildRole('benitez', 'Oftalmología', '+54 9 11 5555-9012', central),
];

/** The institution itself, where it works and who works there. */
export const staff = [owner, ...sites, buildRoom, ...practitioners, ...roles];
