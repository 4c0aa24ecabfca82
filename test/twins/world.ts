import type { SandboxBundle } from '../../adapters/fhir/commands.ts';
import { parseWorld, type readWorld } from '../../adapters/memory/world-file.ts';
import type { Day } from '../../src/ports/index.ts';
import { addDays } from '../../src/toolkit/zone.ts';
import { keepOf, nameOf, type SandboxResource, sandboxBundle } from '../support/fhir-sandbox.ts';
import { bundledWorld as sandbox } from '../support/sandbox.ts';

export type World = ReturnType<typeof readWorld>;

/** In this order: those who come first are chosen most often. */
const patients = [
  'ana',
  'bruno',
  'nina',
  'camila',
  'dario',
  'hector-gimenez',
  'lucia-ferrari',
  'alex-montero',
  'raul-escudero',
  'ramona-caceres',
];

/** Of practitioners who never are in two places at once, with slots of 20 and 30 minutes, for everybody and for some. */
const schedules = [
  'paz-central',
  'paz-norte',
  'paz-virtual',
  'vidal-central',
  'ruiz-central',
  'sosa-norte',
  'ecografia-imagenes',
];

/** At night, when clocks are changed. */
const nights = [
  { id: 'acosta-noche', days: ['SATURDAY'], from: '23:00', to: '23:59' },
  { id: 'acosta-madrugada', days: ['SUNDAY'], from: '00:00', to: '02:00' },
].map((hours) => ({
  ...hours,
  serviceId: 'electrocardiograma',
  practitionerId: 'acosta',
  locationId: 'central',
  minutes: 20,
}));

/**
 * A part of the sandbox hospital, small enough to be looked at again and again, with slots at night and with somebody who
 * reaches an age limit, 16 years, three days after `today`.
 */
export function createWorld(today: Day): World {
  const known = new Set(patients);
  const ofKnown = <T extends { readonly patientId: string }>(rows: readonly T[]) =>
    rows.filter(({ patientId }) => known.has(patientId));
  const kept = sandbox.schedules.filter(({ id }) => schedules.includes(id));
  const birthday = addDays(today, 3);
  const nina = {
    id: 'nina',
    name: 'Nina',
    lastName: 'Sosa',
    gender: 'Female',
    birthDate: `${Number(birthday.slice(0, 4)) - 16}${birthday.slice(4)}`,
    identifier: { type: 'DNI', value: '50999111' },
    medicalRecordId: 'HC-000900',
    mainPractitionerId: 'ruiz',
  };
  const byName = new Map(sandbox.patients.map((patient) => [patient.id, patient]));
  return parseWorld({
    ...sandbox,
    schedules: [...kept, ...nights],
    patients: patients.map((id) => (id === nina.id ? nina : byName.get(id))),
    coverages: [
      ...ofKnown(sandbox.coverages),
      { id: 'nina-osde', patientId: 'nina', planId: 'osde-210', credentialNumber: '61000000901' },
    ],
    familyMembers: ofKnown(sandbox.familyMembers).filter(({ relatedPatientId }) => known.has(relatedPatientId)),
    tickets: ofKnown(sandbox.tickets),
    changeRequests: ofKnown(sandbox.changeRequests),
    appointments: ofKnown(sandbox.appointments).filter(({ scheduleId }) => kept.some(({ id }) => id === scheduleId)),
    // The directory is told apart from the hospital in a world, and not in FHIR.
    directory: [],
  });
}

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

/** The same hospital for a FHIR server. */
export function createBundle(world: World): SandboxBundle {
  const { entry } = keepOf(sandboxBundle, {
    Practitioner: idsOf(world.practitioners),
    Location: idsOf(world.locations),
    HealthcareService: idsOf(world.services),
    Schedule: [...schedules, 'ecg-central'],
    Patient: patients,
    Appointment: idsOf(world.appointments),
  });
  const isKept = ({ resource: { id } }: SandboxBundle['entry'][number]) => id !== 'ecg-central';
  const added = [
    ...nights.flatMap(({ id, days, from, to, minutes }) => [
      copy('Schedule/ecg-central', { id }),
      copy('Slot/ecg-central', {
        id,
        schedule: { reference: `Schedule/${id}` },
        start: `{${days.join()} ${from}-${to}/${minutes}}`,
      }),
    ]),
    ...world.patients.filter(({ id }) => id === 'nina').map(copyPatient),
    ...world.coverages.filter(({ id }) => id === 'nina-osde').map(copyCoverage),
  ];
  return { entry: [...entry.filter(isKept), ...added.map((resource) => ({ resource }))] };
}

function copyPatient({
  id,
  name,
  lastName,
  gender,
  birthDate,
  identifier,
  medicalRecordId,
  ...rest
}: World['patients'][number]) {
  const [document, record] = find('Patient/ana').identifier as object[];
  return copy('Patient/ana', {
    id,
    identifier: [
      { ...document, value: identifier.value },
      { ...record, value: medicalRecordId },
    ],
    name: [{ use: 'official', text: `${name} ${lastName}`, given: [name], family: lastName }],
    gender: gender.toLowerCase(),
    birthDate,
    telecom: undefined,
    address: undefined,
    generalPractitioner: [{ reference: `Practitioner/${rest.mainPractitionerId}` }],
  });
}

function copyCoverage({ id, patientId, credentialNumber }: World['coverages'][number]) {
  const [identifier] = find('Coverage/ana-osde').identifier as object[];
  return copy('Coverage/ana-osde', {
    id,
    identifier: [{ ...identifier, value: credentialNumber }],
    subscriberId: credentialNumber,
    beneficiary: { reference: `Patient/${patientId}` },
  });
}

const find = (name: string): SandboxResource =>
  sandboxBundle.entry.map(({ resource }) => resource).find((resource) => nameOf(resource) === name)!;

const copy = (name: string, changes: object): SandboxResource => ({ ...find(name), ...changes });
