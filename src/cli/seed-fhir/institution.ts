import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import type { Schedule, Service, WorldFile } from '../../../adapters/memory/world-schema.ts';
import { toAddress, toConcept, toCreatedAt, toHumanName, toPosition, toTelecom } from './datatypes.ts';
import { findSiteEntry, listOrganizations } from './external-directory.ts';
import type { Context } from './plan.ts';
import type { Seed } from './resource-ids.ts';

/** The institution itself, and the others that have contracts with carriers. */
export function buildInstitutions({ world }: Context): Seed<'Organization'>[] {
  const { institution, carriers, directory } = world;
  const contact = directory.flatMap(listOrganizations).find(({ name }) => name === institution.name);
  const ids = new Set([institution.id, ...carriers.flatMap(({ owners }) => owners)]);
  return [...ids].map((id) => {
    const isOwn = id === institution.id;
    return {
      id,
      resource: {
        resourceType: 'Organization',
        active: true,
        type: [toConcept(hl7.organizationType, 'prov')],
        name: isOwn ? institution.name : id,
        ...(isOwn && contact && toTelecom(contact.email, contact.phones)),
      },
    };
  });
}

/** The sites of the institution, with what the directory knows of them. */
export const buildLocations = ({ world, ids }: Context): Seed<'Location'>[] =>
  world.locations.map((site) => {
    const { institution, directory } = world;
    const entry = findSiteEntry(site, directory);
    const manager = entry && listOrganizations(entry)[0];
    const managerId = manager && manager.name !== institution.name ? manager.id : institution.id;
    return {
      id: site.id,
      resource: {
        resourceType: 'Location',
        status: 'active',
        name: site.name,
        ...(entry && toTelecom(entry.location.email, entry.location.phones)),
        address: toAddress(site.address, 'work'),
        physicalType: toConcept(hl7.physicalType, 'si'),
        ...(entry && toPosition(entry.location)),
        managingOrganization: ids.refer('Organization', managerId),
      },
    };
  });

export const buildPractitioners = ({ world }: Context): Seed<'Practitioner'>[] =>
  world.practitioners.map(({ id, name }) => ({
    id,
    resource: { resourceType: 'Practitioner', active: true, name: [toHumanName(name)] },
  }));

export const buildServices = (context: Context): Seed<'HealthcareService'>[] =>
  context.world.services.map((service) => toHealthcareService(service, context));

/** The code by which schedules, slots and appointments name a service. */
export const getServiceCode = ({ integrationId, id }: Service): string => integrationId || id;

function toHealthcareService(service: Service, context: Context): Seed<'HealthcareService'> {
  const { codes, world, ids } = context;
  const { institution } = world;
  const schedules = world.schedules.filter(({ serviceId }) => serviceId === service.id);
  const isVirtual = schedules.length > 0 && schedules.every(({ modality }) => modality === 'virtual');
  const locations = findLocations(service.offeredIn, schedules, world);
  return {
    id: service.id,
    resource: {
      resourceType: 'HealthcareService',
      extension: [toCreatedAt(service.created, context), ...toExtensions(service, context)],
      identifier: [{ system: codes.sid('integration'), value: getServiceCode(service) }],
      active: service.active,
      providedBy: { ...ids.refer('Organization', institution.id), display: institution.name },
      category: [toConcept(codes.system('hcs-kind'), service.type)],
      type: [toConcept(codes.system('hcs'), getServiceCode(service), service.name)],
      ...(locations.length > 0 && { location: locations.map((id) => ids.refer('Location', id)) }),
      name: service.name,
      ...(service.description !== '' && { comment: service.description }),
      ...(service.extraDetails !== '' && { extraDetails: service.extraDetails }),
      ...(service.plans && { program: service.plans.map((plan) => toConcept(codes.system('plan'), plan)) }),
      ...(isVirtual && { characteristic: [toConcept(hl7.actCode, 'VR')] }),
      appointmentRequired: service.appointmentRequired,
      ...(service.availabilityExceptions !== null && { availabilityExceptions: service.availabilityExceptions }),
    },
  };
}

function toExtensions(service: Service, { codes, ids }: Context) {
  const { practitionerId, minAge, maxAge, sex, patientInstruction, requiresAuthorization } = service;
  const limits = [
    ...(minAge === null ? [] : [{ url: 'minAge', valueInteger: minAge }]),
    ...(maxAge === null ? [] : [{ url: 'maxAge', valueInteger: maxAge }]),
    ...(sex === null ? [] : [{ url: 'sex', valueCode: sex === 'Female' ? 'female' : 'male' }]),
  ];
  return [
    ...(practitionerId === ''
      ? []
      : [{ url: codes.extension('hcs-practitioner'), valueReference: ids.refer('Practitioner', practitionerId) }]),
    ...(patientInstruction === ''
      ? []
      : [{ url: codes.extension('hcs-patient-instruction'), valueMarkdown: patientInstruction }]),
    ...(limits.length === 0 ? [] : [{ url: codes.extension('hcs-eligibility'), extension: limits }]),
    ...(requiresAuthorization ? [{ url: codes.extension('hcs-requires-authorization'), valueBoolean: true }] : []),
  ];
}

/** The role of each practitioner at the institution: specialty, services, locations and hours. */
export const buildRoles = ({ world, ids }: Context): Seed<'PractitionerRole'>[] =>
  world.practitioners.map(({ id, specialty, email, phone, available, location }) => {
    const schedules = world.schedules.filter(({ practitionerId }) => practitionerId === id);
    const locations = findLocations(location, schedules, world);
    const services = new Set([
      ...schedules.map(({ serviceId }) => serviceId),
      ...world.services.filter(({ practitionerId }) => practitionerId === id).map((service) => service.id),
    ]);
    return {
      id,
      resource: {
        resourceType: 'PractitionerRole',
        active: available,
        practitioner: ids.refer('Practitioner', id),
        organization: ids.refer('Organization', world.institution.id),
        ...(specialty !== '' && { specialty: [{ text: specialty }] }),
        ...(locations.length > 0 && { location: locations.map((each) => ids.refer('Location', each)) }),
        ...(services.size > 0 && {
          healthcareService: [...services].map((each) => ids.refer('HealthcareService', each)),
        }),
        ...toTelecom(email, [{ type: 'cell-phone', value: phone }]),
        ...(schedules.length > 0 && { availableTime: schedules.map(toAvailableTime) }),
      },
    };
  });

const daysOfWeek = {
  MONDAY: 'mon',
  TUESDAY: 'tue',
  WEDNESDAY: 'wed',
  THURSDAY: 'thu',
  FRIDAY: 'fri',
  SATURDAY: 'sat',
  SUNDAY: 'sun',
} as const;

const toAvailableTime = ({ days, from, to }: Schedule) => ({
  daysOfWeek: days.map((day) => daysOfWeek[day]),
  availableStartTime: `${from}:00`,
  availableEndTime: `${to}:00`,
});

/** The ids of the locations that the text names, in its order, then of those of the schedules. */
function findLocations(text: string, schedules: readonly Schedule[], { locations }: WorldFile): string[] {
  const named = locations
    .filter(({ name }) => text.includes(name))
    .toSorted((a, b) => text.indexOf(a.name) - text.indexOf(b.name));
  return [...new Set([...named.map(({ id }) => id), ...schedules.map(({ locationId }) => locationId)])];
}
