import type { AppointmentParticipant, QuestionnaireItem, Task } from '@medplum/fhirtypes';
import { formatSlotId, listSlotStarts } from '../../../adapters/common/schedules.ts';
import { toElements } from '../../../adapters/fhir/patients/port.ts';
import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import { detectContentType, toAnswer } from '../../../adapters/fhir/tickets/answers.ts';
import { computeStart, toInstant } from '../../../adapters/memory/load-world.ts';
import type {
  Schedule,
  WorldAppointment,
  WorldFamilyMember,
  WorldPatient,
  WorldTicket,
  WorldTicketType,
} from '../../../adapters/memory/world-file.ts';
import type { LocalDateTime, TicketFieldType } from '../../ports/index.ts';
import { addDays } from '../../toolkit/zone.ts';
import { type Booking, type Context, type Seed, toAddress, toConcept, toCreatedAt, toTelecom } from './plan.ts';
import { getServiceCode } from './resources.ts';

export const buildPatients = (context: Context): Seed<'Patient'>[] =>
  context.world.patients.map((patient) => toPatient(patient, context));

function toPatient(patient: WorldPatient, { codes, world, ids }: Context): Seed<'Patient'> {
  const { id, active, phone, email, address, mainPractitionerId, ...person } = patient;
  const home = toAddress(address, 'home');
  return {
    id,
    resource: {
      resourceType: 'Patient',
      ...toElements({}, person, { codes, isInForce: () => true }),
      active,
      ...toTelecom(email, [{ type: 'cell-phone', value: phone }]),
      ...(Object.keys(home).length > 1 && { address: [home] }),
      ...(mainPractitionerId && { generalPractitioner: [ids.refer('Practitioner', mainPractitionerId)] }),
      managingOrganization: ids.refer('Organization', world.institution.id),
    },
  };
}

export function buildFamilyMembers(context: Context): Seed<'RelatedPerson'>[] {
  const patients = new Map(context.world.patients.map((patient) => [patient.id, patient]));
  return context.world.familyMembers.map((member) =>
    toRelatedPerson(member, patients.get(member.relatedPatientId)!, context),
  );
}

function toRelatedPerson(
  member: WorldFamilyMember,
  related: WorldPatient,
  { codes, relationships, ids }: Context,
): Seed<'RelatedPerson'> {
  const code = String(member.relationshipCode);
  const role = relationships[code];
  const { name, lastName, gender, birthDate } = related;
  const coding = [
    { system: codes.system('relationship'), code },
    ...(role === undefined ? [] : [{ system: hl7.roleCode, code: role }]),
  ];
  return {
    id: member.id,
    resource: {
      resourceType: 'RelatedPerson',
      identifier: [{ system: codes.sid('related-patient'), value: ids.getId('Patient', related.id) }],
      active: member.active,
      patient: ids.refer('Patient', member.patientId),
      relationship: [
        { coding, ...(member.relationshipDescription !== '' && { text: member.relationshipDescription }) },
      ],
      ...toElements({}, { name, lastName, gender, birthDate }, { codes, isInForce: () => true }),
    },
  };
}

/** An appointment of the world with its schedule and the times of its slot. */
interface PlacedAppointment extends WorldAppointment {
  readonly schedule: Schedule;
  readonly times: { readonly start: string; readonly end: string };
  /** The slot that it takes; none when it was canceled. */
  readonly slot: Seed<'Slot'> | undefined;
}

/** All appointments, those of the past too, but for those in a slot that a change of the clocks skips. */
export function placeAppointments(context: Context): PlacedAppointment[] {
  const schedules = new Map(context.world.schedules.map((schedule) => [schedule.id, schedule]));
  return context.world.appointments.flatMap((appointment) => {
    const schedule = schedules.get(appointment.scheduleId)!;
    const start = computeStart(appointment, context.today);
    const times = toTimes(schedule, start, context);
    if (!times) return [];
    const slot = appointment.status === 'active' ? buildSlot(schedule, start, context) : undefined;
    return { ...appointment, schedule, times, slot };
  });
}

