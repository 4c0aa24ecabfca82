import { toElements } from '../../../adapters/fhir/patients/write.ts';
import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import type { FamilyMember, Patient } from '../../../adapters/memory/world-schema.ts';
import { toAddress, toTelecom } from './datatypes.ts';
import type { Context } from './plan.ts';
import type { Seed } from './resource-ids.ts';

export const buildPatients = (context: Context): Seed<'Patient'>[] =>
  context.world.patients.map((patient) => toPatient(patient, context));

function toPatient(patient: Patient, { codes, world, ids }: Context): Seed<'Patient'> {
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
  member: FamilyMember,
  related: Patient,
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
