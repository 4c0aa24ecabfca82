import type { Call, Capability } from '../../ports/index.ts';
import { createDni } from '../arrange.ts';
import { type Case, definePortCase } from '../case.ts';
import { computeDayAhead } from '../days.ts';
import { expectFailure } from '../expect.ts';
import type { PortsSubject } from '../ports-subject.ts';

/** A call that must fail for a patient. */
type Fail = (subject: PortsSubject, patientId: string, call: Call) => Promise<unknown>;

/** A person, with texts that occur in no sentence about something else. */
const createStranger = () => ({
  identifier: { type: 'DNI' as const, value: String(createDni()) },
  birthDate: '1987-03-19',
  gender: 'Female' as const,
  name: 'Zulma',
  lastName: 'Quiroga',
  phone: '+54 9 11 5555-0142',
  email: 'zulma@example.org',
  medicalRecordId: `HC-${createDni()}`,
  address: { street: 'Ayohuma', city: 'Tilcara' },
});

const unknownId = ({ fixtures }: PortsSubject): string => fixtures.unknown;

const toTitle = (needs: Capability): string =>
  `${needs}: neither a Failure nor the console says a name, document, birth date or contact of the patient, or an id`;

const definePrivacy = (needs: Capability, fail: Fail): Case =>
  definePortCase({ level: 'write', needs, requires: ['patients.register'], section: '2' }, `ports.${needs}.private`, {
    title: toTitle(needs),
    run: async (subject) => {
      // The subject fails what says a value that a port was given, or returned of a patient.
      const { id } = await subject.getPort('patients').register(createStranger(), subject.createCall());
      await expectFailure(fail(subject, id, subject.createCall()), {});
    },
  });

/** What a Failure tells is sent to callers and into logs, so it says nothing of a patient, and neither does a log. */
export const privacyCases: readonly Case[] = [
  definePortCase({ level: 'safe', needs: 'patients.get', section: '2' }, 'ports.patients.get.private', {
    title: toTitle('patients.get'),
    run: async (subject) => {
      const patients = subject.getPort('patients');
      await patients.get(subject.fixtures.patients.complete, subject.createCall());
      await expectFailure(patients.get(unknownId(subject), subject.createCall()), { kind: 'not_found' });
    },
  }),
  definePrivacy('patients.update', async (s, id, call) => {
    const other = createStranger();
    await s.getPort('patients').register(other, call);
    return s.getPort('patients').update(id, { identifier: other.identifier }, call);
  }),
  definePrivacy('tickets.open', (s, id, call) =>
    s.getPort('tickets').open(id, unknownId(s), { observations: 'reservado', fields: [] }, call),
  ),
  definePrivacy('appointments.book', (s, id, call) => {
    const start = `${computeDayAhead(s, -7)}T10:00:00`;
    return s
      .getPort('appointments')
      .book(id, { serviceId: unknownId(s), practitionerIds: [unknownId(s)], start }, call);
  }),
  definePrivacy('appointments.cancel', (s, id, call) => s.getPort('appointments').cancel(id, unknownId(s), call)),
  definePrivacy('insurance.create', (s, id, call) =>
    s.getPort('insurance').create({ credentialNumber: '6012345', beneficiaryId: id, planId: unknownId(s) }, call),
  ),
  definePrivacy('practitioners.mainOf', (s, id, call) => s.getPort('practitioners').mainOf(id, call)),
  definePrivacy('practitioners.requestChange', (s, id, call) =>
    s.getPort('practitioners').requestChange(id, { reasonId: unknownId(s), observations: 'reservado' }, call),
  ),
  definePrivacy('practitioners.changeRequestOf', (s, id, call) => s.getPort('practitioners').changeRequestOf(id, call)),
  definePrivacy('family-groups.add', (s, id, call) =>
    s
      .getPort('family-groups')
      .add(id, { relatedPatientId: id, relationshipCode: 5, relationshipDescription: '', active: true }, call),
  ),
  definePrivacy('family-groups.remove', (s, id, call) => s.getPort('family-groups').remove(id, unknownId(s), call)),
];