/** The appointment as it is booked; its slot must have been created. */
export function buildBooking(appointment: PlacedAppointment, context: Context): Booking {
  const { id, schedule, times, patientId, coverageId, slot } = appointment;
  const { ids, now } = context;
  const slotId = slot && ids.getId('Slot', slot.id);
  const extension = toExtensions(appointment, context);
  const toParticipant = (
    actor: { readonly reference: string },
    required: AppointmentParticipant['required'] = 'required',
  ): AppointmentParticipant => ({ actor, required, status: 'accepted' });
  return {
    id,
    slotId,
    resource: {
      resourceType: 'Appointment',
      ...(extension.length > 0 && { extension }),
      status: !slot ? 'cancelled' : times.start < now ? 'fulfilled' : 'booked',
      ...toServiceElements(schedule, context),
      ...times,
      minutesDuration: schedule.minutes,
      ...(slot && { slot: [ids.refer('Slot', slot.id)] }),
      ...(coverageId !== undefined && { supportingInformation: [ids.refer('Coverage', coverageId)] }),
      participant: [
        toParticipant(ids.refer('Patient', patientId)),
        toParticipant(ids.refer('Practitioner', schedule.practitionerId)),
        toParticipant(ids.refer('Location', schedule.locationId)),
        toParticipant(ids.refer('HealthcareService', schedule.serviceId), 'information-only'),
      ],
    },
  };
}

function toExtensions({ payment, copay, authorization }: WorldAppointment, { codes, currency }: Context) {
  const parts = [
    ...(payment
      ? [
          { url: 'link', valueUrl: payment.link },
          { url: 'status', valueCode: payment.status },
        ]
      : []),
    ...(copay === undefined ? [] : [{ url: 'copay', valueMoney: { value: copay, currency } }]),
  ];
  return [
    ...(parts.length > 0 ? [{ url: codes.extension('appointment-payment'), extension: parts }] : []),
    ...(authorization === undefined
      ? []
      : [{ url: codes.extension('appointment-authorization'), valueBoolean: authorization }]),
  ];
}

export const buildCarriers = ({ world }: Context): Seed<'Organization'>[] =>
  world.carriers.map(({ id, name, active }) => ({
    id,
    resource: { resourceType: 'Organization', active, type: [toConcept(hl7.organizationType, 'ins')], name },
  }));

/** The plans that carriers sell; those of an inactive carrier are retired. */
export const buildPlans = ({ world, codes, ids }: Context): Seed<'InsurancePlan'>[] =>
  world.carriers.flatMap((carrier) =>
    carrier.plans.map(({ id, name, active }) => ({
      id,
      resource: {
        resourceType: 'InsurancePlan',
        identifier: [{ system: codes.sid('plan'), value: id }],
        status: active && carrier.active ? 'active' : 'retired',
        name,
        ownedBy: ids.refer('Organization', carrier.id),
      },
    })),
  );

/** Which institution has a contract with which carrier. */
export const buildContracts = ({ world, ids }: Context): Seed<'OrganizationAffiliation'>[] =>
  world.carriers.flatMap((carrier) =>
    carrier.owners.map((owner) => ({
      id: `${owner}-${carrier.id}`,
      resource: {
        resourceType: 'OrganizationAffiliation',
        active: true,
        organization: ids.refer('Organization', owner),
        participatingOrganization: ids.refer('Organization', carrier.id),
      },
    })),
  );

export function buildCoverages({ world, codes, ids }: Context): Seed<'Coverage'>[] {
  const sold = new Map(
    world.carriers.flatMap((carrier) => carrier.plans.map((plan) => [plan.id, { plan, carrier }] as const)),
  );
  return world.coverages.map(({ id, patientId, planId, credentialNumber, active }) => {
    const { plan, carrier } = sold.get(planId)!;
    const system = codes.sid(`credential/${ids.getId('Organization', carrier.id)}`);
    return {
      id,
      resource: {
        resourceType: 'Coverage',
        extension: [{ url: codes.extension('coverage-plan'), valueReference: ids.refer('InsurancePlan', planId) }],
        identifier: [{ type: toConcept(hl7.identifierType, 'MB'), system, value: credentialNumber }],
        status: active ? 'active' : 'cancelled',
        subscriberId: credentialNumber,
        beneficiary: ids.refer('Patient', patientId),
        payor: [{ ...ids.refer('Organization', carrier.id), display: carrier.name }],
        class: [{ type: toConcept(hl7.coverageClass, 'plan'), value: planId, name: plan.name }],
      },
    };
  });
}

