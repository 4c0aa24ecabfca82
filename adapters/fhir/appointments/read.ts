import { badAnswer } from '../../../src/http-client/failures.ts';
import type { Appointment, AppointmentStatus, Call, Coverage, Modality, Named } from '../../../src/ports/index.ts';
import { toRecord } from '../../../src/toolkit/records.ts';
import { isCancelable } from '../../common/booking.ts';
import { getServiceCode, isVirtual } from '../care-services/read.ts';
import type { FhirContext } from '../context.ts';
import { fetchPayors, toCoverage } from '../insurance/read.ts';
import { type LocationHierarchy, readHierarchy } from '../location-hierarchy.ts';
import type { MergedPerson } from '../patients/person.ts';
import { formatPractitionerName, toUnregistered } from '../practitioners/read.ts';
import type { SearchResult } from '../rest/search-result.ts';
import {
  type Actor,
  type Concept,
  type Extension,
  findCode,
  findExtension,
  formatConcept,
  getReferenceType,
  parseReferenceId,
  type Reference,
  toReference,
} from '../schema/datatypes.ts';
import { computeMinutesBetween, createIsInForce } from '../schema/read.ts';
import { type FhirService, findContained, type Resource } from '../schema/resources.ts';
import { appointmentStatuses, type Codes, hl7 } from '../schema/terminology.ts';

type FhirAppointment = Resource<'Appointment'>;
type FoundAppointments = SearchResult<'Appointment'>;

/** Undefined for a proposal, a waiting list entry or an error. */
export const toAppointmentStatus = ({ status }: FhirAppointment): AppointmentStatus | undefined =>
  (['active', 'canceled'] as const).find((each) => appointmentStatuses[each].includes(status));

/** The appointment's status, or `canceled` if this patient declined under any of the record ids. */
export function toStatusFor(ids: readonly string[], appointment: FhirAppointment): AppointmentStatus | undefined {
  const status = toAppointmentStatus(appointment);
  const { participant = [] } = appointment;
  const own = participant.filter(({ actor }) => ids.includes(parseReferenceId(actor, 'Patient') ?? ''));
  const hasDeclined = own.length > 0 && own.every((each) => each.status === 'declined');
  return status === 'active' && hasDeclined ? 'canceled' : status;
}

/** Undefined without a matching category. */
export function toModality(categories: readonly Concept[] | undefined): Modality | undefined {
  const code = findCode(categories, hl7.actCode);
  return code === undefined ? undefined : code === 'VR' ? 'virtual' : 'in-person';
}

/** True if another patient has the appointment too, and has not declined. */
const isOfOthers = (ids: readonly string[], appointment: FhirAppointment): boolean =>
  (appointment.participant ?? []).some(
    ({ actor, status }) =>
      actor &&
      status !== 'declined' &&
      getReferenceType(appointment, actor) === 'Patient' &&
      !ids.includes(parseReferenceId(actor, 'Patient') ?? ''),
  );

/**
 * True if the patient can cancel the appointment before its start. False if other patients have it too. Otherwise an
 * extension decides, or the time that is left.
 */
export function isCancelableNow(
  ids: readonly string[],
  appointment: FhirAppointment,
  { codes, settings }: FhirContext,
  call: Call,
): boolean {
  const said = findExtension(appointment, codes.extension('appointment-cancelable'))?.valueBoolean;
  const { start } = appointment;
  const status = toStatusFor(ids, appointment);
  if (status !== 'active' || isOfOthers(ids, appointment)) return false;
  if (said === false || start === undefined || !['booked', 'pending'].includes(appointment.status)) return false;
  return isCancelable({ status, begins: Date.parse(start) }, said ? 0 : settings.cancelUntilHours, call);
}

/** Lists the actors of the participants who have not declined. */
const listActors = ({ participant = [] }: FhirAppointment): Actor[] =>
  participant.flatMap(({ actor, status }) => (actor && status !== 'declined' ? actor : []));

/**
 * Lists the participants. If the appointment names no practitioner or no place, not even one who has declined, those of
 * the slot's schedule are added.
 */
type ListParticipants = (appointment: FhirAppointment) => readonly Participant[];
type Participant = NonNullable<FhirAppointment['participant']>[number];

