import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Capability, capabilities, type Finding } from '../../../src/ports/index.ts';
import { startHospital } from '../../hospital-in-fhir/start.ts';
import { NS, ownCodes, terms } from '../../hospital-in-fhir/terms.ts';
import { connect } from '../../support/fhir-adapter.ts';

const { server, id } = await startHospital();
const uses: ReadonlySet<Capability> = new Set(capabilities);
const { signal } = new AbortController();

async function examine(): Promise<Finding[]> {
  const { readiness } = await connect(server);
  return Array.fromAsync(readiness.examine?.({ signal, uses }) ?? []);
}

beforeEach(() => server.reset());

const inDays = (days: number, minutes = 0) => new Date(Date.now() + days * 86_400_000 + minutes * 60_000).toISOString();
const hcs = (code: string) => [{ coding: [{ system: ownCodes('hcs'), code }] }];
const central = id('Schedule/paz-central');
const paz = id('Practitioner/paz');
const refer = (type: string, to: string) => ({ reference: `${type}/${to}` });
let number = 0;

const publish = (rest: object = {}, schedule = central) =>
  server.load({
    ...{ resourceType: 'Slot', id: `planted-${number++}`, schedule: refer('Schedule', schedule), status: 'free' },
    ...{ start: inDays(3), end: inDays(3, 20), ...rest },
  });

async function publishIn(changes: object): Promise<void> {
  server.load({ ...(await server.read('Schedule', central)), id: 'planted', ...changes });
  publish({}, 'planted');
}

async function change(type: 'Practitioner' | 'Location' | 'HealthcareService', own: string, changes: object) {
  server.load({ ...(await server.read(type, own)), ...changes });
}

const service = id('HealthcareService/consulta-clinica');

