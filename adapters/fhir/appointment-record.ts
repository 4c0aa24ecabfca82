import type { Appointment, AppointmentStatus, Call, Instant, Modality, Named } from '../../src/ports/index.ts';
import type { Backend } from './backend.ts';
import type { Found } from './bundle.ts';
import { appointmentStatuses, hl7 } from './codes.ts';
import { toCoverage } from './coverage.ts';
import { badAnswer } from './decode.ts';
import { type Concept, codeIn, extensionIn, idOf, type Reference, wordsOf } from './elements.ts';
import { minutesBetween } from './moments.ts';
import { calledName } from './person.ts';
import type { Resource } from './resources.ts';

type FhirAppointment = Resource<'Appointment'>;
type Appointments = Found<'Appointment'>;

/** Undefined for what is not an appointment yet, or never should have been. */
export const statusOf = ({ status }: FhirAppointment): AppointmentStatus | undefined =>
  (['active', 'canceled'] as const).find((each) => appointmentStatuses[each].includes(status));

/** Undefined when the category says nothing of it. */
export function modalityOf(categories: readonly Concept[] | undefined): Modality | undefined {
  const code = codeIn(categories, hl7.actCode);
  return code === undefined ? undefined : code === 'VR' ? 'virtual' : 'in-person';
}

/** Whether it can be canceled at that moment: the institution may say so itself, else the time that is left decides. */
export function isCancelable(appointment: FhirAppointment, { codes, settings }: Backend, now: Instant): boolean {
  const said = extensionIn(appointment, codes.extension('appointment-cancelable'))?.valueBoolean;
  const { status, start } = appointment;
  if (statusOf(appointment) !== 'active') return false;
  if (said !== undefined) return said;
  const left = start === undefined ? 0 : Date.parse(start) - Date.parse(now);
  return ['booked', 'pending'].includes(status) && left > 0 && left >= settings.cancelUntilHours * 3_600_000;
}

export const actorsOf = ({ participant = [] }: FhirAppointment): Reference[] =>
  participant.map(({ actor }) => actor).filter((actor) => actor !== undefined);

/** What an appointment refers to and a server may have left out of its includes. */
export async function completed(found: Appointments, { client }: Backend, call: Call): Promise<void> {
  const actors = found.matches.flatMap(actorsOf);
  const ids = <T extends string>(type: T) => actors.map((actor) => idOf(actor, type));
  await client.complete(found, 'PractitionerRole', ids('PractitionerRole'), call);
  const people = actors.map((actor) => idOf(personBehind(actor, found), 'Practitioner'));
  await client.complete(found, 'Practitioner', people, call);
  await client.complete(found, 'Location', ids('Location'), call);
  await client.complete(found, 'HealthcareService', ids('HealthcareService'), call);
  const coverages = found.matches.flatMap(({ supportingInformation = [] }) => supportingInformation);
  await client.complete(
    found,
    'Coverage',
    coverages.map((each) => idOf(each, 'Coverage')),
    call,
  );
  const payors = coverages.map((each) => idOf(found.follow(each, 'Coverage')?.payor?.[0], 'Organization'));
  await client.complete(found, 'Organization', payors, call);
}

/** An actor may be the role that somebody has. */
const personBehind = (actor: Reference, found: Appointments): Reference =>
  found.follow(actor, 'PractitionerRole')?.practitioner ?? actor;

/** @param patientId who of its patients asks: an appointment may be that of a group. */
export function toAppointment(
  appointment: FhirAppointment,
  patientId: string,
  found: Appointments,
  backend: Backend,
  call: Call,
): Appointment {
  const { codes, zone } = backend;
  const { start, end, minutesDuration } = appointment;
  const status = statusOf(appointment);
  if (start === undefined || status === undefined) {
    throw badAnswer('incomplete_appointment', `Appointment/${start === undefined ? 'start' : 'status'}`);
  }
  const services = servicesOf(appointment, found);
  const payment = extensionIn(appointment, codes.extension('appointment-payment'));
  const link = extensionIn(payment, 'link');
  const copay = extensionIn(payment, 'copay')?.valueMoney?.value;
  const authorization = extensionIn(appointment, codes.extension('appointment-authorization'))?.valueBoolean;
  const coverage = (appointment.supportingInformation ?? [])
    .map((each) => found.follow(each, 'Coverage'))
    .find((each) => each !== undefined);
  return {
    id: appointment.id,
    patientId,
    start: zone.localOf(start),
    minutes: minutesDuration ?? (end === undefined ? 0 : minutesBetween(start, end)),
    status,
    modality: modalityOf(appointment.serviceCategory) ?? 'in-person',
    cancelable: isCancelable(appointment, backend, call.now),
    practitioners: practitionersOf(appointment, found, backend),
    location: locationOf(appointment, found),
    services,
    ...(coverage && {
      coverage: toCoverage(coverage, found.follow(coverage.payor?.[0], 'Organization'), call.now, zone),
    }),
    ...(link && {
      payment: {
        link: link.valueUrl ?? link.valueUri ?? link.valueString ?? '',
        status: extensionIn(payment, 'status')?.valueCode ?? '',
      },
    }),
    ...(copay !== undefined && { copay }),
    ...(authorization !== undefined && { authorization }),
  };
}

function practitionersOf(appointment: FhirAppointment, found: Appointments, { settings }: Backend): Named[] {
  return actorsOf(appointment).flatMap((actor) => {
    const person = personBehind(actor, found);
    const id = idOf(person, 'Practitioner');
    if (id === undefined) return [];
    const known = found.follow(person, 'Practitioner');
    const name = calledName(known?.name, settings.practitionerName);
    return { id, name: name || (actor.display ?? person.display ?? '') };
  });
}

function servicesOf(appointment: FhirAppointment, found: Appointments): Named[] {
  const named = actorsOf(appointment).flatMap((actor) => {
    const id = idOf(actor, 'HealthcareService');
    return id === undefined ? [] : { id, name: found.follow(actor, 'HealthcareService')?.name ?? actor.display ?? '' };
  });
  if (named.length > 0) return named;
  return (appointment.serviceType ?? []).flatMap((type) => {
    const reference = extensionIn(type, hl7.serviceReference)?.valueReference;
    const id = idOf(reference, 'HealthcareService');
    return id === undefined ? [] : { id, name: reference?.display ?? wordsOf(type) };
  });
}

/** Where it takes place; a remote appointment may be nowhere. */
function locationOf(appointment: FhirAppointment, found: Appointments): Named {
  const actors = actorsOf(appointment);
  const [ofService] = actors.flatMap((actor) => found.follow(actor, 'HealthcareService')?.location ?? []);
  const place = actors.find((actor) => idOf(actor, 'Location')) ?? ofService;
  const name = found.follow(place, 'Location')?.name ?? place?.display ?? '';
  return { id: idOf(place, 'Location') ?? '', name };
}