async function fetchParticipants(
  found: FoundAppointments,
  { client }: FhirContext,
  call: Call,
): Promise<ListParticipants> {
  const listMissing = (each: FhirAppointment) => {
    const there = (each.participant ?? []).map(({ actor = {} }) => getReferenceType(each, actor) ?? '');
    return [['Practitioner', 'PractitionerRole'], ['Location']]
      .filter((types) => !types.some((type) => there.includes(type)))
      .flat();
  };
  const slots = found.matches.flatMap((each) => (listMissing(each).length > 0 ? (each.slot ?? []) : []));
  await client.fetchMissing(found, 'Slot', slots, call);
  const getSchedule = (slot: Reference) => found.resolve(slot, 'Slot')?.schedule;
  await client.fetchMissing(found, 'Schedule', slots.map(getSchedule), call);
  return (appointment) => {
    const { participant = [], slot = [] } = appointment;
    const missing = listMissing(appointment);
    const actors = slot.flatMap((each) => found.resolve(getSchedule(each), 'Schedule')?.actor ?? []);
    const added = actors.filter((actor) => missing.includes(getReferenceType(appointment, actor) ?? ''));
    const unique = new Map(added.map((actor) => [actor.reference, actor]));
    return [...participant, ...[...unique.values()].map((actor) => ({ actor }))];
  };
}

/** The references of appointments, beyond the included resources. */
export interface Referenced {
  readonly found: FoundAppointments;
  /** The services of the institution, if a service type has only a code. */
  readonly services: readonly FhirService[];
  readonly hierarchy: LocationHierarchy;
  readonly findPayor: (coverage: Resource<'Coverage'>) => Resource<'Organization'> | undefined;
  /** The appointment with all participants. */
  readonly complete: (appointment: FhirAppointment) => FhirAppointment;
}

/** Fetches referenced resources that the server did not include, and the hierarchy of the locations. */
export async function fetchReferenced(found: FoundAppointments, context: FhirContext, call: Call): Promise<Referenced> {
  const { client } = context;
  const listParticipants = await fetchParticipants(found, context, call);
  const complete = (each: FhirAppointment) => ({ ...each, participant: [...listParticipants(each)] });
  const appointments = found.matches.map(complete);
  const actors = appointments.flatMap(listActors);
  await client.fetchMissing(found, 'PractitionerRole', actors, call);
  const people = actors.map((actor) => found.resolve(actor, 'PractitionerRole')?.practitioner ?? actor);
  await client.fetchMissing(found, 'Practitioner', people, call);
  await client.fetchMissing(found, 'Location', actors, call);
  const types = appointments.filter((each) => !hasService(each)).flatMap(({ serviceType = [] }) => serviceType);
  const named = types.map(getNamedService);
  await client.fetchMissing(found, 'HealthcareService', [...actors, ...named], call);
  const system = context.codes.system('hcs');
  const isCoded = types.some((type) => !getNamedService(type) && findCode(type, system) !== undefined);
  const services = isCoded ? (await context.catalogue.services.get(call)).matches : [];
  const references = found.matches.flatMap(({ supportingInformation = [] }) => supportingInformation);
  await client.fetchMissing(found, 'Coverage', references, call);
  const coverages = references.map((each) => found.resolve(each, 'Coverage'));
  const findPayor = await fetchPayors(found, coverages, context, call);
  const locations = appointments.flatMap((each) => {
    const place = findPlace(each, found);
    return parseReferenceId(place, 'Location') === undefined ? [] : [found.resolve(place, 'Location')];
  });
  return { found, services, hierarchy: await readHierarchy(context, locations, call), findPayor, complete };
}

/** The context of an appointment for one of its patients. */
export interface ShownAppointment extends Referenced {
  readonly person: MergedPerson;
}

/** The appointment as the patient sees it. Throws bad_answer if it has no start. */
export function toAppointment(
  stored: FhirAppointment,
  shown: ShownAppointment,
  context: FhirContext,
  call: Call,
): Appointment {
  const { person, found, services, hierarchy, complete } = shown;
  const { ids } = person;
  const { codes, zone } = context;
  const appointment = complete(stored);
  const { start } = appointment;
  const status = toStatusFor(ids, appointment);
  if (start === undefined || status === undefined) {
    throw badAnswer('incomplete_appointment', `Appointment/${start === undefined ? 'start' : 'status'}`);
  }
  const payment = findExtension(appointment, codes.extension('appointment-payment'));
  return toRecord<Appointment>({
    id: appointment.id,
    patientId: ids[0],
    start: zone.toLocalTime(start),
    minutes: computeLength(appointment),
    status,
    modality:
      toModality(appointment.serviceCategory) ?? (isForVirtual(appointment, shown, codes) ? 'virtual' : 'in-person'),
    cancelable: isCancelableNow(ids, appointment, context, call),
    practitioners: toPractitioners(appointment, found, context, call),
    location: toLocation(appointment, found, hierarchy),
    services: toServices(appointment, found, services, codes),
    coverage: findCoverage(appointment, shown, context, call),
    payment: toPayment(payment),
    copay: findExtension(payment, 'copay')?.valueMoney?.value,
    authorization: findExtension(appointment, codes.extension('appointment-authorization'))?.valueBoolean,
  });
}

