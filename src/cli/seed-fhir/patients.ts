import { toFhirIdentifier } from '../../../adapters/fhir/patients/write.ts';
import { genderCode, hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import type { FamilyMember, Patient } from '../../../adapters/memory/world-schema.ts';
import { toAddress, toTelecom, toTypedIdentifier } from './datatypes.ts';
import type { Context } from './plan.ts';
import type { Seed } from './resource-ids.ts';

export const buildPatients = (context: Context): Seed[] =>
  context.world.patients.map((patient) => toPatient(patient, context));

function toPatient(patient: Patient, { codes, world, ids }: Context): Seed {
  const { medicalRecordId, phone, email, mainPractitionerId } = patient;
  const address = toAddress(patient.address, 'home');
  return {
    id: patient.id,
    elements: {
      identifier: [
        toFhirIdentifier(patient.identifier, codes),
        ...(medicalRecordId === '' ? [] : [toTypedIdentifier('MR', codes.mrn[0] ?? '', medicalRecordId)]),
      ],
      active: patient.active,
      name: [toHumanName(patient)],
      ...toTelecom(email, [{ type: 'cell-phone', value: phone }]),
      gender: genderCode[patient.gender],
      birthDate: patient.birthDate,
      ...(Object.keys(address).length > 1 && { address: [address] }),
      ...(mainPractitionerId && { generalPractitioner: [ids.refer('Practitioner', mainPractitionerId)] }),
      managingOrganization: ids.refer('Organization', world.institution.id),
    },
  };
}

function toHumanName({ name, lastName }: Patient) {
  const given = name.split(' ').filter(Boolean);
  return {
    use: 'official',
    text: [name, lastName].filter(Boolean).join(' '),
    ...(lastName !== '' && { family: lastName }),
    ...(given.length > 0 && { given }),
  };
}

export function buildFamilyMembers(context: Context): Seed[] {
  const patients = new Map(context.world.patients.map((patient) => [patient.id, patient]));
  return context.world.familyMembers.map((member) =>
    toRelatedPerson(member, patients.get(member.relatedPatientId)!, context),
  );
}

function toRelatedPerson(member: FamilyMember, related: Patient, { codes, relationships, ids }: Context): Seed {
  const code = String(member.relationshipCode);
  const role = relationships[code];
  const coding = [
    { system: codes.system('relationship'), code },
    ...(role === undefined ? [] : [{ system: hl7.roleCode, code: role }]),
  ];
  return {
    id: member.id,
    elements: {
      identifier: [{ system: codes.sid('related-patient'), value: ids.getId('Patient', related.id) }],
      active: member.active,
      patient: ids.refer('Patient', member.patientId),
      relationship: [
        { coding, ...(member.relationshipDescription !== '' && { text: member.relationshipDescription }) },
      ],
      name: [toHumanName(related)],
      gender: genderCode[related.gender],
      birthDate: related.birthDate,
    },
  };
}
