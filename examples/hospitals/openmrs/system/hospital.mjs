import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Argentina has been three hours behind UTC all the year since 2009. */
const ZONE_MS = -3 * 3_600_000;
const DAY_MS = 86_400_000;
const weekdays = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];
/** In this order a status can be changed, and not back. */
const statuses = ['Requested', 'WaitList', 'Scheduled', 'CheckedIn', 'Completed', 'Cancelled', 'Missed'];

/** The uuids that the mapping file names, too. */
export const types = {
  dni: '8d79403a-c2cc-11de-8d13-0010c6dffd0f',
  passport: '8d79403b-c2cc-11de-8d13-0010c6dffd0f',
  record: '05a29f94-c0ed-11e2-94be-8c13b969e334',
  phone: '14d4f066-15f5-102d-96e4-000c29c2a5d7',
  email: 'e3123cba-5e07-11ef-8f7c-0242ac120002',
};

/** Ends a request with a status, and the message that OpenMRS answers. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The local moment in milliseconds since 1970 (UTC). */
const toEpoch = (day, time) => Date.parse(`${day}T${time}Z`) - ZONE_MS;
const isUsed = (text) => typeof text === 'string' && text !== '';

/** What OpenMRS knows, with appointments around today. */
export class Hospital {
  /** What of each service stands in data.json under a short number. */
  constructor(file = new URL('data.json', import.meta.url)) {
    const { locations, providers, specialities, services, patients, appointments } = JSON.parse(
      readFileSync(file, 'utf8'),
    );
    const find = (list, end) => list.find(({ uuid }) => end !== undefined && uuid.endsWith(end));
    Object.assign(this, { locations, providers, specialities, unavailabilities: [] });
    this.services = services.map(({ number, speciality, location, provider, attributes, ...service }) => ({
      ...service,
      uuid: `5e500000-0000-4000-8000-00000000000${number}`,
      speciality: find(specialities, speciality),
      location: find(locations, location),
      attributes: { ...attributes, ...(provider && { Profesional: find(providers, provider).uuid }) },
    }));
    this.patients = patients.map(({ identifiers, name: [givenName, familyName], attributes, address, ...patient }) => ({
      ...patient,
      identifiers: identifiers.map(([type, identifier, preferred]) => ({ type: types[type], identifier, preferred })),
      names: [{ givenName, familyName, preferred: true }],
      addresses: address ? [{ ...address, preferred: true }] : [],
      attributes: new Map(Object.entries(attributes).map(([type, value]) => [types[type], value])),
    }));
    this.appointments = [];
    for (const each of appointments) this.#arrange(each, find);
  }