/** The patient's coverage. For an unknown or unreadable one, only the id is known. */
function findCoverage(
  { supportingInformation = [] }: FhirAppointment,
  { person: { ids }, found, findPayor }: ShownAppointment,
  context: FhirContext,
  call: Call,
): Coverage | undefined {
  const coverages = supportingInformation.flatMap((each) => {
    const id = parseReferenceId(each, 'Coverage');
    const coverage = found.resolve(each, 'Coverage');
    if (id === undefined) return [];
    if (coverage) return toCoverage(coverage, findPayor(coverage), call.now, context);
    const unknown = { planId: '', plan: '', credentialNumber: '', active: false };
    return { id, patientId: ids[0], carrier: each.display ?? '', ...unknown };
  });
  const own = coverages.find((each) => ids.includes(each.patientId));
  return own && { ...own, patientId: ids[0] };
}

/** In minutes: the stated length, or the time from start to end. 0 if neither is valid. */
function computeLength({ start = '', end = start, minutesDuration = 0 }: FhirAppointment): number {
  return minutesDuration > 0 ? Math.round(minutesDuration) : Math.max(computeMinutesBetween(start, end), 0);
}

/** A link that is not a web address is dropped: nobody can pay there. */
function toPayment(payment: Extension | undefined): Appointment['payment'] {
  const { valueUrl, valueUri, valueString } = findExtension(payment, 'link') ?? {};
  const link = valueUrl ?? valueUri ?? valueString;
  const status = findExtension(payment, 'status')?.valueCode;
  const isWebAddress = link !== undefined && URL.canParse(link) && /^https?:$/.test(new URL(link).protocol);
  return isWebAddress || status !== undefined ? { ...(isWebAddress && { link }), status: status ?? '' } : undefined;
}

/** Participation types that only practitioners have (R4, value set encounter-participant-type). */
const careGivers = ['ADM', 'ATND', 'CON', 'DIS', 'PPRF', 'REF', 'SPRF'];

/**
 * The practitioners who have not declined, in the order of the participants. A contained resource or a display text
 * identifies an unregistered one. A display text without a type counts as a practitioner only if there is no other.
 */
function toPractitioners(
  appointment: FhirAppointment,
  found: FoundAppointments,
  context: FhirContext,
  call: Call,
): Named[] {
  const named = (appointment.participant ?? []).flatMap(({ actor, type, status }) => {
    if (!actor || status === 'declined') return [];
    const gives = careGivers.includes(findCode(type, hl7.participationType) ?? '') ? 'Practitioner' : undefined;
    const kind = getReferenceType(appointment, actor) ?? gives;
    if (kind !== undefined && !['Practitioner', 'PractitionerRole'].includes(kind)) return [];
    const practitioner = toNamedPractitioner(actor, { appointment, found }, context, call);
    return practitioner ? { ...practitioner, isCertain: kind !== undefined } : [];
  });
  const certain = named.filter(({ isCertain }) => isCertain);
  return (certain.length > 0 ? certain : named).map(({ id, name }) => ({ id, name }));
}

function toNamedPractitioner(
  actor: Actor,
  { appointment, found }: { readonly appointment: FhirAppointment; readonly found: FoundAppointments },
  context: FhirContext,
  call: Call,
): Named | undefined {
  const role = found.resolve(actor, 'PractitionerRole');
  const person = role?.practitioner ?? actor;
  const id = parseReferenceId(person, 'Practitioner');
  const words = actor.display ?? person.display;
  if (id === undefined) {
    return toUnregistered(person, role ?? appointment, context, call) ?? (words ? { id: '', name: words } : undefined);
  }
  const known = found.resolve(person, 'Practitioner');
  const { practitionerName } = context.settings;
  const name = formatPractitionerName(known?.name, practitionerName, createIsInForce(call, context.zone));
  return { id, name: name || (words ?? '') };
}

