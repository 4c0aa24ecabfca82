import type { Call, Capability } from '../../ports/index.ts';
import { addMember, bookA, createCoverage, createDni, findFreeSlot, pickAny, registerPatient } from '../arrange.ts';
import type { PortsSubject } from '../ports-subject.ts';
import { listSlotsA } from '../queries.ts';

/** Calls a method with an id, or with several that are all this one; null where the method takes no id. */
type CallWithId = ((subject: PortsSubject, id: string, call: Call) => Promise<unknown>) | null;

/** How to call a method that changes nothing. */
export interface Read {
  /** Asks for something that the fixtures hold. */
  readonly call: (subject: PortsSubject, call: Call) => Promise<unknown>;
  readonly callWithId: CallWithId;
}

/** How to call a method that changes something, with what it is given and where the change shows. */
export interface Write {
  readonly requires: readonly Capability[];
  /** Makes a patient for the write. */
  readonly prepare: (subject: PortsSubject) => Promise<{
    /** What the caller keeps in hand. */
    readonly given: unknown;
    readonly write: (call: Call) => Promise<unknown>;
    readonly read: (call: Call) => Promise<unknown>;
  }>;
  readonly callWithId: CallWithId;
}

/** The rows of a table with the capability that each is for. */
export const listRows = <R>(table: { readonly [C in Capability]?: R }) => Object.entries(table) as [Capability, R][];

/** The patient and the coverage that services are asked for. */
export const getEligibility = ({ fixtures }: PortsSubject) => ({
  patientId: fixtures.patients.complete,
  coverageId: fixtures.coverages.active,
});

/** Every read of every port: each capability that is no write has a row. */
export const reads: Readonly<Record<Exclude<Capability, keyof typeof writes>, Read>> = {
  'patients.search': {
    call: (s, call) => s.port('patients').search({ identifier: String(s.fixtures.identity.identifier) }, call),
    callWithId: null,
  },
  'patients.get': {
    call: (s, call) => s.port('patients').get(s.fixtures.patients.complete, call),
    callWithId: (s, id, call) => s.port('patients').get(id, call),
  },
  'tickets.types': { call: (s, call) => s.port('tickets').types(call), callWithId: null },
  'tickets.type': {
    call: (s, call) => s.port('tickets').type(s.fixtures.ticketType.id, call),
    callWithId: (s, id, call) => s.port('tickets').type(id, call),
  },
  'tickets.list': {
    call: (s, call) => s.port('tickets').list(s.fixtures.patients.complete, {}, call),
    callWithId: (s, id, call) => s.port('tickets').list(id, {}, call),
  },
  'appointments.list': {
    call: (s, call) => s.port('appointments').list(s.fixtures.patients.complete, { order: 'ascending' }, call),
    callWithId: (s, id, call) => s.port('appointments').list(id, { order: 'ascending' }, call),
  },
  'appointments.slots': {
    call: (s, call) => s.port('appointments').slots({ serviceId: s.fixtures.services.bookable }, call),
    callWithId: (s, id, call) => s.port('appointments').slots({ serviceId: id }, call),
  },
  'insurance.carriers': {
    call: (s, call) => s.port('insurance').carriers({}, call),
    callWithId: (s, id, call) => s.port('insurance').carriers({ ownerId: id }, call),
  },
  'insurance.plans': {
    call: (s, call) => s.port('insurance').plans(s.fixtures.carriers.withPlans.id, call),
    callWithId: (s, id, call) => s.port('insurance').plans(id, call),
  },
  'insurance.coverages': {
    call: (s, call) => s.port('insurance').coverages(s.fixtures.patients.complete, call),
    callWithId: (s, id, call) => s.port('insurance').coverages(id, call),
  },
  'practitioners.list': { call: (s, call) => s.port('practitioners').list(call), callWithId: null },
  'practitioners.mainOf': {
    call: (s, call) => s.port('practitioners').mainOf(s.fixtures.patients.complete, call),
    callWithId: (s, id, call) => s.port('practitioners').mainOf(id, call),
  },
  'practitioners.changeReasons': { call: (s, call) => s.port('practitioners').changeReasons(call), callWithId: null },
  'practitioners.changeRequestOf': {
    call: (s, call) => s.port('practitioners').changeRequestOf(s.fixtures.patients.complete, call),
    callWithId: (s, id, call) => s.port('practitioners').changeRequestOf(id, call),
  },
  'care-services.available': {
    call: (s, call) => s.port('care-services').available(getEligibility(s), call),
    callWithId: (s, id, call) => s.port('care-services').available({ patientId: id }, call),
  },
  'care-services.frequent': {
    call: (s, call) => s.port('care-services').frequent(getEligibility(s), call),
    callWithId: (s, id, call) => s.port('care-services').frequent({ patientId: id, coverageId: id }, call),
  },
  'family-groups.list': {
    call: (s, call) => s.port('family-groups').list(s.fixtures.patients.complete, call),
    callWithId: (s, id, call) => s.port('family-groups').list(id, call),
  },
  'directory.locations': { call: (s, call) => s.port('directory').locations(call), callWithId: null },
  'directory.entries': { call: (s, call) => s.port('directory').entries(call), callWithId: null },
};

