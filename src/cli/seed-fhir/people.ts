import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import type { Hospital, Patient } from './hospital.ts';
import type { Context, Seed, Step } from './plan.ts';
import { address, concept, telecom, typedId } from './terms.ts';

/** The patients. */
export const patients = (context: Context): Step => ({
  title: 'patients',
  seeds: context.hospital.patients.map((patient) => toPatient(patient, context)),
});

const genders = { Male: 'male', Female: 'female', Other: 'other' } as const;

function toPatient(patient: Patient, { codes, hospital }: Context): Seed {
  const { id, identifier, medicalRecordId, phone, email, mainPractitionerId } = patient;
  const kinds = { DNI: ['NI', codes.dni], Passport: ['PPN', codes.passport], Other: [undefined, codes.other] } as const;
  const [type, [system = '']] = kinds[identifier.type];
  const document = type ? typedId(type, system, identifier.value) : { system, value: identifier.value };
  const home = address(patient.address, 'home');
  return {
    type: 'Patient',
    name: id,
    elements: (known) => ({
      identifier: [
        { use: 'official', ...document },
        ...(medicalRecordId === '' ? [] : [typedId('MR', codes.mrn[0] ?? '', medicalRecordId)]),
      ],
      active: patient.active,
      name: [toHumanName(patient)],
      ...telecom(email, [{ type: 'cell-phone', value: phone }]),
      gender: genders[patient.gender],
      birthDate: patient.birthDate,
      ...(Object.keys(home).length > 1 && { address: [home] }),
      ...(mainPractitionerId && { generalPractitioner: [known.to('Practitioner', mainPractitionerId)] }),
      managingOrganization: known.to('Organization', hospital.institution.id),
    }),
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

/** Who is whose relative. */
export function families(context: Context): Step {
  const people = new Map(context.hospital.patients.map((patient) => [patient.id, patient]));
  const seeds = context.hospital.familyMembers.map((member) =>
    toRelative(member, people.get(member.relatedPatientId)!, context),
  );
  return { title: 'family members', seeds };
}

type FamilyMember = Hospital['familyMembers'][number];

function toRelative(member: FamilyMember, related: Patient, { codes, relationships }: Context): Seed {
  const code = String(member.relationshipCode);
  const role = relationships[code];
  const own = { system: codes.system('relationship'), code };
  return {
    type: 'RelatedPerson',
    name: member.id,
    elements: (known) => ({
      identifier: [{ system: codes.sid('related-patient'), value: known.idOf('Patient', related.id) }],
      active: member.active,
      patient: known.to('Patient', member.patientId),
      relationship: [
        {
          ...(role === undefined ? { coding: [own] } : { coding: [own, ...concept(hl7.roleCode, role).coding] }),
          ...(member.relationshipDescription !== '' && { text: member.relationshipDescription }),
        },
      ],
      name: [toHumanName(related)],
      gender: genders[related.gender],
      birthDate: related.birthDate,
    }),
  };
}
