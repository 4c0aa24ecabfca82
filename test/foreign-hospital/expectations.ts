import { expect } from '@jest/globals';
import { showAddress } from '../../src/contract/resources.ts';

/** What a list says of the foreign hospital besides what it says of the good one. */
export interface Expectation {
  readonly route: `${'GET' | 'POST'} /${string}`;
  readonly body?: object;
  /** The fields of a row in which nothing is odd. */
  readonly usual?: object;
  /** By the name of what is shown, the fields in which it differs. */
  readonly shown: Readonly<Record<string, object>>;
  /** How many records are left out, by resource type and element. */
  readonly omitted: Readonly<Record<string, number>>;
}

export const anyTime = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/);
const paz = { id: 'Practitioner/paz', name: 'Dra. Julia Paz' };

const dni = { identifier_type: 'DNI', identifier: 31465466, gender: 'Female', birth_date: '1990-02-01' };
const unknownDetails = {
  name: 'Ana',
  last_name: 'Foránea',
  medical_record_id: '',
  phone: '',
  email: '',
  address: showAddress({}),
};
const search: Omit<Expectation, 'route'> = {
  usual: { ...dni, ...unknownDetails, status: 'Active' },
  shown: {
    'solo-anio': { birth_date: '' },
    'solo-mes': { birth_date: '' },
    'sin-fecha': { birth_date: '' },
    'dni-con-puntos': {},
    'dni-con-cero': {},
    'dni-viejo-con-puntos': {},
    'dni-secundario': { identifier_type: 'Passport', identifier: 'AAB999888' },
    'dni-con-periodo': {},
    'nombre-texto-coma': { name: 'Ana Lucía', last_name: 'Foránea' },
    'nombre-texto': { name: 'Ana Lucía Foránea', last_name: '' },
    'soltera-primero': { last_name: 'Casada' },
    'apodo-primero': { last_name: 'Usual' },
    'oficial-terminado': { last_name: 'Vigente' },
    'oficial-futuro': { last_name: 'Presente' },
    'solo-apodo': { name: 'Anita', last_name: '' },
    'solo-viejo': { last_name: 'Vieja' },
    temporal: { name: 'Femenino', last_name: 'NN' },
    'nombre-con-huecos': { name: 'Ana Lucía' },
    apellidos: { last_name: 'Paterna Materna' },
    'sin-nombre': { name: '', last_name: '' },
    'extension-ajena': {},
    'elementos-ajenos': {},
    'celular-terminado': { phone: '+54 11 5555-0902' },
    'contactos-raros': { email: 'foranea@example.org' },
    'domicilio-texto': { address: showAddress({ street: 'Casa 4, Barrio El Molino, Salta' }) },
    'domicilio-terminado': { address: showAddress({ street: 'Nueva 2', city: 'Salta' }) },
    'domicilio-lineas': { address: showAddress({ street: 'Ruta 9 km 1200, Finca Sur', country: 'Argentina' }) },
    'sin-genero': { gender: 'Other' },
    'genero-desconocido': { gender: 'Other' },
    inactiva: { status: 'Inactive' },
    've-tambien': {},
    sobreviviente: { identifier: 40111222, last_name: 'Sobreviviente' },
    'circulo-1': {},
    'circulo-2': {},
    'sin-sobreviviente': {},
    'cadena-3': { identifier: 40111224, last_name: 'Última' },
  },
  omitted: { 'Patient/gender': 1, 'Patient/birthDate': 1 },
};

const field = (id: string, type: string, tooltip = '') => ({ id, type, tooltip, validationRegex: '' });
const text = (id: string, value: string, tooltip = '') => ({ id, dataType: 'string', value, tooltip });
const file = (id: string, value = '') => ({ id, dataType: 'file', value, tooltip: '' });

const ticketTypes: Expectation = {
  route: 'GET /ticket_types',
  usual: { created_at: anyTime, updated_at: anyTime, status: 'active', description: '', fields: [] },
  shown: {
    'sin-titulo': { title: '' },
    'fecha-de-un-anio': { title: 'T fecha-de-un-anio', created_at: '2018-05-03T13:30:00.000Z' },
    'tipos-de-item': {
      title: 'T tipos-de-item',
      fields: [
        field('g.1', 'string'),
        field('g.2', 'string'),
        field('g.3', 'string'),
        field('g.4', 'number'),
        field('u', 'string'),
        field('h', 'string', 'hh:mm'),
      ],
    },
    'extension-ajena-tipo': { title: 'T extension-ajena-tipo', fields: [field('x', 'string', 'X')] },
  },
  omitted: { 'Questionnaire/item/linkId': 2, 'Questionnaire/status': 1 },
};

