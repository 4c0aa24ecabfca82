import assert from 'node:assert/strict';
import type { CareService, DirectoryEntry, Named, Practitioner } from '../../ports/index.ts';
import type { Case } from '../case.ts';
import { getBody } from '../expect.ts';
import type { PortsSubject } from '../ports-subject.ts';
import type { Route } from '../subject.ts';

/**
 * What a port says stands in the documented field, value by value. Shapes cannot see two texts that changed places, and
 * these are records that requests alone cannot make.
 */
const shows = (
  needs: Case['needs'],
  route: Route,
  expected: (subject: PortsSubject) => Promise<unknown>,
  params: (subject: PortsSubject) => Readonly<Record<string, string>> = () => ({}),
): Case<PortsSubject> => ({
  id: `ports.${needs}.shown`,
  title: `${route} shows what ${needs} returned, each value in its field`,
  level: 'safe',
  needs,
  section: '2',
  run: async (subject) => {
    const body = await getBody(subject, { route, params: params(subject) });
    assert.deepEqual(body, JSON.parse(JSON.stringify(await expected(subject))));
  },
});

const complete = ({ fixtures }: PortsSubject) => ({ id: fixtures.patients.complete });

const toPractitioner = (practitioner: Practitioner) => ({
  id: practitioner.id,
  name: practitioner.name,
  specialty: practitioner.specialty,
  email: practitioner.email,
  phone: practitioner.phone,
  working_hours: practitioner.workingHours,
  location: practitioner.location,
  is_available: practitioner.available,
});

const toService = (service: CareService) => ({
  id: service.id,
  offered_in: service.offeredIn,
  practitioner_id: service.practitionerId,
  active: service.active,
  name: service.name,
  comment: service.description,
  extra_details: service.extraDetails,
  appointment_required: service.appointmentRequired,
  availability_exceptions: service.availabilityExceptions,
  created_at: service.createdAt,
  updated_at: service.updatedAt,
  deleted_at: service.deletedAt,
  patient_instruction: service.patientInstruction,
  integration_id: service.integrationId,
  min_age: service.minAge,
  max_age: service.maxAge,
  sex_id: service.sexId,
});

const toEntry = ({ location, providers }: DirectoryEntry) => ({
  location: {
    id: location.id,
    name: location.name,
    latitude: location.latitude,
    longitude: location.longitude,
    address: location.address,
    zip_code: location.zipCode,
    email: location.email,
    phone: location.phones.map(({ type, value }) => ({ type, value })),
  },
  provider: providers.map((provider) => ({
    id: provider.id,
    name: provider.name,
    description: provider.description,
    type: provider.type,
    email: provider.email,
    phone: provider.phones.map(({ type, value }) => ({ type, value })),
    service: provider.services.map(({ id, name, description }) => ({ id, name, description })),
  })),
});

const flag = (value: boolean): string => (value ? 'true' : 'false');
const described = ({ id, name }: Named) => ({ id, description: name });

