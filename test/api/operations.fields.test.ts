import { expect, test } from '@jest/globals';
import type * as port from '../../src/ports/index.ts';
import { createFakePort, performOperation } from '../support/fake-port.ts';

// Every field of a port's record has a value of its own here, so that two that changed places are seen. A record that gains a
// field does not compile until the field is here.

const address = {
  street: 'Mitre',
  number: '12',
  floor: '3',
  apartment: 'B',
  city: 'Junín',
  state: 'BA',
  country: 'Chile',
};

const patient: Required<port.Patient> = {
  id: 'p-1',
  name: 'Eva',
  lastName: 'Luz',
  gender: 'Female',
  birthDate: '1990-05-04',
  identifier: { type: 'DNI', value: '123' },
  medicalRecordId: 'HC-9',
  phone: '555',
  email: 'e@example.org',
  active: false,
  version: '3',
  address: { ...address, zipCode: 'C1' } satisfies Required<port.Address>,
};
/** The same under the names that Group A has for its fields. */
const toSnakeCase = (record: object): object =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name.replace(/[A-Z]/g, (each) => `_${each.toLowerCase()}`), value]),
  );

const { active: _active, version: _version, identifier: _identifier, ...restOfPatient } = patient;
const shownPatient = {
  ...toSnakeCase(restOfPatient),
  identifier_type: 'DNI',
  identifier: 123,
  address: toSnakeCase(patient.address),
};

const [createdAt, updatedAt, deletedAt] = [
  '2026-01-01T00:00:00.000Z',
  '2026-02-02T00:00:00.000Z',
  '2026-03-03T00:00:00.000Z',
];

const ticketType: Required<port.TicketType> = {
  id: 't-1',
  createdAt,
  updatedAt,
  status: 'active',
  title: 'Receta',
  description: 'De un remedio',
  fields: [
    { id: 'f-1', type: 'string', tooltip: 'Cuál', validationRegex: '.+' } satisfies Required<port.TicketTypeField>,
  ],
};

const ticket: Required<port.Ticket> = {
  id: 'k-1',
  createdAt,
  updatedAt,
  status: 'completed',
  ticketTypeId: 't-1',
  observations: 'Pronto',
  fields: [{ id: 'f-1', dataType: 'string', value: 'uno', tooltip: 'Cuál' } satisfies Required<port.TicketField>],
};
const { id: uid, ticketTypeId: ticket_type_id, ...restOfTicket } = ticket;

const slot: Required<port.Slot> = {
  id: 's-1',
  start: '2026-12-01T09:20:00',
  minutes: 20,
  serviceId: 'c-1',
  practitionerId: 'd-1',
  locationId: 'l-1',
  modality: 'virtual',
};
const coverage: Required<port.Coverage> = {
  id: 'v-1',
  patientId: 'p-1',
  planId: 'plan-1',
  carrier: 'OSDE',
  plan: '210',
  credentialNumber: '77',
  active: true,
};
const appointment: Required<port.Appointment> = {
  id: 'a-1',
  patientId: 'p-1',
  start: '2026-12-01T09:20:00',
  minutes: 20,
  status: 'canceled',
  modality: 'virtual',
  cancelable: false,
  practitioners: [
    { id: 'd-1', name: 'Dra. Paz' },
    { id: 'd-2', name: 'Dr. Vidal' },
  ],
  location: { id: 'l-1', name: 'Central' },
  services: [{ id: 'c-1', name: 'Clínica' }],
  coverage,
  payment: { link: 'https://pagos.example.org/1', status: 'paid' },
  copay: 10,
  authorization: true,
};
const shownCoverage = { carrier: 'OSDE', plan: '210', credential_number: '77', active: 'true' };

const practitioner: Required<port.Practitioner> = {
  id: 'd-1',
  name: 'Dra. Paz',
  specialty: 'Clínica',
  email: 'd@example.org',
  phone: '556',
  workingHours: 'Lunes',
  location: 'Central',
  available: true,
};
const { available: is_available, ...restOfPractitioner } = practitioner;
const shownPractitioner = { ...toSnakeCase(restOfPractitioner), is_available };

const service: Required<port.CareService> = {
  id: 'c-1',
  name: 'Clínica',
  description: 'Consulta',
  type: 'PRACTICA',
  active: true,
  offeredIn: 'Central',
  practitionerId: 'd-1',
  extraDetails: 'Piso 2',
  patientInstruction: 'En ayunas',
  integrationId: 'x-9',
  appointmentRequired: false,
  requiresAuthorization: true,
  availabilityExceptions: 'Feriados',
  minAge: 16,
  maxAge: 99,
  sexId: 2,
  createdAt,
  updatedAt,
  deletedAt,
};
const { type: _type, requiresAuthorization: _authorization, description: comment, ...restOfService } = service;
const shownService = { ...toSnakeCase(restOfService), comment };
const serviceRow = {
  ...{ id: 'c-1', name: 'Clínica', description: 'Consulta', type: 'PRACTICA', practitionerId: 'd-1' },
  ...{ appointmentRequired: false, requiresAuthorization: true },
};
const pagination = { totalPages: 1, totalElements: 1, page: 0, limit: 10, numberOfElements: 1 };
const page = { data: [serviceRow], pagination };
const time = { appointmentDate: '2026-12-01', appointmentStart: '09:20', minutesDuration: '20', modality: 'virtual' };
const place = { hcsId: 'c-1', locationId: 'l-1' };
const appointmentRow = {
  ...{ id: 'a-1', patientId: 'p-1', practitionersIds: ['d-1', 'd-2'], appointmentStatus: 'canceled' },
  ...{ patientCoverageId: 'v-1', copay: 10, authorization: true },
};
const request = {
  params: { id: 'p-1' },
  query: { patientId: 'p-1', patientCoverageId: 'v-1', health_care_service_id: 'c-1' },
  body: { hcsId: 'c-1' },
};

