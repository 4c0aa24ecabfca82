import { type Call, type Capability, Failure } from '../../ports/index.ts';
import {
  addMember,
  bookA,
  createCoverage,
  createDni,
  findFreeSlot,
  pickAny,
  prepareMember,
  registerPatient,
  takePatient,
  takePatientForChange,
  takeRelative,
  takeTicketPatient,
} from '../arrange.ts';
import { listSlotsA } from '../queries.ts';
import type { PortsSubject } from '../subject.ts';
import { noneYet, Skipped } from '../thrown.ts';

const changeRequestOf = (s: PortsSubject, id: string, call: Call): Promise<unknown> =>
  s.getPort('practitioners').changeRequestOf(id, call);

/** A relation that the system accepts, in the form of the port. */
async function findRelation(subject: PortsSubject) {
  const { relationship_code, relationship_description, active } = await prepareMember(subject, '');
  return { relationshipCode: relationship_code, relationshipDescription: relationship_description, active };
}

/** The reads without an id. */
const readsOfAll = {
  'patients.search': (s, call) =>
    s.getPort('patients').search({ identifier: String(s.fixtures.identity.identifier) }, call),
  'tickets.types': (s, call) => s.getPort('tickets').types(call),
  'practitioners.list': (s, call) => s.getPort('practitioners').list(call),
  'practitioners.changeReasons': (s, call) => s.getPort('practitioners').changeReasons(call),
  'directory.locations': (s, call) => s.getPort('directory').locations(call),
  'directory.entries': (s, call) => s.getPort('directory').entries(call),
} satisfies { readonly [C in Capability]?: (subject: PortsSubject, call: Call) => Promise<unknown> };

/** Searches for the next document number. */
const searchOther = (s: PortsSubject, call: Call): Promise<unknown> =>
  s.getPort('patients').search({ identifier: String(s.fixtures.identity.identifier + 1) }, call);

/** The reads by an id, which defaults to a fixture. Every read capability has an entry. */
const readsById: Readonly<
  Record<
    Exclude<Capability, keyof typeof readsOfAll | keyof typeof writesByName>,
    (subject: PortsSubject, call: Call, id?: string) => Promise<unknown>
  >
> = {
  'patients.get': (s, call, id = s.fixtures.patients.complete) => s.getPort('patients').get(id, call),
  'tickets.type': (s, call, id = s.fixtures.ticketType.id) => s.getPort('tickets').type(id, call),
  'tickets.list': (s, call, id = s.fixtures.patients.complete) => s.getPort('tickets').list(id, {}, call),
  'appointments.list': (s, call, id = s.fixtures.patients.complete) =>
    s.getPort('appointments').list(id, { order: 'ascending' }, call),
  'appointments.slots': (s, call, serviceId = s.fixtures.services.bookable) =>
    s.getPort('appointments').slots({ serviceId }, call),
  'insurance.carriers': (s, call, ownerId) =>
    s.getPort('insurance').carriers(ownerId === undefined ? {} : { ownerId }, call),
  'insurance.plans': (s, call, id = s.fixtures.carriers.withPlans.id) => s.getPort('insurance').plans(id, call),
  'insurance.coverages': (s, call, id = s.fixtures.patients.complete) => s.getPort('insurance').coverages(id, call),
  'practitioners.mainOf': (s, call, id = s.fixtures.patients.complete) => s.getPort('practitioners').mainOf(id, call),
  'practitioners.changeRequestOf': (s, call, id = s.fixtures.patients.complete) =>
    changeRequestOf(s, id, call).catch((error: unknown) => {
      const isNone = error instanceof Failure && error.code === 'no_change_request';
      const mayBeNone = id === s.fixtures.patients.complete && s.supports('practitioners.requestChange');
      throw isNone && mayBeNone ? new Skipped(noneYet) : error;
    }),
  'care-services.available': (s, call, patientId = s.fixtures.patients.complete) =>
    s.getPort('care-services').available({ patientId }, call),
  'care-services.frequent': ({ getPort, fixtures }, call, id) => {
    const who = { patientId: id ?? fixtures.patients.complete, coverageId: id ?? fixtures.coverages.active };
    return getPort('care-services').frequent(who, call);
  },
  'family-groups.list': (s, call, id = s.fixtures.patients.complete) => s.getPort('family-groups').list(id, call),
};

