import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Hospital, Refusal, types } from './hospital.mjs';

const toNamed = (each) => each && { uuid: each.uuid, name: each.name };
const toDate = (day) => `${day}T00:00:00.000-0300`;
/** The same uuid each time. */
const toUuid = (text) =>
  createHash('sha1')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
const preferred = (list) => list.find((each) => each.preferred) ?? null;

/** The representation `full` of webservices.rest. */
function toPatient({ uuid, identifiers, gender, birthdate, names, addresses, attributes, voided = false }) {
  return {
    uuid,
    identifiers: identifiers.map(({ type, identifier, preferred }) => ({
      uuid: toUuid(uuid + type),
      identifier,
      identifierType: { uuid: type },
      preferred,
      voided: false,
    })),
    person: {
      uuid,
      gender,
      birthdate: toDate(birthdate),
      preferredName: preferred(names),
      preferredAddress: preferred(addresses),
      names,
      addresses,
      attributes: [...attributes].map(([type, value]) => ({
        uuid: toUuid(uuid + type),
        value,
        attributeType: { uuid: type },
        voided: false,
      })),
      voided,
    },
    voided,
  };
}

const fhirGenders = { F: 'female', M: 'male', O: 'other' };

/** The Patient of the module fhir2: it leaves out what is empty. */
function toFhirPatient({ uuid, identifiers, gender, birthdate, names, addresses, attributes }) {
  const { givenName, familyName } = preferred(names);
  const address = preferred(addresses);
  const telecom = [...attributes].map(([type, value]) => ({
    id: toUuid(uuid + type),
    system: type === types.email ? 'email' : 'phone',
    value,
  }));
  return {
    resourceType: 'Patient',
    id: uuid,
    identifier: identifiers.map(({ type, identifier, preferred }) => ({
      use: preferred ? 'official' : 'usual',
      type: { coding: [{ code: type }] },
      value: identifier,
    })),
    active: true,
    name: [{ family: familyName, given: [givenName] }],
    ...(telecom.length > 0 && { telecom }),
    gender: fhirGenders[gender],
    birthDate: birthdate,
    ...(address && {
      address: [
        {
          city: address.cityVillage,
          state: address.stateProvince,
          postalCode: address.postalCode,
          country: address.country,
        },
      ],
    }),
  };
}

const toServiceDefault = ({ uuid, speciality, location, minutes, attributes }) => ({
  uuid,
  name: `${speciality.name}, ${location.name}`,
  startTime: '',
  endTime: '',
  durationMins: minutes,
  maxAppointmentsLimit: null,
  speciality: toNamed(speciality),
  location: toNamed(location),
  attributes: Object.entries(attributes).map(([attributeType, value]) => ({
    uuid: toUuid(uuid + attributeType),
    attributeType,
    value,
  })),
});
const toService = (service) => ({
  ...toServiceDefault(service),
  weeklyAvailability: service.days.map((dayOfWeek) => ({
    uuid: toUuid(service.uuid + dayOfWeek),
    dayOfWeek,
    startTime: service.from,
    endTime: service.to,
    maxAppointmentsLimit: null,
  })),
  serviceTypes: [],
});

const toAppointment = ({ patient, service, location, providers, ...appointment }) => ({
  ...appointment,
  patient: { uuid: patient.uuid, name: Object.values(preferred(patient.names)).slice(0, 2).join(' ') },
  service: toServiceDefault(service),
  serviceType: null,
  location: toNamed(location) ?? null,
  providers: providers.map(({ provider, response }) => ({ ...toNamed(provider), response, comments: null })),
  recurring: false,
  voided: false,
});

const toLocation = ({ tags, ...location }) => ({
  ...location,
  display: location.name,
  tags: tags.map((display) => ({ display })),
});
const toProvider = ({ attributes, name, ...provider }) => ({
  ...provider,
  display: `${provider.identifier} - ${name}`,
  person: { display: name },
  attributes: Object.entries(attributes).map(([display, value]) => ({ attributeType: { display }, value })),
  retired: false,
});
const toUnavailability = ({ service, provider, location, ...times }) => ({
  ...times,
  service: toNamed(service) ?? null,
  provider: toNamed(provider) ?? null,
  location: toNamed(location) ?? null,
});

/** A page of webservices.rest. */
function toPage(all, { startIndex = '0', limit = '50', totalCount }) {
  const from = Number(startIndex);
  const results = all.slice(from, from + Math.min(Number(limit), 100));
  return { results, ...(totalCount === 'true' && { totalCount: all.length }) };
}

function toBundle(found) {
  const entry = found.map((each) => ({ resource: toFhirPatient(each) }));
  return { resourceType: 'Bundle', type: 'searchset', total: found.length, ...(entry.length > 0 && { entry }) };
}

