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
    call: (s, call) => s.getPort('patients').search({ identifier: String(s.fixtures.identity.identifier) }, call),
    callWithId: null,
  },
  'patients.get': {
    call: (s, call) => s.getPort('patients').get(s.fixtures.patients.complete, call),
    callWithId: (s, id, call) => s.getPort('patients').get(id, call),
  },
  'tickets.types': { call: (s, call) => s.getPort('tickets').types(call), callWithId: null },
  'tickets.type': {
    call: (s, call) => s.getPort('tickets').type(s.fixtures.ticketType.id, call),
    callWithId: (s, id, call) => s.getPort('tickets').type(id, call),
  },
  'tickets.list': {
    call: (s, call) => s.getPort('tickets').list(s.fixtures.patients.complete, {}, call),
    callWithId: (s, id, call) => s.getPort('tickets').list(id, {}, call),
  },
  'appointments.list': {
    call: (s, call) => s.getPort('appointments').list(s.fixtures.patients.complete, { order: 'ascending' }, call),
    callWithId: (s, id, call) => s.getPort('appointments').list(id, { order: 'ascending' }, call),
  },
  'appointments.slots': {
    call: (s, call) => s.getPort('appointments').slots({ serviceId: s.fixtures.services.bookable }, call),
    callWithId: (s, id, call) => s.getPort('appointments').slots({ serviceId: id }, call),
  },
  'insurance.carriers': {
    call: (s, call) => s.getPort('insurance').carriers({}, call),
    callWithId: (s, id, call) => s.getPort('insurance').carriers({ ownerId: id }, call),
  },
  'insurance.plans': {
    call: (s, call) => s.getPort('insurance').plans(s.fixtures.carriers.withPlans.id, call),
    callWithId: (s, id, call) => s.getPort('insurance').plans(id, call),
  },
  'insurance.coverages': {
    call: (s, call) => s.getPort('insurance').coverages(s.fixtures.patients.complete, call),
    callWithId: (s, id, call) => s.getPort('insurance').coverages(id, call),
  },
  'practitioners.list': { call: (s, call) => s.getPort('practitioners').list(call), callWithId: null },
  'practitioners.mainOf': {
    call: (s, call) => s.getPort('practitioners').mainOf(s.fixtures.patients.complete, call),
    callWithId: (s, id, call) => s.getPort('practitioners').mainOf(id, call),
  },
  'practitioners.changeReasons': {
    call: (s, call) => s.getPort('practitioners').changeReasons(call),
    callWithId: null,
  },
  'practitioners.changeRequestOf': {
    call: (s, call) => s.getPort('practitioners').changeRequestOf(s.fixtures.patients.complete, call),
    callWithId: (s, id, call) => s.getPort('practitioners').changeRequestOf(id, call),
  },
  'care-services.available': {
    call: (s, call) => s.getPort('care-services').available(getEligibility(s), call),
    callWithId: (s, id, call) => s.getPort('care-services').available({ patientId: id }, call),
  },
  'care-services.frequent': {
    call: (s, call) => s.getPort('care-services').frequent(getEligibility(s), call),
    callWithId: (s, id, call) => s.getPort('care-services').frequent({ patientId: id, coverageId: id }, call),
  },
  'family-groups.list': {
    call: (s, call) => s.getPort('family-groups').list(s.fixtures.patients.complete, call),
    callWithId: (s, id, call) => s.getPort('family-groups').list(id, call),
  },
  'directory.locations': { call: (s, call) => s.getPort('directory').locations(call), callWithId: null },
  'directory.entries': { call: (s, call) => s.getPort('directory').entries(call), callWithId: null },
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
        write: (call) => s.getPort('patients').register(given, call),
        read: (call) => s.getPort('patients').search(criteria, call),
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
        write: (call) => s.getPort('patients').update(id, given, call),
        read: (call) => s.getPort('patients').get(id, call),
      };
    },
    callWithId: (s, id, call) => s.getPort('patients').update(id, { phone: '1' }, call),
  },
  'tickets.open': {
    requires: ['patients.register', 'tickets.list'],
    prepare: async (s) => {
      const id = await registerPatient(s);
      const { id: type, checked } = s.fixtures.ticketType;
      const given = { observations: 'Por favor', fields: [{ id: checked.id, value: checked.fits }] };
      return {
        given,
        write: (call) => s.getPort('tickets').open(id, type, given, call),
        read: (call) => s.getPort('tickets').list(id, {}, call),
      };
    },
    callWithId: (s, id, call) => s.getPort('tickets').open(id, id, { observations: '', fields: [] }, call),
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
        write: (call) => s.getPort('appointments').book(id, given, call),
        read: (call) => s.getPort('appointments').list(id, { order: 'ascending' }, call),
      };
    },
    callWithId: (s, id, call) =>
      s.getPort('appointments').book(id, { serviceId: id, practitionerIds: [id], start: '2030-01-01T10:00:00' }, call),
  },
  'appointments.cancel': {
    requires: ['patients.register', 'appointments.slots', 'appointments.book', 'appointments.list'],
    prepare: async (s) => {
      const id = await registerPatient(s);
      const appointmentId = await bookA(s, id, pickAny((await listSlotsA(s)).slice(-30)));
      return {
        given: undefined,
        write: (call) => s.getPort('appointments').cancel(id, appointmentId, call),
        read: (call) => s.getPort('appointments').list(id, { order: 'ascending' }, call),
      };
    },
    callWithId: (s, id, call) => s.getPort('appointments').cancel(s.fixtures.patients.complete, id, call),
  },
  'insurance.create': {
    requires: ['patients.register', 'insurance.coverages'],
    prepare: async (s) => {
      const beneficiaryId = await registerPatient(s);
      const given = { credentialNumber: String(createDni()), beneficiaryId, planId: s.fixtures.plans.accepted };
      return {
        given,
        write: (call) => s.getPort('insurance').create(given, call),
        read: (call) => s.getPort('insurance').coverages(beneficiaryId, call),
      };
    },
    callWithId: (s, id, call) =>
      s.getPort('insurance').create({ credentialNumber: '1', beneficiaryId: id, planId: id }, call),
  },
  'insurance.edit': {
    requires: ['patients.register', 'insurance.create', 'insurance.coverages'],
    prepare: async (s) => {
      const patientId = await registerPatient(s);
      const id = await createCoverage(s, patientId);
      const given = { planId: s.fixtures.plans.another };
      return {
        given,
        write: (call) => s.getPort('insurance').edit(id, given, call),
        read: (call) => s.getPort('insurance').coverages(patientId, call),
      };
    },
    callWithId: (s, id, call) => s.getPort('insurance').edit(id, { credentialNumber: '1' }, call),
  },
  'practitioners.requestChange': {
    requires: ['patients.register', 'practitioners.changeRequestOf'],
    prepare: async (s) => {
      const id = await registerPatient(s);
      const given = { reasonId: s.fixtures.changeReason, observations: 'Por la tarde' };
      return {
        given,
        write: (call) => s.getPort('practitioners').requestChange(id, given, call),
        read: (call) =>
          s
            .getPort('practitioners')
            .changeRequestOf(id, call)
            .catch(() => 'none'),
      };
    },
    callWithId: (s, id, call) => s.getPort('practitioners').requestChange(id, { reasonId: id }, call),
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
        write: (call) => s.getPort('family-groups').add(id, given, call),
        read: (call) => s.getPort('family-groups').list(id, call),
      };
    },
    callWithId: (s, id, call) =>
      s
        .getPort('family-groups')
        .add(id, { relatedPatientId: id, relationshipCode: 5, relationshipDescription: '', active: true }, call),
  },
  'family-groups.remove': {
    requires: ['patients.register', 'family-groups.add', 'family-groups.list'],
    prepare: async (s) => {
      const id = await registerPatient(s);
      const memberId = await addMember(s, id);
      return {
        given: undefined,
        write: (call) => s.getPort('family-groups').remove(id, memberId, call),
        read: (call) => s.getPort('family-groups').list(id, call),
      };
    },
    callWithId: (s, id, call) => s.getPort('family-groups').remove(s.fixtures.patients.complete, id, call),
  },
} satisfies { readonly [C in Capability]?: Write };
