import { afterAll, describe, expect, test } from '@jest/globals';
import { readBundle, seed } from '../../../adapters/fhir/commands.ts';
import { fhir } from '../../../adapters/fhir/index.ts';
import type { ResourceType } from '../../../adapters/fhir/schema/resources.ts';
import { sandbox } from '../../../src/contract/fixtures.ts';
import { addDays, Zone } from '../../../src/toolkit/zone.ts';
import { medplum } from '../../fhir-server/quirks.ts';
import { startFhirServer } from '../../fhir-server/server.ts';
import { createFhirAdapter, type FhirPorts, listSeeded } from '../../support/fhir-adapter.ts';
import { callNow } from '../../support/fhir-calls.ts';
import { openSandbox, bundledWorld as world } from '../../support/sandbox.ts';

const DAYS = 5;
const now = new Date();
const server = await startFhirServer({ quirks: medplum });
const settings = fhir.settings.parse({ baseUrl: server.url, changeReasons: world.changeReasons });
const { getId } = await seed(settings, {
  bundle: readBundle(),
  timeZone: sandbox.timeZone,
  now: now.toISOString(),
  days: DAYS,
  signal: new AbortController().signal,
});
const { ports } = await createFhirAdapter(settings);
const memory = openSandbox(now);

afterAll(() => server.stop());

/** What the world calls the resources, by the ids that the server gave to them. */
const names = new Map(listSeeded(world).map(([type, id]): [string, string] => [getId(type, id), id]));

/** Words for people that FHIR has no place for, and when a server got a thing: docs/tutorials/fhir.md names each. */
const lost = new Set(['updatedAt', 'offeredIn', 'workingHours']);

/** With the names of the world instead of ids, and without what FHIR cannot carry. */
const replaceIds = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer), (key, part: unknown) => {
    if (lost.has(key)) return undefined;
    if (typeof part !== 'string') return part;
    // A decimal comes back without the zeros at its end.
    return names.get(part) ?? (/^\d+\.\d+$/.test(part) ? String(Number(part)) : part);
  });

/** Lists without an order of their own: of what was written in the same moment, ids of the server decide there. */
const sortBy = <Key extends string, T extends Readonly<Record<Key, string>>>(key: Key, rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => (a[key] < b[key] ? -1 : 1));

type Id = (type: ResourceType, name: string) => string;
type Question = (ports: FhirPorts, id: Id) => Promise<unknown>;
const askForEach = (ask: (ports: FhirPorts, patientId: string) => Promise<unknown>): Question => {
  return (ports, id) => Promise.all(world.patients.map((patient) => ask(ports, id('Patient', patient.id))));
};
const lastDay = addDays(new Zone(sandbox.timeZone).toLocalDay(now.toISOString()), DAYS);

const questions: Readonly<Record<string, Question>> = {
  'who the patients are': askForEach(async ({ patients }, id) => {
    const { version: _, ...patient } = await patients.get(id, callNow());
    return patient;
  }),
  'which tickets they filed': askForEach(async ({ tickets }, id) =>
    (await tickets.list(id, {}, callNow())).map(({ updatedAt: _, ...ticket }) => ticket),
  ),
  'which appointments they have': askForEach(({ appointments }, id) =>
    appointments.list(id, { order: 'ascending' }, callNow()),
  ),
  'how they are insured': askForEach(({ insurance }, id) => insurance.coverages(id, callNow())),
  'who their relatives are': askForEach((each, id) => each['family-groups'].list(id, callNow())),
  'who asked for another practitioner': ({ practitioners }, id) =>
    practitioners.changeRequestOf(id('Patient', 'julieta-benedetti'), callNow()),
  'what they often book': (each, id) => {
    const who = { patientId: id('Patient', 'ana'), coverageId: id('Coverage', 'ana-osde') };
    return each['care-services'].frequent(who, callNow());
  },
  'what is offered': (each) => each['care-services'].available({}, callNow()),
  'what can be filed': async ({ tickets }) => sortBy('title', await tickets.types(callNow())),
  'which carriers there are': ({ insurance }, id) =>
    insurance.carriers({ ownerId: id('Organization', 'sanatorio-del-puente') }, callNow()),
  'what a carrier sells': async ({ insurance }, id) =>
    sortBy('name', await insurance.plans(id('Organization', 'swiss'), callNow())),
  'where the institution is': async ({ directory }) => sortBy('name', await directory.locations(callNow())),
  'when there is time': async ({ appointments }, id) => {
    const query = { serviceId: id('HealthcareService', 'consulta-clinica'), to: lastDay };
    const { items } = await appointments.slots(query, callNow());
    return items.map(({ id: _, ...slot }) => slot);
  },
};

describe('over the sandbox hospital in a FHIR server the adapter says as the one in memory does', () => {
  test.each(Object.entries(questions))('%s', async (_, ask) => {
    const answer = replaceIds(await ask(ports, getId));
    expect(answer).toEqual(replaceIds(await ask(memory, (_, name) => name)));
    expect(JSON.stringify(answer).length).toBeGreaterThan(60);
  });

  test('who its practitioners are, though not in which room', async () => {
    const plain = async ({ practitioners }: FhirPorts) =>
      replaceIds((await practitioners.list(callNow())).map(({ location: _, ...practitioner }) => practitioner));
    expect(await plain(ports)).toEqual(expect.arrayContaining((await plain(memory)) as unknown[]));
  });

  test('which pharmacies and clinics are around it', async () => {
    const organizations = async ({ directory }: FhirPorts) => {
      const all = (await directory.entries(callNow())).flatMap(({ providers }) => providers);
      return new Set(all.filter(({ type }) => type !== 'practitioner').map(({ type, name }) => `${type} ${name}`));
    };
    const here = await organizations(memory);
    expect(here.size).toBeGreaterThan(5);
    expect(here.isSubsetOf(await organizations(ports))).toBe(true);
  });
});