const rest = '/openmrs/ws/rest/v1';
/** Each route: method, path, and what it answers, from the hospital, its path, its query and its body; with a status if not 200. */
const routes = [
  ['GET', `${rest}/session`, (_, __, ___, ____, user) => ({ authenticated: true, user: { display: user } })],
  ['GET', `${rest}/patient`, findPatients],
  ['POST', `${rest}/patient`, (hospital, _, __, body) => toPatient(hospital.register(body)), 201],
  ['GET', `${rest}/patient/:uuid`, (hospital, uuid) => toPatient(hospital.find('patients', uuid))],
  ['POST', `${rest}/patient/:uuid`, (hospital, uuid, _, body) => toPatient(hospital.update(uuid, body))],
  [
    'GET',
    `${rest}/patient/:uuid/identifier`,
    (hospital, uuid) => ({ results: toPatient(hospital.find('patients', uuid)).identifiers }),
  ],
  ['GET', `${rest}/person/:uuid`, (hospital, uuid) => toPatient(hospital.find('patients', uuid)).person],
  ['POST', `${rest}/person/:uuid`, (hospital, uuid, _, person) => toPatient(hospital.update(uuid, { person })).person],
  [
    'GET',
    `${rest}/patientidentifiertype`,
    () => ({ results: ['dni', 'passport', 'record'].map((name) => ({ uuid: types[name], display: name })) }),
  ],
  ['GET', `${rest}/provider`, (hospital, _, query) => toPage(hospital.providers.map(toProvider), query)],
  ['GET', `${rest}/location`, findLocations],
  ['GET', `${rest}/speciality/all`, (hospital) => hospital.specialities],
  ['GET', `${rest}/appointmentService/all/full`, (hospital) => hospital.services.map(toService)],
  [
    'GET',
    `${rest}/appointmentUnavailability`,
    (hospital, _, query) => hospital.listUnavailabilities(query).map(toUnavailability),
  ],
  ['POST', `${rest}/appointment`, (hospital, _, __, body) => toAppointment(hospital.book(body))],
  ['POST', `${rest}/appointments/search`, (hospital, _, __, body) => hospital.search(body).map(toAppointment)],
  ['POST', `${rest}/appointments/conflicts`, findConflicts],
  [
    'POST',
    `${rest}/appointments/:uuid/status-change`,
    (hospital, uuid, _, body) => toAppointment(hospital.changeStatus(uuid, body)),
  ],
  [
    'GET',
    '/openmrs/ws/fhir2/R4/Patient',
    (hospital, _, { birthdate, gender }) =>
      toBundle(
        hospital.findByBirthDate(
          birthdate,
          gender && Object.keys(fhirGenders).find((key) => fhirGenders[key] === gender),
        ),
      ),
  ],
].map(([method, path, answer, status = 200]) => ({
  method,
  answer,
  status,
  pattern: new RegExp(`^${path.replace(':uuid', '([^/]+)')}$`),
}));

function findPatients(hospital, _, { identifier, q, ...query }) {
  if (identifier === undefined && q === undefined)
    throw new Refusal(405, 'The patient resource does not support get all');
  return toPage(hospital.findByIdentifier(identifier ?? q).map(toPatient), query);
}

function findLocations(hospital, _, { tag, ...query }) {
  return toPage(
    hospital.locations.filter(({ tags }) => tag === undefined || tags.includes(tag)).map(toLocation),
    query,
  );
}

function findConflicts(hospital, _, __, body) {
  const found = Object.entries(hospital.listConflicts(body)).map(([type, list]) => [type, list.map(toAppointment)]);
  if (found.length > 0) return Object.fromEntries(found);
  throw new Refusal(204, '');
}

/** Basic authentication, or the session that it began. */
function findUser({ authorization = '', cookie = '' }, users, sessions) {
  const [user, password] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':');
  if (user && users[user] === password) return user;
  return sessions.get(/JSESSIONID=([^;]+)/.exec(cookie)?.[1]);
}

/**
 * Starts a stand-in of the REST API of OpenMRS with the modules webservices.rest, fhir2 and Bahmni's appointments.
 * @param users passwords by their users.
 */
export async function startOpenmrs({ port = 0, users = { puente: 'secreta' } } = {}) {
  const hospital = new Hospital();
  const sessions = new Map();
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const { pathname, searchParams } = new URL(request.url, 'http://openmrs');
    let [status, content] = [404, { error: { message: 'Unknown resource' } }];
    try {
      const user = findUser(request.headers, users, sessions);
      if (!user) throw new Refusal(401, 'User is not logged in');
      const session = randomUUID();
      sessions.set(session, user);
      response.setHeader('Set-Cookie', `JSESSIONID=${session}; Path=/openmrs; HttpOnly`);
      const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
      for (const route of routes) {
        const [match, uuid] = (route.method === request.method && route.pattern.exec(pathname)) || [];
        if (!match) continue;
        content = route.answer(
          hospital,
          uuid && decodeURIComponent(uuid),
          Object.fromEntries(searchParams),
          body,
          user,
        );
        status = route.status;
        break;
      }
    } catch (error) {
      status = error instanceof Refusal ? error.status : 500;
      content = { error: { message: `[${error.message}]`, code: 'org.openmrs.module.webservices.rest:1', detail: '' } };
    }
    response.writeHead(status, { 'Content-Type': 'application/json;charset=UTF-8' });
    response.end(status === 204 ? undefined : JSON.stringify(content));
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/openmrs/ws`,
    hospital,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { PORT = '21620', OPENMRS_USER = 'puente', OPENMRS_PASSWORD = 'secreta' } = process.env;
  const { url } = await startOpenmrs({ port: Number(PORT), users: { [OPENMRS_USER]: OPENMRS_PASSWORD } });
  process.stdout.write(`OpenMRS answers at ${url}\n`);
}