/** Every write of every port. */
export const writes = {
  'patients.register': {
    requires: ['patients.search'],
    prepare: async (s) => {
      const given = {
        identifier: { type: 'DNI' as const, value: String(createDni()) },
        birthDate: '1992-04-17',
        gender: 'Female' as const,
        address: { city: 'Salta' },
      };
      const criteria = { identifier: given.identifier.value };
      return {
        given,
        write: (call) => s.port('patients').register(given, call),
        read: (call) => s.port('patients').search(criteria, call),
      };
    },
    callWithId: null,
  },
  'patients.update': {
    requires: ['patients.register', 'patients.get'],
    prepare: async (s) => {
      const id = await registerPatient(s);
      const given = { name: 'Irma', address: { city: 'Azul' } };
      return {
        given,
        write: (call) => s.port('patients').update(id, given, call),
        read: (call) => s.port('patients').get(id, call),
      };
    },
    callWithId: (s, id, call) => s.port('patients').update(id, { phone: '1' }, call),
  },
  'tickets.open': {
    requires: ['patients.register', 'tickets.list'],
    prepare: async (s) => {
      const id = await registerPatient(s);
      const { id: type, checked } = s.fixtures.ticketType;
      const given = { observations: 'Por favor', fields: [{ id: checked.id, value: checked.fits }] };
      return {
        given,
        write: (call) => s.port('tickets').open(id, type, given, call),
        read: (call) => s.port('tickets').list(id, {}, call),
      };
    },
    callWithId: (s, id, call) => s.port('tickets').open(id, id, { observations: '', fields: [] }, call),
  },
  'appointments.book': {
    requires: ['patients.register', 'appointments.slots', 'appointments.list'],
    prepare: async (s) => {
      const id = await registerPatient(s);
      const slot = await findFreeSlot(s);
      const given = {
        serviceId: slot.health_care_service_id,
        practitionerIds: [slot.practitioner_id],
        start: slot.date,
      };
      return {
        given,
        write: (call) => s.port('appointments').book(id, given, call),
        read: (call) => s.port('appointments').list(id, { order: 'ascending' }, call),
      };
    },
    callWithId: (s, id, call) =>
      s.port('appointments').book(id, { serviceId: id, practitionerIds: [id], start: '2030-01-01T10:00:00' }, call),
  },
  'appointments.cancel': {
    requires: ['patients.register', 'appointments.slots', 'appointments.book', 'appointments.list'],
    prepare: async (s) => {
      const id = await registerPatient(s);
      const appointmentId = await bookA(s, id, pickAny((await listSlotsA(s)).slice(-30)));
      return {
        given: undefined,
        write: (call) => s.port('appointments').cancel(id, appointmentId, call),
        read: (call) => s.port('appointments').list(id, { order: 'ascending' }, call),
      };
    },
    callWithId: (s, id, call) => s.port('appointments').cancel(s.fixtures.patients.complete, id, call),
  },
  'insurance.create': {
    requires: ['patients.register', 'insurance.coverages'],
    prepare: async (s) => {
      const beneficiaryId = await registerPatient(s);
      const given = { credentialNumber: String(createDni()), beneficiaryId, planId: s.fixtures.plans.accepted };
      return {
        given,
        write: (call) => s.port('insurance').create(given, call),
        read: (call) => s.port('insurance').coverages(beneficiaryId, call),
      };
    },
    callWithId: (s, id, call) =>
      s.port('insurance').create({ credentialNumber: '1', beneficiaryId: id, planId: id }, call),
  },
  'insurance.edit': {
    requires: ['patients.register', 'insurance.create', 'insurance.coverages'],
    prepare: async (s) => {
      const patientId = await registerPatient(s);
      const id = await createCoverage(s, patientId);
      const given = { planId: s.fixtures.plans.another };
      return {
        given,
        write: (call) => s.port('insurance').edit(id, given, call),
        read: (call) => s.port('insurance').coverages(patientId, call),
      };
    },
    callWithId: (s, id, call) => s.port('insurance').edit(id, { credentialNumber: '1' }, call),
  },
  'practitioners.requestChange': {
    requires: ['patients.register', 'practitioners.changeRequestOf'],
    prepare: async (s) => {
      const id = await registerPatient(s);
      const given = { reasonId: s.fixtures.changeReason, observations: 'Por la tarde' };
      return {
        given,
        write: (call) => s.port('practitioners').requestChange(id, given, call),
        read: (call) =>
          s
            .port('practitioners')
            .changeRequestOf(id, call)
            .catch(() => 'none'),
      };
    },
    callWithId: (s, id, call) => s.port('practitioners').requestChange(id, { reasonId: id }, call),
  },
  'family-groups.add': {
    requires: ['patients.register', 'family-groups.list'],
    prepare: async (s) => {
      const id = await registerPatient(s);
      const given = {
        relatedPatientId: await registerPatient(s),
        relationshipCode: 5,
        relationshipDescription: 'hermana',
        active: true,
      };
      return {
        given,
        write: (call) => s.port('family-groups').add(id, given, call),
        read: (call) => s.port('family-groups').list(id, call),
      };
    },
    callWithId: (s, id, call) =>
      s
        .port('family-groups')
        .add(id, { relatedPatientId: id, relationshipCode: 5, relationshipDescription: '', active: true }, call),
  },
  'family-groups.remove': {
    requires: ['patients.register', 'family-groups.add', 'family-groups.list'],
    prepare: async (s) => {
      const id = await registerPatient(s);
      const memberId = await addMember(s, id);
      return {
        given: undefined,
        write: (call) => s.port('family-groups').remove(id, memberId, call),
        read: (call) => s.port('family-groups').list(id, call),
      };
    },
    callWithId: (s, id, call) => s.port('family-groups').remove(s.fixtures.patients.complete, id, call),
  },
} satisfies { readonly [C in Capability]?: Write };