const entry: Required<port.DirectoryEntry> = {
  location: {
    id: 'l-1',
    name: 'Central',
    latitude: '-34.6',
    longitude: '-58.4',
    address: 'Mitre 12',
    zipCode: 'C1',
    email: 'l@example.org',
    phones: [{ type: 'fijo', value: '557' }],
  } satisfies Required<port.DirectoryLocation>,
  providers: [
    {
      id: 'o-1',
      name: 'Farmacia',
      description: 'De turno',
      type: 'pharmacy',
      email: 'o@example.org',
      phones: [{ type: 'móvil', value: '558' }],
      services: [{ id: 'q-1', name: 'Vacunas', description: 'Todas' }],
    } satisfies Required<port.DirectoryProvider>,
  ],
};
const [{ phones, services, ...restOfProvider } = {}] = entry.providers as port.DirectoryProvider[];
const { phones: phone, ...restOfPlace } = entry.location;

const plan = { id: 'plan-1', name: '210', active: false };

test.each([
  ['getPatient', 'get', patient, shownPatient],
  ['listTicketTypes', 'types', [ticketType], [toSnakeCase(ticketType)]],
  ['listTickets', 'list', [ticket], [{ ...restOfTicket, uid, ticket_type_id }]],
  [
    'listAppointments',
    'list',
    { items: [appointment], total: 1 },
    {
      appointments: [
        {
          id: 'a-1',
          date: '2026-12-01T09:20:00',
          status: 'canceled',
          modality: 'virtual',
          payments: { link: 'https://pagos.example.org/1', status: 'paid' },
          health_insurances: shownCoverage,
          practitioner: { id: 'd-1', name: 'Dra. Paz' },
          cancelable: false,
          location: { id: 'l-1', description: 'Central' },
          healht_care_service: [{ id: 'c-1', description: 'Clínica' }],
        },
      ],
    },
  ],
  [
    'searchAvailableAppointments',
    'slots',
    { items: [slot], total: 1 },
    {
      appointments: [
        {
          date: '2026-12-01T09:20:00',
          health_care_service_id: 'c-1',
          practitioner_id: 'd-1',
          location_id: 'l-1',
          mode: 'virtual',
        },
      ],
    },
  ],
  [
    'listCarriers',
    'carriers',
    [plan],
    { health_insurance_carriers: [{ id: 'plan-1', carrier: '210', active: 'false' }] },
  ],
  ['listPlans', 'plans', [plan], { health_insurance_plans: [{ id: 'plan-1', plan: '210', active: 'false' }] }],
  ['listHealthInsurances', 'coverages', [coverage], { health_insurances: [{ id: 'v-1', ...shownCoverage }] }],
  ['listPractitioners', 'list', [practitioner], { practitioner: [shownPractitioner] }],
  ['getMainPractitioner', 'mainOf', practitioner, shownPractitioner],
  [
    'listPractitionerChangeReasons',
    'changeReasons',
    [{ id: 'r-1', label: 'Mudanza' }],
    [{ id: 'r-1', status: 'Mudanza' }],
  ],
  ['searchHealthCareServices', 'available', [service], { health_care_services: [shownService] }],
  [
    'getAvailableSlots',
    'slots',
    { items: [slot], total: 1 },
    { data: [{ appointmentId: 's-1', practitionerId: 'd-1', ...place, ...time }], pagination },
  ],
  [
    'getAppointment',
    'list',
    { items: [appointment], total: 1 },
    { data: [{ ...appointmentRow, ...place, ...time }], pagination },
  ],
  ['getHealthCareService', 'available', [service], page],
  ['getFrequentHcs', 'frequent', [service], page],
  [
    'getMedicalDirectory',
    'entries',
    [entry],
    [
      {
        location: { ...toSnakeCase(restOfPlace), phone },
        provider: [{ ...restOfProvider, phone: phones, service: services }],
      },
    ],
  ],
  [
    'listLocations',
    'locations',
    [{ id: 'l-1', name: 'Central', address: patient.address }],
    { locations: [{ id: 'l-1', name: 'Central', address: shownPatient.address }] },
  ],
] as const)('%s shows what %s returned, each value in its field', async (operation, method, returned, body) => {
  const { port } = createFakePort({ [method]: () => returned });
  expect((await performOperation(operation, port, request)).body).toEqual(body);
});