const tickets: Expectation = {
  route: 'GET /patients/{ana}/ticket/',
  usual: {
    createdAt: anyTime,
    updatedAt: anyTime,
    status: 'pending',
    ticket_type_id: '',
    observations: expect.any(String),
    fields: [],
  },
  shown: {
    'sin-foco': { observations: 'without a focus' },
    'solo-dia': { createdAt: '2024-05-03T03:00:00.000Z', updatedAt: '2024-05-04T03:00:00.000Z' },
    'solo-mes': { createdAt: '2024-05-01T03:00:00.000Z' },
    'sin-fecha': {},
    'sin-segundos': { createdAt: '2024-05-03T13:30:00.000Z' },
    'foco-borrado': {},
    'foco-logico': {},
    'foco-de-otro-tipo': {},
    'por-instancia': { ticket_type_id: 'Questionnaire/autorizacion' },
    'estado-propio': { status: 'en-auditoria' },
    'estado-en-palabras': { status: 'in_progress' },
    fallido: { status: 'rejected' },
    'extension-ajena-ticket': {},
    'otro-formulario': { ticket_type_id: 'encuesta', fields: [text('1.1', 'Bien', '¿Cómo está?')] },
    'sin-formulario': { fields: [text('a', 'x')] },
    'respuestas-raras': {
      ticket_type_id: 'Questionnaire/receta',
      fields: [
        text('peso', '72.5 kg'),
        text('hora', '08:30:00'),
        text('quien', 'Dr. Nombrado'),
        text('varias', 'una'),
        text('varias', 'otra'),
        text('anidada', 'true'),
        text('detalle', '2024-05'),
        text('con espacios', 'si'),
      ],
    },
    adjuntos: {
      ticket_type_id: 'Questionnaire/receta',
      fields: [file('borrado'), file('ajeno'), file('ficha'), file('vacio'), file('adentro', 'aG9sYQ==')],
    },
    'formulario-ilegible': {},
  },
  omitted: {
    'Binary/data': 3,
    'Questionnaire/item/linkId': 1,
    'Questionnaire/status': 1,
    'QuestionnaireResponse/item/linkId': 1,
    'Task/authoredOn': 1,
    'Task/status': 1,
  },
};

const by = (name: string, id = '') => ({ practitioner: { id, name } });
const unknownCoverage = { carrier: '', plan: '', credential_number: '', active: 'false' };
const appointments: Expectation = {
  route: 'GET /patients/{ana}/appointments',
  usual: {
    date: expect.stringMatching(/T10:00:00$/),
    status: 'active',
    modality: 'in-person',
    payments: {},
    health_insurances: {},
    practitioner: paz,
    cancelable: false,
    location: { id: '', description: '' },
    healht_care_service: [],
  },
  shown: {
    ausente: { ...by(''), status: 'canceled' },
    llegado: by(''),
    'medico-por-nombre': by('Dr. Por Nombre'),
    'medico-tipado': by('Dra. Tipada'),
    'medico-por-papel': by('Dra. Atiende'),
    'medico-contenido': by('Dra. Contenida'),
    'rol-contenido': by('Dr. Del Rol'),
    'medico-logico': by('Dr. Lógico'),
    'medico-de-otro': by('Dra. De Otro Lado'),
    'medico-borrado': by('Dr. Borrado', 'borrado'),
    'rol-por-nombre-turno': by('Dra. Por Nombre Rol'),
    'sin-medico': by(''),
    'participante-sin-actor': {},
    'de-a-dos': {},
    'cobertura-borrada': { health_insurances: unknownCoverage },
    'cobertura-ilegible': { health_insurances: unknownCoverage },
    'sin-duracion': {},
    'duracion-cero': {},
    'hasta-el-segundo': {},
    'al-reves': {},
    'pago-script': { payments: { status: 'pending' } },
    'pago-archivo': {},
    'pago-ajeno': { payments: { link: 'http://pagos.example.org/1', status: 'paid' } },
    'lugar-por-nombre': {
      location: { id: '', description: 'Anexo Sur' },
      healht_care_service: [{ id: '', description: 'Nutrición' }],
    },
    'lugar-contenido': {
      location: { id: '', description: 'Móvil sanitario' },
      healht_care_service: [{ id: '', description: 'Vacunación' }],
    },
    'categoria-ajena': {},
    'hora-en-utc': {},
    'extension-ajena-turno': {},
  },
  omitted: { 'Appointment/start': 4, 'Coverage/status': 1 },
};

const coverages: Expectation = {
  route: 'GET /patients/{ana}/health_insurances',
  usual: { carrier: 'OSDE', plan: '', credential_number: expect.stringMatching(/^F-/), active: 'true' },
  shown: {
    terminada: { active: 'false' },
    futura: { active: 'false' },
    borrador: { active: 'false' },
    propia: { carrier: 'PARTICULAR' },
    'pagador-por-nombre': { carrier: 'Mutual del Valle' },
    'pagador-logico': { carrier: 'OSPATCA' },
    'pagador-contenido': { carrier: 'Caja Contenida' },
    'pagador-borrado': { carrier: 'Obra Social Borrada' },
    'pagador-sin-nombre': { carrier: '' },
    'plan-en-tipo': { plan: 'Plan familiar' },
    'plan-sin-nombre': { plan: 'FAM-2' },
    'otra-clase': {},
    'sin-numero': { credential_number: '' },
    'numero-en-identificador': { credential_number: 'MB-77' },
    'periodo-sin-segundos': {},
    'extension-ajena-cobertura': {},
  },
  omitted: { 'Coverage/period/end': 1, 'Coverage/status': 1 },
};

const family: Expectation = {
  route: 'GET /patients/{ana}/family_group',
  usual: {
    related_patient_id: 'Patient/elena',
    relationship_code: 99,
    relationship_description: '',
    active: true,
  },
  shown: {
    'sin-parentesco': {},
    'parentesco-en-palabras': { relationship_description: 'madrina' },
    'parentesco-ajeno': { relationship_description: 'Tía abuela' },
    'no-activo': { active: false },
    'sin-activo': {},
    'extension-ajena-familiar': {},
  },
  omitted: { 'RelatedPerson/identifier/value': 1, 'RelatedPerson/period/end': 1 },
};

/** What belongs to a patient. */
export const patientLists: readonly Expectation[] = [
  { route: 'GET /patients/search?identifier_type=DNI&identifier=31465466', ...search },
  { route: 'GET /patients/search?identifier=31465466', ...search },
  ticketTypes,
  tickets,
  appointments,
  coverages,
  family,
];
