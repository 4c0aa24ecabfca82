import { showAddress } from '../../src/contract/resources.ts';
import { anyTime, type Expectation } from './expectations.ts';

const badHours = {
  'PractitionerRole/availableTime/availableStartTime': 1,
  'PractitionerRole/availableTime/daysOfWeek': 1,
};

const carriers = {
  'carrier-sin-nombre': { carrier: '' },
  'carrier-inactivo': { carrier: 'O carrier-inactivo', active: 'false' },
  'carrier-dos-tipos': { carrier: 'O carrier-dos-tipos' },
  'carrier-parte': { carrier: 'O carrier-parte' },
  'carrier-parte-por-nombre': { carrier: 'O carrier-parte-por-nombre' },
  'carrier-extension-ajena': { carrier: 'O carrier-extension-ajena' },
};

const doctor = { name: 'Luis Foráneo', specialty: '', email: '', phone: '', working_hours: '', location: '' };
const practitioners: Expectation = {
  route: 'GET /practitioner/',
  usual: { ...doctor, is_available: true },
  shown: {
    'medico-texto': { name: 'Dra. Texto, Solo', working_hours: 'Lun-Mié: 08:00-12:30', location: 'L anexo' },
    'medico-sin-nombre': { name: '' },
    'medico-oficial-terminado': { name: 'Eva Ahora', location: 'Anexo viejo; L anexo' },
    'medico-soltera': { name: 'Eva Soltera', location: 'L anexo', is_available: false },
    'medico-huecos': { name: 'Dr. Luis Huecos', location: 'L anexo', is_available: false },
    'medico-inactivo': { is_available: false },
    'medico-titulos': {
      specialty: 'Nefrología',
      working_hours: 'Sáb: 24h; Dom: desde 08:00; Lun-Dom: 20:00-23:59; Feriados no',
      location: 'L anexo',
    },
    'medico-telefono-terminado': { phone: '+54 11 5555-0911', location: 'L anexo' },
    'medico-extension-ajena': { location: 'L anexo' },
  },
  omitted: { ...badHours, 'Practitioner/name': 1 },
};

const services: Expectation = {
  route: 'GET /health-care-services/search',
  usual: {
    offered_in: '',
    practitioner_id: '',
    active: true,
    comment: '',
    extra_details: '',
    appointment_required: false,
    availability_exceptions: null,
    created_at: anyTime,
    updated_at: anyTime,
    deleted_at: null,
    patient_instruction: '',
    min_age: null,
    max_age: null,
    sex_id: null,
  },
  shown: {
    'servicio-minimo': { name: 'S servicio-minimo', integration_id: 'F_servicio-minimo' },
    'servicio-sin-nombre': { name: '', integration_id: 'F_servicio-sin-nombre' },
    'servicio-por-categoria': { name: 'S servicio-por-categoria', integration_id: 'F_cat' },
    'servicio-lugar-por-nombre': {
      name: 'S servicio-lugar-por-nombre',
      integration_id: 'F_servicio-lugar-por-nombre',
      offered_in: 'Anexo Oeste',
    },
    'servicio-de-otro': {
      name: 'S servicio-de-otro',
      integration_id: 'F_servicio-de-otro',
      offered_in: 'Cooperativa',
    },
    'servicio-programa-ajeno': { name: 'S servicio-programa-ajeno', integration_id: 'F_servicio-programa-ajeno' },
    'servicio-adultos': { name: 'S servicio-adultos', integration_id: 'F_servicio-adultos', min_age: 18 },
    'servicio-ninos': { name: 'S servicio-ninos', integration_id: 'F_servicio-ninos', max_age: 14 },
    'servicio-creado': {
      name: 'S servicio-creado',
      integration_id: 'F_servicio-creado',
      created_at: '2018-05-03T13:30:00.000Z',
      deleted_at: '2024-01-01T03:00:00.000Z',
    },
    'servicio-extension-ajena': { name: 'S servicio-extension-ajena', integration_id: 'F_servicio-extension-ajena' },
  },
  omitted: { ...badHours, 'HealthcareService/extension': 1 },
};

