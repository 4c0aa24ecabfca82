import type { ResourceType } from '@medplum/fhirtypes';
import { type ConfirmedRecord, type Fixtures, type RecordKind, sandbox } from '../../src/contract/fixtures.ts';
import type { IdsByName } from './load.ts';

type Names = Readonly<Record<string, string | readonly string[]>>;

/** The fixtures of the sandbox hospital under the ids that a FHIR server gave to its resources. */
export function toFixtures(serverIds: IdsByName): Fixtures {
  // Nobody is spare where patients are registered, and what was removed is no resource.
  const { spare: _, removed, ...patients } = sandbox.patients;
  const { appointments, coverages, plans, carriers, services, practitioners, locations, slots } = sandbox;
  return {
    ...sandbox,
    patients: { ...ids('Patient', patients), spare: [], removed },
    appointments: { ...appointments, attended: id('Appointment', appointments.attended) },
    slots: { blocked: { ...slots.blocked, practitioner: id('Practitioner', slots.blocked.practitioner) } },
    coverages: ids('Coverage', coverages),
    plans: ids('InsurancePlan', plans),
    carriers: {
      withPlans: { ...carriers.withPlans, id: id('Organization', carriers.withPlans.id) },
      withoutPlans: id('Organization', carriers.withoutPlans),
    },
    owner: id('Organization', sandbox.owner),
    services: ids('HealthcareService', services),
    practitioners: ids('Practitioner', practitioners),
    locations: ids('Location', locations),
    ticketType: { ...sandbox.ticketType, id: id('Questionnaire', sandbox.ticketType.id) },
    typedTicketType: { ...sandbox.typedTicketType, id: id('Questionnaire', sandbox.typedTicketType.id) },
    inactiveTicketType: id('Questionnaire', sandbox.inactiveTicketType),
    records: toRecords(),
  };

  /** The same records, as far as the server has them. */
  function toRecords(): Fixtures['records'] {
    const types: Readonly<Record<RecordKind, ResourceType>> = {
      patients: 'Patient',
      practitioners: 'Practitioner',
      services: 'HealthcareService',
      appointments: 'Appointment',
      coverages: 'Coverage',
      places: 'Location',
    };
    const rename = (kind: RecordKind) =>
      sandbox.records[kind].flatMap(({ patient_id: owner, ...record }): ConfirmedRecord[] => {
        const [own, patient] = [`${types[kind]}/${record.id.replace(/^dir-/, '')}`, `Patient/${owner}`].map((name) =>
          serverIds.get(name),
        );
        if (own === undefined || (owner !== undefined && patient === undefined)) return [];
        return [{ ...record, id: own, ...(patient !== undefined && { patient_id: patient }) }];
      });
    const kinds = Object.keys(types) as RecordKind[];
    return Object.fromEntries(kinds.map((kind) => [kind, rename(kind)])) as Record<RecordKind, ConfirmedRecord[]>;
  }

  function id(type: ResourceType, name: string): string {
    const given = serverIds.get(`${type}/${name}`);
    if (given === undefined) throw new Error(`There is no resource ${type}/${name}`);
    return given;
  }

  function ids<T extends Names>(type: ResourceType, names: T): T {
    const given = Object.entries(names).map(([key, name]) => [
      key,
      typeof name === 'string' ? id(type, name) : name.map((one) => id(type, one)),
    ]);
    return Object.fromEntries(given);
  }
}