  #arrange({ days, time, firstFrom, service: number, patient, status }, find) {
    const service = this.services[number - 1];
    const day = days === undefined ? this.#findDay(service, firstFrom) : this.findLocalDay(days);
    const startDateTime = toEpoch(day, time ?? service.from);
    const provider = find(this.providers, service.attributes.Profesional);
    this.appointments.push({
      uuid: randomUUID(),
      patient: find(this.patients, patient),
      service,
      location: service.location,
      startDateTime,
      endDateTime: startDateTime + service.minutes * 60_000,
      appointmentKind: 'Scheduled',
      status,
      providers: [{ provider, response: 'ACCEPTED' }],
    });
  }

  /** The local day, so many days from today, as yyyy-MM-dd. */
  findLocalDay(days) {
    return new Date(Date.now() + ZONE_MS + days * DAY_MS).toISOString().slice(0, 10);
  }

  #findDay({ days }, from) {
    const all = Array.from({ length: 7 }, (_, i) => this.findLocalDay(from + i));
    return all.find((day) => days.includes(weekdays[new Date(day).getUTCDay()]));
  }

  /** @throws Refusal 404 */
  find(list, uuid) {
    const found = this[list].find((each) => each.uuid === uuid);
    if (!found) throw new Refusal(404, "Object with given uuid doesn't exist");
    return found;
  }

  findByIdentifier(identifier, type) {
    const isOf = (each) =>
      each.identifier.toUpperCase() === identifier.toUpperCase() && (type === undefined || each.type === type);
    return this.patients.filter(({ identifiers, voided }) => !voided && identifiers.some(isOf));
  }

  findByBirthDate(birthdate, gender) {
    const isOf = (each) => each.birthdate === birthdate && (gender === undefined || each.gender === gender);
    return this.patients.filter((each) => !each.voided && isOf(each));
  }

  /** Checks, and then writes: OpenMRS has no unique key on identifiers. */
  register({ person, identifiers = [] }) {
    if (!person?.gender || !person.birthdate || identifiers.length === 0) throw new Refusal(400, 'Invalid Submission');
    if (!person.names?.every((each) => isUsed(each.givenName) && isUsed(each.familyName)))
      throw new Refusal(400, 'Invalid Submission');
    // Identifiers of different types may be equal.
    const isUsedByAnother = ({ identifier, identifierType }) =>
      this.findByIdentifier(identifier, identifierType).length > 0;
    const used = identifiers.find(isUsedByAnother);
    if (used) throw new Refusal(400, `Identifier ${used.identifier} already in use by another patient`);
    const patient = {
      uuid: randomUUID(),
      identifiers: identifiers.map(({ identifier, identifierType, preferred = false }) => {
        if (!Object.values(types).includes(identifierType)) throw new Refusal(400, 'Invalid Submission');
        return { type: identifierType, identifier, preferred };
      }),
      names: [],
      addresses: [],
      attributes: new Map(),
    };
    this.#change(patient, person);
    this.patients.push(patient);
    return patient;
  }

  /** A name or an address that is given is a further one, and the preferred one from now on. */
  update(uuid, { person }) {
    const patient = this.find('patients', uuid);
    if (!person) throw new Refusal(400, 'Some required properties are missing: person');
    this.#change(patient, person);
    return patient;
  }

  #change(patient, { gender, birthdate, names = [], addresses = [], attributes = [] }) {
    if (gender) patient.gender = gender;
    if (birthdate) patient.birthdate = birthdate.slice(0, 10);
    for (const list of [
      ['names', names],
      ['addresses', addresses],
    ]) {
      const [key, [given]] = list;
      if (given)
        patient[key] = [...patient[key].map((each) => ({ ...each, preferred: false })), { ...given, preferred: true }];
    }
    for (const { attributeType, value } of attributes) {
      if (!Object.values(types).includes(attributeType)) throw new Refusal(400, 'Invalid Submission');
      if (isUsed(value)) patient.attributes.set(attributeType, value);
      else patient.attributes.delete(attributeType);
    }
  }

  /** Of a patient, or of all; the first ones alone where no end is given. */
  search({ patientUuid, startDate, endDate, status, limit }) {
    if (startDate === undefined) throw new Refusal(500, 'Either StartDate or EndDate not provided');
    const [from, to] = [startDate, endDate].map((each) => (each === undefined ? undefined : new Date(each).getTime()));
    const found = this.appointments.filter(
      (each) =>
        each.startDateTime >= from &&
        each.startDateTime <= (to ?? Number.POSITIVE_INFINITY) &&
        (patientUuid === undefined || each.patient.uuid === patientUuid) &&
        (status === undefined || each.status === status),
    );
    return found
      .toSorted((a, b) => a.startDateTime - b.startDateTime)
      .slice(0, limit ?? (to === undefined ? 50 : undefined));
  }

  /** Nothing keeps two from being at one time, neither of a practitioner nor of a patient. */
  book(request) {
    const appointment = { uuid: randomUUID(), ...this.#toAppointment(request), status: 'Scheduled' };
    this.appointments.push(appointment);
    return appointment;
  }

  #toAppointment({
    patientUuid,
    serviceUuid,
    locationUuid,
    startDateTime,
    endDateTime,
    appointmentKind,
    providers = [],
  }) {
    const found = (list, uuid) => this[list].find((each) => each.uuid === uuid);
    const [patient, service] = [found('patients', patientUuid), found('services', serviceUuid)];
    if (!patient || !service) throw new Refusal(400, 'Appointment cannot be created without Patient and Service');
    if (!['Scheduled', 'WalkIn', 'Virtual'].includes(appointmentKind)) throw new Refusal(400, 'No enum constant');
    return {
      patient,
      service,
      location: found('locations', locationUuid),
      startDateTime: new Date(startDateTime).getTime(),
      endDateTime: new Date(endDateTime).getTime(),
      appointmentKind,
      providers: providers.map(({ uuid, response = 'ACCEPTED' }) => {
        const provider = found('providers', uuid);
        if (!provider) throw new Refusal(400, 'Bad Request. No such provider.');
        return { provider, response };
      }),
    };
  }

  changeStatus(uuid, { toStatus }) {
    const appointment = this.appointments.find((each) => each.uuid === uuid);
    if (!appointment) throw new Refusal(500, 'Appointment does not exist');
    if (statuses.indexOf(toStatus) <= statuses.indexOf(appointment.status))
      throw new Refusal(500, `Appointment status can not be changed from ${appointment.status} to ${toStatus}`);
    appointment.status = toStatus;
    return appointment;
  }

  /** Of the patient's other appointments, and of the hours of the service; a practitioner has none. */
  listConflicts(request) {
    const wanted = this.#toAppointment(request);
    const { service, startDateTime, endDateTime } = wanted;
    const same = this.appointments.filter(
      (each) =>
        each.patient === wanted.patient &&
        each.status !== 'Cancelled' &&
        each.startDateTime < endDateTime &&
        startDateTime < each.endDateTime,
    );
    const [start, end] = [startDateTime, endDateTime].map((each) => new Date(each + ZONE_MS).toISOString());
    const isOpen =
      service.days.includes(weekdays[new Date(start.slice(0, 10)).getUTCDay()]) &&
      start.slice(11, 19) >= service.from &&
      end.slice(11, 19) <= service.to;
    return {
      ...(same.length > 0 && { PATIENT_DOUBLE_BOOKING: same }),
      ...(!isOpen && { SERVICE_UNAVAILABLE: [{ uuid: undefined, status: 'Scheduled', ...wanted }] }),
    };
  }

  listUnavailabilities({ startDate = '0001-01-01', endDate = '9999-12-31' }) {
    return this.unavailabilities.filter((each) => each.endDate >= startDate && each.startDate <= endDate);
  }
}
