import { randomInt } from 'node:crypto';
import type { ResourceType } from '../../adapters/fhir/schema/resources.ts';
import type { WorldFile } from '../../adapters/memory/world-file.ts';
import type { SeedResult } from '../../src/cli/seed-fhir/seed.ts';
import { type Fixtures, sandbox } from '../../src/contract/fixtures.ts';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { bundledWorld as world } from './sandbox.ts';

/** A part of the sandbox hospital that no server has yet: documents, numbers and names are of this run alone. */
export interface LiveHospital {
  readonly hospital: WorldFile;
  /** Where this run's codes and identifiers begin. */
  readonly namespace: string;
  readonly changeReasons: readonly { readonly id: string; readonly label: string }[];
  /** What the contract has to find, once it was seeded. */
  toFixtures(seeded: Pick<SeedResult, 'getId'>): Fixtures;
}

const { services, locations } = sandbox;
// Nobody is spare where patients are registered.
const { spare: _, ...patients } = sandbox.patients;

/** The schedules that the contract looks at: a server needs minutes for those of the whole hospital. */
const schedules = world.schedules.filter(
  ({ serviceId, locationId }) =>
    Object.values(services).flat().includes(serviceId) && Object.values(locations).includes(locationId),
);
const restricted = world.schedules.filter(({ serviceId }) => serviceId === services.restricted);

export function makeLiveHospital(): LiveHospital {
  const run = `${Date.now().toString(36)}${randomInt(36 ** 3).toString(36)}`.toUpperCase();
  // Far from the numbers that the contract gives to people whom it invents.
  const firstDni = randomInt(60_000_000, 95_000_000);
  const people = world.patients
    .filter(({ id }) => Object.values<string>(patients).includes(id))
    .map((patient, index) => {
      const { type } = patient.identifier;
      const value = type === 'DNI' ? String(firstDni + index) : `LV${run}${index}`;
      return { ...patient, lastName: `${patient.lastName} ${run}`, identifier: { type, value } };
    });
  const known = new Set(people.map(({ id }) => id));
  const ofKnown = <T extends { readonly patientId: string }>(rows: readonly T[]) =>
    rows.filter(({ patientId }) => known.has(patientId));
  const kept = [...schedules, ...restricted];
  const named = <T extends { readonly name: string }>(row: T): T => ({ ...row, name: `${row.name} ${run}` });
  const hospital: WorldFile = {
    ...world,
    institution: named(world.institution),
    carriers: world.carriers.map(named),
    locations: world.locations.map(named),
    practitioners: world.practitioners.map(named),
    patients: people,
    schedules: kept,
    coverages: ofKnown(world.coverages),
    familyMembers: ofKnown(world.familyMembers).filter(({ relatedPatientId }) => known.has(relatedPatientId)),
    tickets: ofKnown(world.tickets),
    changeRequests: ofKnown(world.changeRequests),
    appointments: ofKnown(world.appointments).filter(({ scheduleId }) => kept.some(({ id }) => id === scheduleId)),
    directory: world.directory.slice(-6),
  };
  return {
    hospital,
    namespace: `https://hia.example.org/live/${run}`,
    changeReasons: world.changeReasons,
    toFixtures: (seeded) => ({
      ...toFixtures(collectIds(hospital, seeded)),
      identity: { ...sandbox.identity, identifier: Number(findDocument(people, patients.complete)) },
      passport: findDocument(people, patients.passportHolder),
      carriers: collectCarriers(hospital, seeded),
      // Each run has documents and credentials of its own.
      records: { patients: [], practitioners: [], services: [], appointments: [], coverages: [], places: [] },
    }),
  };
}

const findDocument = (people: WorldFile['patients'], patientId: string): string =>
  people.find(({ id }) => id === patientId)?.identifier.value ?? '';

function collectCarriers({ carriers }: WorldFile, { getId }: Pick<SeedResult, 'getId'>): Fixtures['carriers'] {
  const { withPlans, withoutPlans } = sandbox.carriers;
  const name = carriers.find(({ id }) => id === withPlans.id)?.name ?? '';
  return {
    withPlans: { id: getId('Organization', withPlans.id), name },
    withoutPlans: getId('Organization', withoutPlans),
  };
}

function collectIds(hospital: WorldFile, { getId }: Pick<SeedResult, 'getId'>): ReadonlyMap<string, string> {
  const rows: Partial<Record<ResourceType, readonly { readonly id: string }[]>> = {
    Patient: hospital.patients,
    Coverage: hospital.coverages,
    InsurancePlan: hospital.carriers.flatMap(({ plans }) => plans),
    Organization: [...hospital.carriers, hospital.institution],
    HealthcareService: hospital.services,
    Practitioner: hospital.practitioners,
    Location: hospital.locations,
    Questionnaire: hospital.ticketTypes,
  };
  return new Map(
    Object.entries(rows).flatMap(([type, all]) =>
      all.map(({ id }): [string, string] => [`${type}/${id}`, getId(type as ResourceType, id)]),
    ),
  );
}
