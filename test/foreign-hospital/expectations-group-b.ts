import { expect } from '@jest/globals';
import type { Expectation } from './expectations.ts';

const badHours = {
  'PractitionerRole/availableTime/availableStartTime': 1,
  'PractitionerRole/availableTime/daysOfWeek': 1,
};

const unregistered = { practitionersIds: [] };
const active: Expectation['shown'] = {
  llegado: unregistered,
  'medico-por-nombre': unregistered,
  'medico-tipado': unregistered,
  'medico-por-papel': unregistered,
  'medico-contenido': unregistered,
  'rol-contenido': unregistered,
  'medico-logico': unregistered,
  'medico-de-otro': unregistered,
  'medico-borrado': { practitionersIds: ['borrado'] },
  'rol-por-nombre-turno': unregistered,
  'sin-medico': unregistered,
  'participante-sin-actor': {},
  'de-a-dos': {},
  'cobertura-borrada': { patientCoverageId: 'borrada' },
  'cobertura-ilegible': { patientCoverageId: 'Coverage/sin-estado' },
  'sin-duracion': { minutesDuration: '0' },
  'duracion-cero': { minutesDuration: '0' },
  'hasta-el-segundo': {},
  'al-reves': { minutesDuration: '0' },
  'pago-script': {},
  'pago-archivo': {},
  'pago-ajeno': {},
  'lugar-por-nombre': {},
  'lugar-contenido': {},
  'categoria-ajena': {},
  'hora-en-utc': {},
  'extension-ajena-turno': {},
};
const appointment = {
  patientId: 'Patient/ana',
  practitionersIds: ['Practitioner/paz'],
  hcsId: null,
  appointmentDate: expect.any(String),
  appointmentStart: '10:00',
  minutesDuration: '20',
  appointmentStatus: 'active',
  modality: 'in-person',
  patientCoverageId: null,
  copay: null,
  authorization: null,
  locationId: '',
};

const service = {
  description: '',
  type: 'CONSULTA',
  appointmentRequired: false,
  requiresAuthorization: false,
  practitionerId: '',
};
const patientAndCoverage = 'patientId={ana}&patientCoverageId={ana-osde}&limit=100';

const slot = (appointmentStart: string, minutesDuration = '20') => ({ appointmentStart, minutesDuration });

/** The lists of Group B, which come in pages. */
export const groupBLists: readonly Expectation[] = [
  {
    // A server finds by date only what has one that it understands: what has none is on no page of all appointments.
    route: 'GET /v1/appointments?patientId={ana}&limit=100',
    usual: appointment,
    shown: { ...active, ausente: { ...unregistered, appointmentStatus: 'canceled' } },
    omitted: { 'Appointment/start': 2, 'Coverage/status': 1 },
  },
  {
    route: 'GET /v1/appointments?patientId={ana}&limit=100&appointmentStatus=active',
    usual: appointment,
    shown: active,
    omitted: { 'Appointment/start': 4, 'Coverage/status': 1 },
  },
  {
    route: `GET /v1/health-care-services?${patientAndCoverage}`,
    usual: service,
    shown: {
      'servicio-minimo': { name: 'S servicio-minimo' },
      'servicio-sin-nombre': { name: '' },
      'servicio-por-categoria': { name: 'S servicio-por-categoria' },
      'servicio-lugar-por-nombre': { name: 'S servicio-lugar-por-nombre' },
      'servicio-de-otro': { name: 'S servicio-de-otro' },
      'servicio-programa-ajeno': { name: 'S servicio-programa-ajeno' },
      'servicio-adultos': { name: 'S servicio-adultos' },
      'servicio-creado': { name: 'S servicio-creado' },
      'servicio-extension-ajena': { name: 'S servicio-extension-ajena' },
    },
    omitted: { ...badHours, 'HealthcareService/extension': 1 },
  },
  {
    route: `GET /v1/frequent-health-care-services?${patientAndCoverage}`,
    shown: {},
    omitted: { 'Appointment/start': 2, 'HealthcareService/extension': 1 },
  },
  {
    route: `GET /v1/frequent-health-care-services/by-type?type=CONSULTA&${patientAndCoverage}`,
    shown: {},
    omitted: { 'Appointment/start': 2, 'HealthcareService/extension': 1 },
  },
  {
    route: 'GET /v1/insurance-carriers?limit=100',
    shown: {
      'carrier-sin-nombre': { name: '' },
      'carrier-dos-tipos': { name: 'O carrier-dos-tipos' },
      'carrier-parte': { name: 'O carrier-parte' },
      'carrier-parte-por-nombre': { name: 'O carrier-parte-por-nombre' },
      'carrier-extension-ajena': { name: 'O carrier-extension-ajena' },
    },
    omitted: { 'Organization/name': 1 },
  },
  {
    route: 'GET /v1/insurance-carriers/by-owner?ownerId={sanatorio-del-puente}&limit=100',
    shown: { 'carrier-sin-nombre': { name: '' }, 'carrier-parte': { name: 'O carrier-parte' } },
    omitted: { 'Organization/name': 1, 'OrganizationAffiliation/active': 1 },
  },
  {
    route: 'POST /v1/available-slots?limit=100',
    body: { hcsId: '{consulta-clinica}', dateConfig: { hourFrom: '06:00', hourTo: '09:00' } },
    usual: {
      hcsId: 'HealthcareService/consulta-clinica',
      practitionerId: 'Practitioner/paz',
      locationId: 'Location/central',
      appointmentDate: expect.any(String),
      modality: 'in-person',
    },
    shown: {
      'turno-agenda-ajena': slot('06:40'),
      'turno-hasta-59': slot('06:00'),
      'turno-siguiente': slot('06:20'),
      'turno-90-segundos': slot('08:10', '2'),
      'turno-sin-sobrecupo': slot('08:40', '15'),
    },
    omitted: { 'HealthcareService/extension': 1, 'Schedule/actor': 1, 'Slot/end': 1 },
  },
  {
    route: 'POST /v1/available-slots?limit=100',
    body: { hcsId: '{consulta-clinica}', dateConfig: { dateFrom: '{+30d}', dateTo: '{+32d}', hourFrom: '09:00' } },
    usual: {
      hcsId: 'HealthcareService/consulta-clinica',
      practitionerId: 'Practitioner/paz',
      locationId: 'Location/central',
      appointmentDate: expect.any(String),
      modality: 'in-person',
    },
    shown: {
      'turno-en-utc': slot('10:00'),
      'turno-servicio-en-palabras': slot('11:00'),
      'turno-categoria-ajena': slot('11:20'),
      'turno-extension-ajena': slot('12:00'),
    },
    omitted: { 'HealthcareService/extension': 1, 'Schedule/actor': 1, 'Slot/end': 1 },
  },
];