const isService = (appointment: FhirAppointment, actor: Actor): boolean =>
  getReferenceType(appointment, actor) === 'HealthcareService';

const hasService = (appointment: FhirAppointment): boolean =>
  listActors(appointment).some((actor) => isService(appointment, actor));

type TypeOfAppointment = NonNullable<FhirAppointment['serviceType']>[number];

const getNamedService = (type: TypeOfAppointment): Reference | undefined =>
  findExtension(type, hl7.serviceReference)?.valueReference;

/** The id of the service of a service type: its reference, or its code. */
function findTypedServiceId(
  type: TypeOfAppointment,
  services: readonly FhirService[],
  codes: Codes,
): string | undefined {
  const system = codes.system('hcs');
  const code = findCode(type, system);
  const ofCode = services.find((each) => code !== undefined && getServiceCode(each, system) === code);
  return parseReferenceId(getNamedService(type), 'HealthcareService') ?? ofCode?.id;
}

/** The ids of the participating services. Without any, those of the service types. */
export function listServiceIds(
  appointment: FhirAppointment,
  services: readonly FhirService[],
  codes: Codes,
): readonly string[] {
  const actors = listActors(appointment).filter((actor) => isService(appointment, actor));
  const ids =
    actors.length > 0
      ? actors.map((actor) => parseReferenceId(actor, 'HealthcareService'))
      : (appointment.serviceType ?? []).map((type) => findTypedServiceId(type, services, codes));
  return [...new Set(ids)].filter((id) => id !== undefined);
}

/** True if a service of the appointment is virtual. */
const isForVirtual = (appointment: FhirAppointment, { found, services }: Referenced, codes: Codes): boolean =>
  listServiceIds(appointment, services, codes).some((id) => {
    const reference = toReference('HealthcareService', id);
    const service = found.resolve(reference, 'HealthcareService') ?? services.find((each) => each.id === id);
    return service !== undefined && isVirtual(service);
  });

/** The participating services. Without any, those of the service types, by reference, code or text. */
function toServices(
  appointment: FhirAppointment,
  found: FoundAppointments,
  services: readonly FhirService[],
  codes: Codes,
): Named[] {
  const named = listActors(appointment).flatMap((actor) => {
    if (!isService(appointment, actor)) return [];
    const name = found.resolve(actor, 'HealthcareService')?.name ?? actor.display ?? '';
    return { id: parseReferenceId(actor, 'HealthcareService') ?? '', name };
  });
  if (named.length > 0) return named;
  return (appointment.serviceType ?? []).flatMap((type) => {
    const reference = getNamedService(type);
    const id = findTypedServiceId(type, services, codes) ?? '';
    const service = found.resolve(reference, 'HealthcareService') ?? services.find((each) => each.id === id);
    const name = reference?.display ?? (formatConcept(type) || (service?.name ?? ''));
    return id || name ? { id, name } : [];
  });
}

/** The participating location. Without one, the first location of the service. */
function findPlace(appointment: FhirAppointment, found: FoundAppointments): Reference | undefined {
  const actors = listActors(appointment);
  const declined = (appointment.participant ?? []).flatMap(({ actor, status }) =>
    status === 'declined' ? (actor?.reference ?? []) : [],
  );
  const ofService = actors
    .flatMap((actor) => found.resolve(actor, 'HealthcareService')?.location ?? [])
    .find(({ reference }) => reference === undefined || !declined.includes(reference));
  return actors.find((actor) => getReferenceType(appointment, actor) === 'Location') ?? ofService;
}

/**
 * The id of the site with the name of the place. Both are empty for an appointment without a place, such as a remote
 * one.
 */
function toLocation(appointment: FhirAppointment, found: FoundAppointments, hierarchy: LocationHierarchy): Named {
  const place = findPlace(appointment, found);
  const contained = findContained(appointment, place, 'Location');
  const name = (found.resolve(place, 'Location') ?? contained)?.name ?? place?.display ?? '';
  const id = parseReferenceId(place, 'Location') ?? '';
  const site = hierarchy.findSite(id);
  if (!site || site.id === id) return { id, name };
  return { id: site.id, name: [site.name, name].filter(Boolean).join(', ') };
}