const person = { description: '', type: 'practitioner', email: '', phone: [], service: [] };
const somebody = (name: string, id: string, rest: object = {}) => ({ id, name, ...person, ...rest });
const place = { name: '', latitude: '', longitude: '', address: '', zip_code: '', email: '', phone: [] };
const at = (id: string, rest: object = {}) => ({
  location: { ...place, id: `Location/${id}`, name: `L ${id}`, ...rest },
  provider: [],
});
const directory: Expectation = {
  route: 'GET /api/medical-directory',
  shown: {
    anexo: {
      ...at('anexo'),
      provider: [
        somebody('Dra. Por Nombre Rol', '', {
          description: 'Fonoaudiología',
          phone: [{ type: 'phone', value: '+54 11 5555-0920' }],
        }),
        somebody('Dr. Contenido Rol', ''),
        somebody('Dra. Lógica Rol', ''),
        somebody('Dra. Texto, Solo', 'Practitioner/medico-texto'),
        somebody('Luis Foráneo', 'Practitioner/medico-titulos', { description: 'Nefrología' }),
        somebody('Eva Soltera', 'Practitioner/medico-soltera'),
        somebody('Eva Ahora', 'Practitioner/medico-oficial-terminado'),
        somebody('Luis Foráneo', 'Practitioner/medico-extension-ajena'),
        somebody('Luis Foráneo', 'Practitioner/medico-telefono-terminado', {
          phone: [{ type: 'phone', value: '+54 11 5555-0911' }],
        }),
      ],
    },
    'sin-estado-lugar': at('sin-estado-lugar'),
    'sin-nombre-lugar': at('sin-nombre-lugar', { name: '' }),
    'posicion-incompleta': at('posicion-incompleta', { longitude: '-58.4' }),
    'direccion-texto': at('direccion-texto', { address: 'Ruta 9 km 1200, Metán' }),
    'telefono-ilegible': at('telefono-ilegible'),
    'telefono-terminado': at('telefono-terminado', { phone: [{ type: 'cell-phone', value: '+54 9 11 5555-0931' }] }),
    'dueno-por-nombre': at('dueno-por-nombre'),
    'dueno-borrado': at('dueno-borrado'),
    'dueno-ilegible': at('dueno-ilegible'),
    'extension-ajena-lugar': at('extension-ajena-lugar'),
  },
  omitted: { ...badHours, 'HealthcareService/extension': 1, 'Location/telecom': 1, 'Organization/name': 1 },
};

const locations: Expectation = {
  route: 'GET /location/',
  usual: { address: showAddress({}) },
  shown: {
    anexo: { name: 'L anexo' },
    // A marked site among these has no managing organization, and so has this place.
    domicilio: {
      name: 'Enfermería a domicilio Del Sur',
      address: showAddress({ street: 'Sin atención al público; cobertura en zona sur y CABA' }),
    },
    'sin-estado-lugar': { name: 'L sin-estado-lugar' },
    'sin-nombre-lugar': { name: '' },
    'posicion-incompleta': { name: 'L posicion-incompleta' },
    'direccion-texto': { name: 'L direccion-texto', address: showAddress({ street: 'Ruta 9 km 1200, Metán' }) },
    'telefono-ilegible': { name: 'L telefono-ilegible' },
    'telefono-terminado': { name: 'L telefono-terminado' },
    'dueno-por-nombre': { name: 'L dueno-por-nombre' },
    'dueno-borrado': { name: 'L dueno-borrado' },
    'dueno-ilegible': { name: 'L dueno-ilegible' },
    'extension-ajena-lugar': { name: 'L extension-ajena-lugar' },
  },
  omitted: { 'Location/telecom': 1, 'Organization/name': 1 },
};

const slots: Expectation = {
  route: 'GET /available-appointments/search?health_care_service_id={consulta-clinica}',
  usual: {
    date: anyTime,
    health_care_service_id: 'HealthcareService/consulta-clinica',
    practitioner_id: 'Practitioner/paz',
    location_id: 'Location/central',
    mode: 'in-person',
  },
  shown: {
    '06:00': {},
    '06:20': {},
    '06:40': {},
    '08:10': {},
    '08:40': {},
    '10:00': {},
    '11:00': {},
    '11:20': {},
    '12:00': {},
  },
  omitted: { 'HealthcareService/extension': 1, 'Schedule/actor': 1, 'Slot/end': 1 },
};

/** What belongs to the institution. */
export const institutionLists: readonly Expectation[] = [
  {
    route: 'GET /health_insurance_carriers/',
    usual: { active: 'true' },
    shown: carriers,
    omitted: { 'Organization/name': 1 },
  },
  {
    route: 'GET /health_insurance_carriers/{osde}/health_insurance_plans/',
    usual: { active: 'true' },
    shown: {
      'plan-sin-nombre-ip': { plan: '' },
      'plan-sin-estado-ip': { plan: 'P plan-sin-estado-ip' },
      'plan-desconocido': { plan: 'P plan-desconocido', active: 'false' },
      'plan-producto': { plan: 'P plan-producto' },
    },
    omitted: { 'InsurancePlan/name': 1, 'Organization/name': 1 },
  },
  practitioners,
  services,
  slots,
  directory,
  locations,
];