export const buildSchedules = (context: Context): Seed<'Schedule'>[] =>
  context.world.schedules.map((schedule) => ({
    id: schedule.id,
    resource: {
      resourceType: 'Schedule',
      active: true,
      ...toServiceElements(schedule, context),
      actor: [
        context.ids.refer('Practitioner', schedule.practitionerId),
        context.ids.refer('Location', schedule.locationId),
      ],
    },
  }));

/** The slots of all schedules, of today and as many days after. */
export function buildSlots(days: number, context: Context): Seed<'Slot'>[] {
  const { world, today } = context;
  return Array.from({ length: days + 1 }, (_, ahead) => addDays(today, ahead)).flatMap((day) =>
    world.schedules.flatMap((schedule) =>
      listSlotStarts(schedule, day).flatMap((start) => buildSlot(schedule, start, context) ?? []),
    ),
  );
}

/** Undefined where a change of the clocks skips it. */
function buildSlot(schedule: Schedule, start: LocalDateTime, context: Context): Seed<'Slot'> | undefined {
  const times = toTimes(schedule, start, context);
  return (
    times && {
      id: formatSlotId(schedule, start),
      resource: {
        resourceType: 'Slot',
        ...toServiceElements(schedule, context),
        schedule: context.ids.refer('Schedule', schedule.id),
        status: 'free',
        ...times,
      },
    }
  );
}

/** Elements `start` and `end` of a slot; undefined where a change of the clocks skips it. */
function toTimes({ minutes }: Schedule, local: LocalDateTime, { zone }: Pick<Context, 'zone'>) {
  const epoch = zone.toEpoch(local);
  if (epoch === undefined) return undefined;
  return { start: new Date(epoch).toISOString(), end: new Date(epoch + minutes * 60_000).toISOString() };
}

/** Elements `serviceCategory`, the kind of visit, and `serviceType`, the service by code and by reference. */
function toServiceElements({ serviceId, modality }: Schedule, { world, codes, ids }: Context) {
  const service = world.services.find(({ id }) => id === serviceId)!;
  return {
    serviceCategory: [toConcept(hl7.actCode, modality === 'virtual' ? 'VR' : 'AMB')],
    serviceType: [
      {
        extension: [{ url: hl7.serviceReference, valueReference: ids.refer('HealthcareService', serviceId) }],
        ...toConcept(codes.system('hcs'), getServiceCode(service), service.name),
      },
    ],
  };
}

const itemTypes: Readonly<Record<TicketFieldType, QuestionnaireItem['type']>> = {
  string: 'string',
  date: 'date',
  number: 'decimal',
  boolean: 'boolean',
  file: 'attachment',
};

const taskStatuses: Readonly<Record<WorldTicket['status'], Task['status']>> = {
  pending: 'requested',
  in_progress: 'in-progress',
  completed: 'completed',
  rejected: 'rejected',
  canceled: 'cancelled',
};

export const buildTicketTypes = (context: Context): Seed<'Questionnaire'>[] =>
  context.world.ticketTypes.map((type) => toQuestionnaire(type, context));

/** The canonical URL by which answers name their questionnaire, the same on every server. */
const getCanonical = (typeId: string, { codes }: Context): string => codes.canonical('Questionnaire', typeId);