const writesByName = {
  'patients.register': {
    requires: ['patients.search'],
    prepare: async (s) => {
      const given = {
        identifier: { type: 'DNI' as const, value: String(createDni()) },
        birthDate: '1992-04-17',
        gender: 'Female' as const,
        phone: '+54 9 11 5555-0123',
        email: `contract-${createDni()}@example.org`,
        name: 'Olga',
        lastName: 'Prueba',
        address: { city: 'Salta' },
      };
      const criteria = { identifier: given.identifier.value };
      return {
        given,
        write: (call, other) => s.getPort('patients').register({ ...given, ...other }, call),
        others: async () => [{ identifier: { ...given.identifier, value: String(createDni()) } }],
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
        target: id,
        writeTo: (other, call) => s.getPort('patients').update(other, given, call),
        read: (call) => s.getPort('patients').get(id, call),
      };
    },
    callWithId: (s, id, call) => s.getPort('patients').update(id, { phone: '1' }, call),
  },
  'tickets.open': {
    requires: ['tickets.list'],
    prepare: async (s) => {
      const id = await takeTicketPatient(s);
      const { id: type, checked, date } = s.fixtures.ticketType;
      const text = { id: checked.id, value: checked.fits };
      const given = { observations: 'Por favor', fields: [text, { id: date, value: '2026-02-28' }] };
      return {
        given,
        write: (call, other, who = id) => s.getPort('tickets').open(who, type, { ...given, ...other }, call),
        others: async () => [
          { observations: 'Hoy' },
          { fields: [] },
          { fields: [text] },
          { fields: [text, { id: date, value: '2026-03-01' }] },
        ],
        read: (call) => s.getPort('tickets').list(id, {}, call),
        leaveSimilar: (call) => s.getPort('tickets').open(id, type, { ...given, observations: 'Ayer' }, call),
      };
    },
    callWithId: (s, id, call) => s.getPort('tickets').open(id, id, { observations: '', fields: [] }, call),
  },
  'appointments.book': {
    requires: ['appointments.slots', 'appointments.list'],
    prepare: async (s) => {
      const id = await takePatient(s);
      const { health_care_service_id: serviceId, practitioner_id, date: start } = await findFreeSlot(s);
      const given = { serviceId, practitionerIds: [practitioner_id], start };
      return {
        given,
        write: (call, other, who = id) => s.getPort('appointments').book(who, { ...given, ...other }, call),
        others: async () => {
          const ofSame = await listSlotsA(s, { practitioner_id });
          const later = ofSame.findLast(({ date }) => date !== start);
          return [{ authorization: true }, { copay: 1500 }, ...(later ? [{ start: later.date }] : [])];
        },
        read: (call) => s.getPort('appointments').list(id, { order: 'ascending' }, call),
        leaveSimilar: async (call) => {
          if (!s.supports('appointments.cancel') || s.fixtures.rules?.includes('no-canceling')) return;
          const canceled = await s.getPort('appointments').book(id, given, call);
          await s.getPort('appointments').cancel(id, canceled.id, call);
        },
      };
    },
    callWithId: (s, id, call) =>
      s.getPort('appointments').book(id, { serviceId: id, practitionerIds: [id], start: '2030-01-01T10:00:00' }, call),
  },
  'appointments.cancel': {
    requires: ['appointments.slots', 'appointments.book', 'appointments.list'],
    prepare: async (s) => {
      const id = await takePatient(s);
      const appointmentId = await bookA(s, id, pickAny((await listSlotsA(s)).slice(-30)));
      return {
        given: undefined,
        write: (call) => s.getPort('appointments').cancel(id, appointmentId, call),
        target: appointmentId,
        writeTo: (other, call) => s.getPort('appointments').cancel(id, other, call),
        read: (call) => s.getPort('appointments').list(id, { order: 'ascending' }, call),
      };
    },
    callWithId: (s, id, call) => s.getPort('appointments').cancel(s.fixtures.patients.complete, id, call),
  },
  'insurance.create': {
    requires: ['insurance.coverages'],
    prepare: async (s) => {
      const beneficiaryId = await takePatient(s);
      const given = { credentialNumber: String(createDni()), beneficiaryId, planId: s.fixtures.plans.accepted };
      return {
        given,
        write: (call, other) => s.getPort('insurance').create({ ...given, ...other }, call),
        others: async () => [{ credentialNumber: String(createDni()) }, { planId: s.fixtures.plans.another }],
        read: (call) => s.getPort('insurance').coverages(beneficiaryId, call),
      };
    },
    callWithId: (s, id, call) =>
      s.getPort('insurance').create({ credentialNumber: '1', beneficiaryId: id, planId: id }, call),
  },
  'insurance.edit': {
    requires: ['insurance.create', 'insurance.coverages'],
    prepare: async (s) => {
      const patientId = await takePatient(s);
      const id = await createCoverage(s, patientId);
      const given = { planId: s.fixtures.plans.another };
      return {
        given,
        write: (call) => s.getPort('insurance').edit(id, given, call),
        target: id,
        writeTo: (other, call) => s.getPort('insurance').edit(other, given, call),
        read: (call) => s.getPort('insurance').coverages(patientId, call),
      };
    },
    callWithId: (s, id, call) => s.getPort('insurance').edit(id, { credentialNumber: '1' }, call),
  },
  'practitioners.requestChange': {
    requires: ['practitioners.changeRequestOf'],
    prepare: async (s) => {
      const id = await takePatientForChange(s);
      const given = { reasonId: s.fixtures.changeReason, observations: 'Por la tarde' };
      return {
        given,
        write: (call, other, who = id) => s.getPort('practitioners').requestChange(who, { ...given, ...other }, call),
        others: async () => [{ observations: 'Hoy' }, { practitionerId: s.fixtures.practitioners.second }],
        read: (call) =>
          changeRequestOf(s, id, call).catch((error: unknown) => {
            if (error instanceof Failure && error.code === 'no_change_request') return 'none';
            throw error;
          }),
      };
    },
    callWithId: (s, id, call) => s.getPort('practitioners').requestChange(id, { reasonId: id }, call),
  },
  'family-groups.add': {
    requires: ['family-groups.list'],
    prepare: async (s) => {
      const id = await takePatient(s);
      const given = { relatedPatientId: await takeRelative(s, id), ...(await findRelation(s)) };
      return {
        given,
        write: (call, other) => s.getPort('family-groups').add(id, { ...given, ...other }, call),
        others: async () => [{ relatedPatientId: await takeRelative(s, id) }],
        read: (call) => s.getPort('family-groups').list(id, call),
      };
    },
    callWithId: async (s, id, call) =>
      s.getPort('family-groups').add(id, { relatedPatientId: id, ...(await findRelation(s)) }, call),
  },
  'family-groups.remove': {
    requires: ['family-groups.add', 'family-groups.list'],
    prepare: async (s) => {
      const id = await takePatient(s);
      const memberId = await addMember(s, id);
      return {
        given: undefined,
        write: (call) => s.getPort('family-groups').remove(id, memberId, call),
        target: memberId,
        writeTo: (other, call) => s.getPort('family-groups').remove(id, other, call),
        read: (call) => s.getPort('family-groups').list(id, call),
      };
    },
    callWithId: (s, id, call) => s.getPort('family-groups').remove(s.fixtures.patients.complete, id, call),
  },
} satisfies { readonly [C in Capability]?: Omit<Write, 'needs'> };

