import { randomInt } from 'node:crypto';
import type { SandboxBundle, SeedResult } from '../../adapters/fhir/commands.ts';
import { type Fixtures, sandbox } from '../../src/contract/fixtures.ts';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { changeAll, keepOf, nameOf, type SandboxResource, sandboxBundle } from './fhir-sandbox.ts';
import { bundledWorld as world } from './sandbox.ts';

/** A part of the sandbox hospital that no server has yet: documents, numbers and names are of this run alone. */
export interface LiveHospital {
  readonly hospital: SandboxBundle;
  /** Where this run's codes and identifiers begin. */
  readonly namespace: string;
  readonly changeReasons: readonly { readonly id: string; readonly label: string }[];
  /** What the contract has to find, once it was seeded. */
  toFixtures(seeded: Pick<SeedResult, 'getId'>): Fixtures;
}

const { appointments, services, locations, carriers } = sandbox;
// Nobody is spare where patients are registered, and what was removed is no resource.
const { spare: _, removed: __, ...patients } = sandbox.patients;

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
  const part = keepOf(sandboxBundle, {
    Patient: Object.values<string>(patients),
    Schedule: [...schedules, ...restricted].map(({ id }) => id),
  });
  const documents = new Map(
    world.patients
      .filter(({ id }) => Object.values<string>(patients).includes(id))
      .map(({ id, identifier: { type } }, index) => [
        id,
        type === 'DNI' ? String(firstDni + index) : `LV${run}${index}`,
      ]),
  );
  const hospital = changeAll(part, (resource) => renameResource(resource, run, documents.get(resource.id) ?? ''));
  const names = hospital.entry.map(({ resource }) => resource);
  const carrier = names.find((each) => nameOf(each) === `Organization/${carriers.withPlans.id}`);
  return {
    hospital,
    namespace: `https://hia.example.org/live/${run}`,
    changeReasons: world.changeReasons,
    toFixtures: ({ getId }) => ({
      ...toFixtures(
        new Map(
          names
            .filter(({ resourceType }) => resourceType !== 'Slot')
            .filter(({ resourceType, id }) => resourceType !== 'Appointment' || id === appointments.attended)
            .map((each) => [nameOf(each), getId(each.resourceType, each.id)]),
        ),
      ),
      identity: { ...sandbox.identity, identifier: Number(documents.get(patients.complete)) },
      passport: documents.get(patients.passportHolder) ?? '',
      carriers: {
        withPlans: { id: getId('Organization', carriers.withPlans.id), name: String(carrier?.name) },
        withoutPlans: getId('Organization', carriers.withoutPlans),
      },
      // Each run has documents and credentials of its own.
      records: { patients: [], practitioners: [], services: [], appointments: [], coverages: [], places: [] },
    }),
  };
}

interface Named {
  readonly text: string;
  readonly family?: string;
}

/** With the run at the end of names of people, places and organizations, and patients with documents of the run. */
function renameResource({ resourceType, name, identifier, ...rest }: SandboxResource, run: string, document: string) {
  const extend = ({ text, family, ...others }: Named) => ({
    ...others,
    text: `${text} ${run}`,
    family: family === undefined ? run : `${family} ${run}`,
  });
  const [own, ...others] = Array.isArray(identifier) ? identifier : [];
  const display = (key: string, value: unknown) => (key === 'display' ? `${value} ${run}` : value);
  return {
    ...JSON.parse(JSON.stringify(rest), display),
    ...(Array.isArray(name) && { name: name.map(extend) }),
    ...((resourceType === 'Organization' || resourceType === 'Location') && { name: `${name} ${run}` }),
    ...(resourceType === 'Patient' && { identifier: [{ ...own, value: document }, ...others] }),
  };
}