function toQuestionnaire(type: WorldTicketType, context: Context): Seed<'Questionnaire'> {
  const item = type.fields.map(({ id, type, tooltip, validationRegex }) => ({
    ...(validationRegex !== '' && { extension: [{ url: hl7.regex, valueString: validationRegex }] }),
    linkId: id,
    ...(tooltip !== '' && { text: tooltip }),
    type: itemTypes[type],
  }));
  return {
    id: type.id,
    resource: {
      resourceType: 'Questionnaire',
      extension: [toCreatedAt(type.created, context)],
      url: getCanonical(type.id, context),
      version: '1',
      title: type.title,
      status: type.status === 'active' ? 'active' : 'retired',
      ...(type.description !== '' && { description: type.description }),
      useContext: [
        {
          code: { system: 'http://terminology.hl7.org/CodeSystem/usage-context-type', code: 'workflow' },
          valueCodeableConcept: toConcept(context.codes.system('questionnaire-kind'), 'ticket-type'),
        },
      ],
      ...(item.length > 0 && { item }),
    },
  };
}

/** The answers of the tickets, which `buildTickets` refers to. */
export function buildTicketAnswers(context: Context): Seed<'QuestionnaireResponse'>[] {
  const { world, ids, zone, today } = context;
  const types = new Map(world.ticketTypes.map((type) => [type.id, type]));
  return world.tickets.map((ticket) => ({
    id: ticket.id,
    resource: {
      resourceType: 'QuestionnaireResponse',
      questionnaire: `${getCanonical(ticket.ticketTypeId, context)}|1`,
      status: 'completed',
      subject: ids.refer('Patient', ticket.patientId),
      authored: toInstant(ticket.created, today, zone),
      ...(ticket.fields.length > 0 && { item: toResponseItems(ticket, types.get(ticket.ticketTypeId), context.codes) }),
    },
  }));
}

const toResponseItems = ({ fields }: WorldTicket, type: WorldTicketType | undefined, codes: Context['codes']) =>
  fields.map(({ id, value }) => {
    const { type: fieldType = 'string' } = type?.fields.find((field) => field.id === id) ?? {};
    const answer = fieldType === 'file' ? toFile(value) : toAnswer(value, fieldType, itemTypes[fieldType], codes);
    return { linkId: id, answer: [answer] };
  });

const toFile = (base64: string) => ({
  valueAttachment: { contentType: detectContentType(Buffer.from(base64, 'base64')), data: base64 },
});

export const buildTickets = ({ world, codes, ids, zone, today }: Context): Seed<'Task'>[] =>
  world.tickets.map(({ id, patientId, status, observations, created, updated }) => ({
    id,
    resource: {
      resourceType: 'Task',
      status: taskStatuses[status],
      intent: 'order',
      code: toConcept(codes.system('task-kind'), 'ticket'),
      ...(observations !== '' && { description: observations }),
      focus: ids.refer('QuestionnaireResponse', id),
      for: ids.refer('Patient', patientId),
      authoredOn: toInstant(created, today, zone),
      lastModified: toInstant(updated, today, zone),
    },
  }));

/** Requests for another main practitioner. */
export function buildChangeRequests({ world, codes, ids, zone, today }: Context): Seed<'Task'>[] {
  const patients = new Map(world.patients.map((patient) => [patient.id, patient]));
  return world.changeRequests.map(({ id, patientId, practitionerId, reasonId, status, observations, created }) => {
    const current = patients.get(patientId)?.mainPractitionerId;
    const input = practitionerId !== undefined && {
      type: { text: 'requested-practitioner' },
      valueReference: ids.refer('Practitioner', practitionerId),
    };
    return {
      id,
      resource: {
        resourceType: 'Task',
        status: taskStatuses[status],
        intent: 'proposal',
        code: toConcept(codes.system('task-kind'), 'main-practitioner-change'),
        ...(observations !== '' && { description: observations }),
        ...(current !== undefined && { focus: ids.refer('Practitioner', current) }),
        for: ids.refer('Patient', patientId),
        requester: ids.refer('Patient', patientId),
        authoredOn: toInstant(created, today, zone),
        reasonCode: toConcept(codes.system('practitioner-change-reason'), reasonId),
        ...(input && { input: [input] }),
      },
    };
  });
}
