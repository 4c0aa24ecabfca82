import type { PartialFixtures } from '../../contract/index.ts';

/** The values of the fixtures that tell who somebody is, each with the name of its fixture. */
export function listPersonal(fixtures: PartialFixtures): ReadonlyMap<string, string> {
  const named: [string, unknown][] = [
    // First, since what a fixture is called stands for the same value in records.
    ...listOfRecords(fixtures.records),
    ...listEntries('patients', fixtures.patients),
    ...listEntries('coverages', fixtures.coverages),
    ['identity.identifier', fixtures.identity?.identifier],
    ['identity.birthDate', fixtures.identity?.birthDate],
    ['passport', fixtures.passport],
  ];
  return new Map(
    named.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[String(value), name] as const])),
  );
}

const listEntries = (group: string, values: object = {}): [string, unknown][] =>
  Object.entries(values).flatMap(([name, value]): [string, unknown][] =>
    Array.isArray(value) ? value.map((each, i) => [`${group}.${name}_${i + 1}`, each]) : [[`${group}.${name}`, value]],
  );

/** Words of the API itself, and what many patients share. */
const shared = /^(?:gender|identifier_type|active|status|modality|date|carrier|plan)$/;

const listOfRecords = ({ patients = [], coverages = [], appointments = [] }: PartialFixtures['records'] = {}) =>
  Object.entries({ patients, coverages, appointments }).flatMap(([kind, records]) =>
    records.flatMap((record, i) =>
      Object.entries(record).flatMap(([field, value]): [string, unknown][] =>
        typeof value === 'object' || shared.test(field) ? [] : [[`records.${kind}_${i + 1}.${field}`, value]],
      ),
    ),
  );
