import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import { listOrganizations, siteEntry } from './external-directory.ts';
import type { Hospital, Schedule, Service } from './hospital.ts';
import type { Context, Seed, Step } from './plan.ts';
import { address, concept, createdAt, humanName, telecom, toPosition } from './terms.ts';

/** The institution itself, and others that have contracts with carriers. */
export function owners({ hospital }: Context): Step {
  const { institution } = hospital;
  const ids = new Set([institution.id, ...hospital.carriers.flatMap((carrier) => carrier.owners)]);
  const own = hospital.directory.flatMap(listOrganizations).find(({ name }) => name === institution.name);
  const seeds = [...ids].map((id): Seed => {
    const isOwn = id === institution.id;
    return {
      type: 'Organization',
      name: id,
      elements: () => ({
        active: true,
        type: [concept(hl7.organizationType, 'prov')],
        name: isOwn ? institution.name : id,
        ...(isOwn && own && telecom(own.email, own.phones)),
      }),
    };
  });
  return { title: 'institutions', seeds };
}

/** Where the institution works. What the directory knows of the same place is said of it too. */
export function sites({ hospital }: Context): Step {
  const seeds = hospital.locations.map((site): Seed => {
    const listed = siteEntry(site, hospital.directory);
    const [manager] = listed ? listOrganizations(listed) : [];
    const isOther = manager !== undefined && manager.name !== hospital.institution.name;
    return {
      type: 'Location',
      name: site.id,
      elements: (known) => ({
        status: 'active',
        name: site.name,
        ...(listed && telecom(listed.location.email, listed.location.phones)),
        address: address(site.address, 'work'),
        physicalType: concept(hl7.physicalType, 'si'),
        ...(listed && toPosition(listed.location)),
        managingOrganization: known.to('Organization', isOther ? manager.id : hospital.institution.id),
      }),
    };
  });
  return { title: 'locations', seeds };
}

/** Who works for the institution. */
export const practitioners = ({ hospital }: Context): Step => ({
  title: 'practitioners',
  seeds: hospital.practitioners.map(
    ({ id, name }): Seed => ({
      type: 'Practitioner',
      name: id,
      elements: () => ({ active: true, name: [humanName(name)] }),
    }),
  ),
});

/** What the institution does for patients. */
export const services = (context: Context): Step => ({
  title: 'services',
  seeds: context.hospital.services.map((service) => toService(service, context)),
});

/** The code by which schedules, slots and appointments name a service. */
export const toCode = ({ integrationId, id }: Service): string => integrationId || id;

function toService(service: Service, context: Context): Seed {
  const { codes, hospital } = context;
  const schedules = hospital.schedules.filter(({ serviceId }) => serviceId === service.id);
  const isRemote = schedules.length > 0 && schedules.every(({ modality }) => modality === 'virtual');
  const places = findPlaces(service.offeredIn, schedules, hospital);
  return {
    type: 'HealthcareService',
    name: service.id,
    elements: (known) => ({
      extension: [
        createdAt(service.created, context),
        ...(service.practitionerId === ''
          ? []
          : [
              {
                url: codes.extension('hcs-practitioner'),
                valueReference: known.to('Practitioner', service.practitionerId),
              },
            ]),
        ...toExtensions(service, context),
      ],
      identifier: [{ system: codes.sid('integration'), value: toCode(service) }],
      active: service.active,
      providedBy: { ...known.to('Organization', hospital.institution.id), display: hospital.institution.name },
      category: [concept(codes.system('hcs-kind'), service.type)],
      type: [concept(codes.system('hcs'), toCode(service), service.name)],
      ...(places.length > 0 && { location: places.map((id) => known.to('Location', id)) }),
      name: service.name,
      ...(service.description !== '' && { comment: service.description }),
      ...(service.extraDetails !== '' && { extraDetails: service.extraDetails }),
      ...(service.plans && { program: service.plans.map((plan) => concept(codes.system('plan'), plan)) }),
      ...(isRemote && { characteristic: [concept(hl7.actCode, 'VR')] }),
      appointmentRequired: service.appointmentRequired,
      ...(service.availabilityExceptions !== null && { availabilityExceptions: service.availabilityExceptions }),
    }),
  };
}

function toExtensions(service: Service, { codes }: Context) {
  const { minAge, maxAge, sex, patientInstruction, requiresAuthorization } = service;
  const limits = [
    ...(minAge === null ? [] : [{ url: 'minAge', valueInteger: minAge }]),
    ...(maxAge === null ? [] : [{ url: 'maxAge', valueInteger: maxAge }]),
    ...(sex === null ? [] : [{ url: 'sex', valueCode: sex === 'Female' ? 'female' : 'male' }]),
  ];
  return [
    ...(patientInstruction === ''
      ? []
      : [{ url: codes.extension('hcs-patient-instruction'), valueMarkdown: patientInstruction }]),
    ...(limits.length === 0 ? [] : [{ url: codes.extension('hcs-eligibility'), extension: limits }]),
    ...(requiresAuthorization ? [{ url: codes.extension('hcs-requires-authorization'), valueBoolean: true }] : []),
  ];
}

/** In what each practitioner works, where, when and on what. */
export const roles = (context: Context): Step => ({
  title: 'roles of practitioners',
  seeds: context.hospital.practitioners.map((practitioner): Seed => {
    const { hospital } = context;
    const { id, specialty, email, phone, available } = practitioner;
    const schedules = hospital.schedules.filter(({ practitionerId }) => practitionerId === id);
    const places = findPlaces(practitioner.location, schedules, hospital);
    const given = new Set([
      ...schedules.map(({ serviceId }) => serviceId),
      ...hospital.services.filter(({ practitionerId }) => practitionerId === id).map((service) => service.id),
    ]);
    return {
      type: 'PractitionerRole',
      name: id,
      elements: (known) => ({
        active: available,
        practitioner: known.to('Practitioner', id),
        organization: known.to('Organization', hospital.institution.id),
        ...(specialty !== '' && { specialty: [{ text: specialty }] }),
        ...(places.length > 0 && { location: places.map((place) => known.to('Location', place)) }),
        ...(given.size > 0 && { healthcareService: [...given].map((each) => known.to('HealthcareService', each)) }),
        ...telecom(email, [{ type: 'cell-phone', value: phone }]),
        ...(schedules.length > 0 && { availableTime: schedules.map(toAvailableTime) }),
      }),
    };
  }),
});

const toAvailableTime = ({ days, from, to }: Schedule) => ({
  daysOfWeek: days.map((day) => day.slice(0, 3).toLowerCase()),
  availableStartTime: `${from}:00`,
  availableEndTime: `${to}:00`,
});

/** The ids of the locations that the words name, in their order, and of those at which the schedules are. */
function findPlaces(words: string, schedules: readonly Schedule[], { locations }: Hospital): string[] {
  const named = locations
    .filter(({ name }) => words.includes(name))
    .toSorted((a, b) => words.indexOf(a.name) - words.indexOf(b.name));
  return [...new Set([...named.map(({ id }) => id), ...schedules.map(({ locationId }) => locationId)])];
}
