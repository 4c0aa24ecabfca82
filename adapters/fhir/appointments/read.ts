import type { Appointment, AppointmentStatus, Call, Instant, Modality, Named } from '../../../src/ports/index.ts';
import { omitUndefined } from '../../../src/ports/omit-undefined.ts';
import { badAnswer } from '../../http-client/failures.ts';
import type { FhirContext } from '../context.ts';
import { computeMinutesBetween } from '../datatypes/dates.ts';
import { toCoverage } from '../insurance/read.ts';
import { formatPractitionerName } from '../practitioners/read.ts';
import type { SearchResult } from '../rest/bundle.ts';
import {
  type Concept,
  findCode,
  findExtension,
  formatConcept,
  parseReferenceId,
  type Reference,
} from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { appointmentStatuses, hl7 } from '../schema/terminology.ts';

type FhirAppointment = Resource<'Appointment'>;
type Appointments = SearchResult<'Appointment'>;

/** Undefined for a proposal, a waiting list entry or a mistake. */
export const toAppointmentStatus = ({ status }: FhirAppointment): AppointmentStatus | undefined =>
  (['active', 'canceled'] as const).find((each) => appointmentStatuses[each].includes(status));

/** Undefined when no category says it. */
export function toModality(categories: readonly Concept[] | undefined): Modality | undefined {
  const code = findCode(categories, hl7.actCode);
  return code === undefined ? undefined : code === 'VR' ? 'virtual' : 'in-person';
}

/** Whether it can be canceled now: as the institution says in an extension, else by the time that is left. */
export function isCancelable(appointment: FhirAppointment, { codes, settings }: FhirContext, now: Instant): boolean {
  const said = findExtension(appointment, codes.extension('appointment-cancelable'))?.valueBoolean;
  const { status, start } = appointment;
  if (toAppointmentStatus(appointment) !== 'active') return false;
  if (said !== undefined) return said;
  const left = start === undefined ? 0 : Date.parse(start) - Date.parse(now);
  return ['booked', 'pending'].includes(status) && left > 0 && left >= settings.cancelUntilHours * 3_600_000;
}

const listActors = ({ participant = [] }: FhirAppointment): Reference[] =>
  participant.map(({ actor }) => actor).filter((actor) => actor !== undefined);

/** Fetches what the appointments refer to and the server left out of its includes. */
export async function fetchReferenced(found: Appointments, { client }: FhirContext, call: Call): Promise<void> {
  const actors = found.matches.flatMap(listActors);
  await client.fetchMissing(found, 'PractitionerRole', actors, call);
  const people = actors.map((actor) => resolvePractitioner(actor, found));
  await client.fetchMissing(found, 'Practitioner', people, call);
  await client.fetchMissing(found, 'Location', actors, call);
  await client.fetchMissing(found, 'HealthcareService', actors, call);
  const coverages = found.matches.flatMap(({ supportingInformation = [] }) => supportingInformation);
  await client.fetchMissing(found, 'Coverage', coverages, call);
  const payors = coverages.map((each) => found.resolve(each, 'Coverage')?.payor?.[0]);
  await client.fetchMissing(found, 'Organization', payors, call);
}

/** The practitioner, where the actor is a role. */
const resolvePractitioner = (actor: Reference, found: Appointments): Reference =>
  found.resolve(actor, 'PractitionerRole')?.practitioner ?? actor;

/** @param patientId the patient who asks; an appointment may have several patients. */
export function toAppointment(
  appointment: FhirAppointment,
  patientId: string,
  found: Appointments,
  context: FhirContext,
  call: Call,
): Appointment {
  const { codes, zone } = context;
  const { start, end, minutesDuration } = appointment;
  const status = toAppointmentStatus(appointment);
  if (start === undefined || status === undefined) {
    throw badAnswer('incomplete_appointment', `Appointment/${start === undefined ? 'start' : 'status'}`);
  }
  const payment = findExtension(appointment, codes.extension('appointment-payment'));
  const link = findExtension(payment, 'link');
  const coverage = (appointment.supportingInformation ?? [])
    .map((each) => found.resolve(each, 'Coverage'))
    .find((each) => each !== undefined);
  return omitUndefined({
    id: appointment.id,
    patientId,
    start: zone.toLocalTime(start),
    minutes: minutesDuration ?? (end === undefined ? 0 : computeMinutesBetween(start, end)),
    status,
    modality: toModality(appointment.serviceCategory) ?? 'in-person',
    cancelable: isCancelable(appointment, context, call.now),
    practitioners: toPractitioners(appointment, found, context),
    location: toLocation(appointment, found),
    services: toServices(appointment, found),
    coverage: coverage && toCoverage(coverage, found.resolve(coverage.payor?.[0], 'Organization'), call.now, zone),
    payment: link && {
      link: link.valueUrl ?? link.valueUri ?? link.valueString ?? '',
      status: findExtension(payment, 'status')?.valueCode ?? '',
    },
    copay: findExtension(payment, 'copay')?.valueMoney?.value,
    authorization: findExtension(appointment, codes.extension('appointment-authorization'))?.valueBoolean,
  });
}

function toPractitioners(appointment: FhirAppointment, found: Appointments, { settings }: FhirContext): Named[] {
  return listActors(appointment).flatMap((actor) => {
    const person = resolvePractitioner(actor, found);
    const id = parseReferenceId(person, 'Practitioner');
    if (id === undefined) return [];
    const known = found.resolve(person, 'Practitioner');
    const name = formatPractitionerName(known?.name, settings.practitionerName);
    return { id, name: name || (actor.display ?? person.display ?? '') };
  });
}

function toServices(appointment: FhirAppointment, found: Appointments): Named[] {
  const named = listActors(appointment).flatMap((actor) => {
    const id = parseReferenceId(actor, 'HealthcareService');
    return id === undefined ? [] : { id, name: found.resolve(actor, 'HealthcareService')?.name ?? actor.display ?? '' };
  });
  if (named.length > 0) return named;
  return (appointment.serviceType ?? []).flatMap((type) => {
    const reference = findExtension(type, hl7.serviceReference)?.valueReference;
    const id = parseReferenceId(reference, 'HealthcareService');
    return id === undefined ? [] : { id, name: reference?.display ?? formatConcept(type) };
  });
}

/** The place, with an empty id and name where there is none, as for a remote appointment. */
function toLocation(appointment: FhirAppointment, found: Appointments): Named {
  const actors = listActors(appointment);
  const [ofService] = actors.flatMap((actor) => found.resolve(actor, 'HealthcareService')?.location ?? []);
  const place = actors.find((actor) => parseReferenceId(actor, 'Location')) ?? ofService;
  const name = found.resolve(place, 'Location')?.name ?? place?.display ?? '';
  return { id: parseReferenceId(place, 'Location') ?? '', name };
}