/** What somebody did to a hospital without fault, and how the doctor says so. */
const faults: readonly (readonly [fault: string, plant: () => unknown, check: string, detail: RegExp])[] = [
  [
    'a service whose program names an unknown plan',
    () =>
      change('HealthcareService', service, {
        program: [{ coding: [{ system: ownCodes('plan'), code: 'NONE-SUCH' }] }],
      }),
    'catalogue',
    new RegExp(`^1 HealthcareService resources have a plan in program that .*: HealthcareService/${service}$`),
  ],
  [
    'a plan without owner',
    () => server.load({ resourceType: 'InsurancePlan', id: 'orphan', status: 'active', name: 'Plan' }),
    'catalogue',
    /^1 InsurancePlan resources have no carrier.*: InsurancePlan\/orphan$/,
  ],
  [
    'a practitioner without a name',
    () => server.load({ resourceType: 'Practitioner', id: 'nameless', active: true, name: [{ use: 'official' }] }),
    'catalogue',
    /^1 Practitioner resources have no name.*: Practitioner\/nameless$/,
  ],
  [
    'free slots of a practitioner who retired',
    () => change('Practitioner', paz, { active: false }),
    'free slots',
    /the practitioner or the role of the schedule has ended, or its place is closed \(Schedule\//,
  ],
  [
    'free slots at a place that is suspended',
    async () => {
      const { actor } = await server.read('Schedule', central);
      const place = actor.find(({ reference = '' }) => reference.startsWith('Location/'))?.reference ?? '';
      await change('Location', place.replace('Location/', ''), { status: 'suspended' });
    },
    'free slots',
    /or its place is closed \(Schedule\//,
  ],
  [
    'two services with one code',
    async () => server.load({ ...(await server.read('HealthcareService', service)), id: 'twin' }),
    'catalogue',
    /^2 HealthcareService resources share a code with another service, .*HealthcareService\/twin/,
  ],
  [
    'a slot at a foreign offset, the last of many',
    () =>
      publish({ start: `${inDays(59).slice(0, 10)}T09:00:00+02:00`, end: `${inDays(59).slice(0, 10)}T09:20:00+02:00` }),
    'time zone',
    /^the times of 1 of \d{3,} future slots have the offset \+02:00/,
  ],
  [
    'more slots of a service than a list shows',
    () => {
      for (let at = 0; at < 10_001; at++) publish({ start: inDays(3, at), end: inDays(3, at + 1) });
    },
    'free slots',
    /^HealthcareService\/\S+ has \d{5} future free slots, but a list without pages omits all after the first 10000$/,
  ],
  [
    'a circle of locations',
    () => {
      const place = { resourceType: 'Location', status: 'active' } as const;
      server.load({ ...place, id: 'wing', partOf: refer('Location', 'tower') });
      server.load({ ...place, id: 'tower', partOf: refer('Location', 'wing') });
      server.load({ ...place, id: 'room', partOf: refer('Location', 'wing') });
    },
    'catalogue',
    /^2 Location resources are part of themselves in a cycle, .*: Location\/(wing|tower), Location\/(wing|tower)$/,
  ],
  [
    'a service of its own without code',
    async () => {
      const { providedBy = {} } = await server.read('HealthcareService', service);
      server.load({ resourceType: 'HealthcareService', id: 'uncoded', name: 'Consulta', providedBy });
    },
    'catalogue',
    /^1 HealthcareService resources have no code.*: HealthcareService\/uncoded$/,
  ],
  [
    'a service whose code is of another namespace',
    () => change('HealthcareService', service, { type: [{ coding: [{ system: 'urn:other', code: 'CM_1010' }] }] }),
    'catalogue',
    new RegExp(`^1 HealthcareService resources have no code.*: HealthcareService/${service}$`),
  ],
  [
    'a role whose practitioner has another address',
    () =>
      server.load({
        ...{ resourceType: 'PractitionerRole', id: 'far', active: true },
        practitioner: { reference: 'https://elsewhere.example.org/fhir/Practitioner/1' },
      }),
    'references',
    /^1 resources refer to missing resources, .*: PractitionerRole\/far$/,
  ],
  ['a slot of no schedule', () => publish({}, 'missing'), 'free slots', /there is no such schedule/],
  ['a schedule that is not active', () => publishIn({ active: false }), 'free slots', /the schedule is not active/],
  [
    'a schedule of equipment alone',
    () => publishIn({ actor: [{ display: 'tomograph' }] }),
    'free slots',
    /the schedule names no practitioner/,
  ],
  [
    'a schedule for no service',
    () => publishIn({ serviceType: hcs('NONE-SUCH'), actor: [refer('Practitioner', paz)] }),
    'free slots',
    /the schedule has no offered service/,
  ],
  ['a slot of no length', () => publish({ end: inDays(3) }), 'free slots', /they last less than a minute/],
  ['an overbooked slot', () => publish({ overbooked: true }), 'free slots', /they are overbooked/],
  [
    'a free slot that an appointment names',
    () => {
      publish({ id: 'promised' });
      server.load({
        ...{ resourceType: 'Appointment', id: 'elsewhere', status: 'booked', slot: [refer('Slot', 'promised')] },
        participant: [{ actor: refer('Patient', id('Patient/ana')), status: 'accepted' }],
      });
    },
    'free slots',
    /a booked appointment names them/,
  ],
  [
    'a document in a spelling that no search has',
    () => server.load({ resourceType: 'Patient', id: 'lost', identifier: [{ system: terms.dni, value: '4330 2750' }] }),
    'documents',
    / 1 have a document that no search finds, .*: Patient\/lost$/,
  ],
  [
    'an only number in a spelling that no search has',
    () =>
      server.load({
        ...{ resourceType: 'Patient', id: 'odd' },
        identifier: [{ system: 'urn:of-another-system', value: 'Person-aB12' }],
      }),
    'documents',
    / 1 have a document that no search finds, .*: Patient\/odd$/,
  ],
  [
    'a patient who was merged into himself',
    () =>
      server.load({
        ...{ resourceType: 'Patient', id: 'self' },
        link: [{ type: 'replaced-by', other: refer('Patient', 'self') }],
      }),
    'mergers',
    / 1 were merged into themselves, .*: Patient\/self$/,
  ],
];

describe('an examination names', () => {
  test('nothing in a hospital without fault, also when it was seeded', async () => {
    const seeded = { use: 'secondary', system: `${NS}/sid/seed`, value: 'Patient-ana' };
    const numbered = { system: 'urn:of-another-system', value: 'Person-aB12' };
    server.load({ resourceType: 'Patient', id: 'seeded', identifier: [seeded] });
    const dni = { system: terms.dni, value: '43302750' };
    server.load({ resourceType: 'Patient', id: 'numbered', identifier: [dni, numbered] });
    const findings = await examine();
    const open = findings.filter(({ ok }) => ok === null).map(({ check }) => check);
    // Only writes show these.
    expect(open).toEqual(['transactions', 'conditional creates']);
    expect(findings.filter(({ ok }) => ok === false)).toEqual([]);
  });

  test.each(faults)('%s', async (_, plant, check, detail) => {
    await plant();
    const found = (await examine()).filter((each) => each.ok !== true && each.check === check);
    expect(found.map((each) => each.detail)).toContainEqual(expect.stringMatching(detail));
    expect(found.every(({ fix = '' }) => fix !== '')).toBe(true);
  });
});
