import type { Call, Capability } from '../../ports/index.ts';
import { addMember, bookA, createCoverage, createDni, findFreeSlot, pickAny, registerPatient } from '../arrange.ts';
import type { PortsSubject } from '../ports-subject.ts';
import { listSlotsA } from '../queries.ts';

/** A call of a port that changes nothing. */
export interface Read {
  readonly needs: Capability;
  readonly call: (subject: PortsSubject, call: Call) => Promise<unknown>;
}

/** A call of a port that changes something, with what it is given and where the change shows. */
export interface Write {
  readonly needs: Capability;
  readonly requires: readonly Capability[];
  readonly prepare: (subject: PortsSubject) => Promise<{
    /** What the caller keeps in hand. */
    readonly given: unknown;
    readonly write: (call: Call) => Promise<unknown>;
    readonly read: (call: Call) => Promise<unknown>;
  }>;
}

const eligible = ({ fixtures }: PortsSubject) => ({
  patientId: fixtures.patients.complete,
  coverageId: fixtures.coverages.active,
});

/** Every read of every port, asking for something that the fixtures hold. */
export const reads: readonly Read[] = [
  {
    needs: 'patients.search',
    call: (s, call) => s.port('patients').search({ identifier: String(s.fixtures.identity.identifier) }, call),
  },
  { needs: 'patients.get', call: (s, call) => s.port('patients').get(s.fixtures.patients.complete, call) },
  { needs: 'tickets.types', call: (s, call) => s.port('tickets').types(call) },
  { needs: 'tickets.type', call: (s, call) => s.port('tickets').type(s.fixtures.ticketType.id, call) },
  { needs: 'tickets.list', call: (s, call) => s.port('tickets').list(s.fixtures.patients.complete, {}, call) },
  {
    needs: 'appointments.list',
    call: (s, call) => s.port('appointments').list(s.fixtures.patients.complete, { order: 'ascending' }, call),
  },
  {
    needs: 'appointments.slots',
    call: (s, call) => s.port('appointments').slots({ serviceId: s.fixtures.services.bookable }, call),
  },
  { needs: 'insurance.carriers', call: (s, call) => s.port('insurance').carriers({}, call) },
  {
    needs: 'insurance.plans',
    call: (s, call) => s.port('insurance').plans(s.fixtures.carriers.withPlans.id, call),
  },
  {
    needs: 'insurance.coverages',
    call: (s, call) => s.port('insurance').coverages(s.fixtures.patients.complete, call),
  },
  { needs: 'practitioners.list', call: (s, call) => s.port('practitioners').list(call) },
  {
    needs: 'practitioners.mainOf',
    call: (s, call) => s.port('practitioners').mainOf(s.fixtures.patients.complete, call),
  },
  { needs: 'practitioners.changeReasons', call: (s, call) => s.port('practitioners').changeReasons(call) },
  {
    needs: 'practitioners.changeRequestOf',
    call: (s, call) => s.port('practitioners').changeRequestOf(s.fixtures.patients.complete, call),
  },
  { needs: 'care-services.available', call: (s, call) => s.port('care-services').available(eligible(s), call) },
  { needs: 'care-services.frequent', call: (s, call) => s.port('care-services').frequent(eligible(s), call) },
  {
    needs: 'family-groups.list',
    call: (s, call) => s.port('family-groups').list(s.fixtures.patients.complete, call),
  },
  { needs: 'directory.locations', call: (s, call) => s.port('directory').locations(call) },
  { needs: 'directory.entries', call: (s, call) => s.port('directory').entries(call) },
];

/** Every write of every port, on a patient who is fresh. */
export const writes: readonly Write[] = [
  {
    needs: 'patients.register',
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
  },
  {
    needs: 'patients.update',
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
  },
  {
    needs: 'tickets.open',
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
  },
  {
    needs: 'appointments.book',
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
  },
  {
    needs: 'appointments.cancel',
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
  },
  {
    needs: 'insurance.create',
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
  },
  {
    needs: 'insurance.edit',
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
  },
  {
    needs: 'practitioners.requestChange',
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
  },
  {
    needs: 'family-groups.add',
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
  },
  {
    needs: 'family-groups.remove',
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
  },
];