const toRows = <T>(byName: Readonly<Record<string, T>>) => Object.entries(byName) as [Capability, T][];

/** Every read of every port. */
export const reads: readonly Read[] = [
  ...toRows(readsOfAll).map(
    ([needs, call]): Read => ({
      needs,
      requires: [],
      call,
      callOther: needs === 'patients.search' ? searchOther : call,
      callWithId: null,
    }),
  ),
  ...toRows(readsById).map(
    ([needs, call]): Read => ({
      needs,
      requires: needs === 'care-services.frequent' ? ['insurance.coverages'] : [],
      call: (subject, context) => call(subject, context),
      callOther: (subject, context) => call(subject, context, subject.fixtures.unknown),
      callWithId: (subject, id, context) => call(subject, context, id),
    }),
  ),
];

/** Every write of every port. */
export const writes: readonly Write[] = toRows<Omit<Write, 'needs'>>(writesByName).map(([needs, row]) => ({
  needs,
  ...row,
}));

/** How to call a method. */
interface MethodCall {
  readonly needs: Capability;
  readonly requires: readonly Capability[];
  /** Calls the method with an id, or with several equal ones. Null if it takes no id. */
  readonly callWithId: ((subject: PortsSubject, id: string, call: Call) => Promise<unknown>) | null;
}

/** How to call a method that changes nothing. */
export interface Read extends MethodCall {
  /** Reads a record of the fixtures. */
  readonly call: (subject: PortsSubject, call: Call) => Promise<unknown>;
  /** Reads another record, which may not exist. Repeats the read if it has no arguments. */
  readonly callOther: (subject: PortsSubject, call: Call) => Promise<unknown>;
}

/** How to call a method that changes data, with its arguments and a read that shows the change. */
export interface Write extends MethodCall {
  /** Finds or creates a patient for the write. */
  readonly prepare: (subject: PortsSubject) => Promise<Prepared>;
}

/** A write that was prepared for a patient. */
export interface Prepared {
  /** The arguments, which the caller keeps. */
  readonly given: unknown;
  /** `other` and `patientId` replace arguments, to send another content under the same key. */
  readonly write: (call: Call, other?: object, patientId?: string) => Promise<unknown>;
  /**
   * Other contents of the write: `other` of `write`. Each differs in one field, which may be nested. Absent for a
   * change of a record.
   */
  readonly others?: () => Promise<readonly object[]>;
  readonly read: (call: Call) => Promise<unknown>;
  /** The id of the record that the write changes. Absent if it makes one. */
  readonly target?: string;
  /** Writes to another record than `target`. */
  readonly writeTo?: (id: string, call: Call) => Promise<unknown>;
  /** Creates a record that is similar to that of the write. */
  readonly leaveSimilar?: (call: Call) => Promise<unknown>;
}