export const fieldMappingCases: readonly Case<PortsSubject>[] = [
  shows(
    'patients.get',
    'GET /patients/{id}',
    async (s) => {
      const patient = await s.port('patients').get(s.fixtures.patients.complete, s.call());
      const { zipCode, ...address } = patient.address;
      return {
        id: patient.id,
        name: patient.name,
        last_name: patient.lastName,
        gender: patient.gender,
        birth_date: patient.birthDate,
        identifier_type: patient.identifier.type,
        identifier: Number(patient.identifier.value),
        medical_record_id: patient.medicalRecordId,
        phone: patient.phone,
        email: patient.email,
        address: { ...address, zip_code: zipCode },
      };
    },
    complete,
  ),
  shows('tickets.types', 'GET /ticket_types', async (s) =>
    (await s.port('tickets').types(s.call())).map((type) => ({
      id: type.id,
      created_at: type.createdAt,
      updated_at: type.updatedAt,
      status: type.status,
      title: type.title,
      description: type.description,
      fields: type.fields.map(({ id, type, tooltip, validationRegex }) => ({ id, type, tooltip, validationRegex })),
    })),
  ),
  shows(
    'tickets.list',
    'GET /patients/{id}/ticket/',
    async (s) =>
      (await s.port('tickets').list(s.fixtures.patients.complete, {}, s.call())).map((ticket) => ({
        uid: ticket.id,
        createdAt: ticket.createdAt,
        updatedAt: ticket.updatedAt,
        status: ticket.status,
        ticket_type_id: ticket.ticketTypeId,
        observations: ticket.observations,
        fields: ticket.fields.map(({ id, dataType, value, tooltip }) => ({ id, dataType, value, tooltip })),
      })),
    complete,
  ),
  shows(
    'appointments.list',
    'GET /patients/{id}/appointments',
    async (s) => {
      const { items } = await s.port('appointments').list(s.fixtures.patients.payer, { order: 'ascending' }, s.call());
      return {
        appointments: items.map((appointment) => ({
          id: appointment.id,
          date: appointment.start,
          status: appointment.status,
          modality: appointment.modality,
          payments: appointment.payment ?? {},
          health_insurances: appointment.coverage
            ? {
                carrier: appointment.coverage.carrier,
                plan: appointment.coverage.plan,
                credential_number: appointment.coverage.credentialNumber,
                active: flag(appointment.coverage.active),
              }
            : {},
          practitioner: appointment.practitioners[0],
          cancelable: appointment.cancelable,
          location: described(appointment.location),
          healht_care_service: appointment.services.map(described),
        })),
      };
    },
    ({ fixtures }) => ({ id: fixtures.patients.payer }),
  ),
  shows('insurance.carriers', 'GET /health_insurance_carriers/', async (s) => ({
    health_insurance_carriers: (await s.port('insurance').carriers({}, s.call())).map(({ id, name, active }) => ({
      id,
      carrier: name,
      active: flag(active),
    })),
  })),
  shows('practitioners.list', 'GET /practitioner/', async (s) => ({
    practitioner: (await s.port('practitioners').list(s.call())).map(toPractitioner),
  })),
  shows('practitioners.changeReasons', 'GET /practitioner/change_request/reasons', async (s) =>
    (await s.port('practitioners').changeReasons(s.call())).map(({ id, label }) => ({ id, status: label })),
  ),
  shows('care-services.available', 'GET /health-care-services/search', async (s) => ({
    health_care_services: (await s.port('care-services').available({}, s.call())).map(toService),
  })),
  shows('directory.entries', 'GET /api/medical-directory', async (s) =>
    (await s.port('directory').entries(s.call())).map(toEntry),
  ),
  shows('directory.locations', 'GET /location/', async (s) => ({
    locations: (await s.port('directory').locations(s.call())).map(({ id, name, address }) => {
      const { zipCode, ...rest } = address;
      return { id, name, address: { ...rest, zip_code: zipCode } };
    }),
  })),
  {
    id: 'ports.care-services.available.shown-in-b',
    title: 'Group B shows what care-services.available returned, each value in its field',
    level: 'safe',
    needs: 'care-services.available',
    section: '4.B',
    run: async (subject) => {
      const { patients, coverages } = subject.fixtures;
      const who = { patientId: patients.complete, coverageId: coverages.active };
      const services = await subject.port('care-services').available(who, subject.call());
      const { data } = await getBody<{ data: unknown[] }>(subject, {
        route: 'GET /v1/health-care-services',
        query: { patientId: who.patientId, patientCoverageId: who.coverageId, limit: '100' },
      });
      const rows = services.map((service) => ({
        id: service.id,
        name: service.name,
        description: service.description,
        type: service.type,
        appointmentRequired: service.appointmentRequired,
        requiresAuthorization: service.requiresAuthorization,
        practitionerId: service.practitionerId,
      }));
      assert.deepEqual(data, rows);
    },
  },
];
