import { beforeEach, describe, expect, test } from '@jest/globals';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { connect, type FhirPorts } from '../support/fhir-adapter.ts';
import { callNow } from '../support/fhir-calls.ts';
import type { Dialect } from './proxy.ts';
import { startDialectProxy } from './proxy.ts';

const { server } = await startHospital();
const proxy = await startDialectProxy(server.url);
const { patients: people, plans } = toFixtures(server.ids);

/** Conditional creates that do not see each other, as R4 allows: whoever comes while another one is made is made, too. */
const racing: Dialect = { ask: ({ headers }) => void delete headers['if-none-exist'] };

const TIMES = 10;
let gateways: FhirPorts[] = [];

/** Does the same so many times at once, through the gateways in turn. */
const doAtOnce = <T>(work: (ports: FhirPorts) => Promise<T>) =>
  Promise.allSettled(Array.from({ length: TIMES }, (_, time) => work(gateways[time % gateways.length] as FhirPorts)));

const listKinds = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.map((each) => (each.status === 'fulfilled' ? 'done' : String(each.reason)));

describe.each([1, 2])('on a server whose conditional creates race, through %i gateways at once,', (count) => {
  beforeEach(async () => {
    server.reset();
    proxy.speak(racing);
    gateways = [];
    for (let each = 0; each < count; each++) gateways.push((await connect(proxy)).ports);
  });

  test('one person is registered once', async () => {
    const identifier = { type: 'DNI', value: '58765432' } as const;
    const person = { identifier, birthDate: '1990-05-06', gender: 'Male', name: 'Dante', lastName: 'Prueba' } as const;
    const results = await doAtOnce(({ patients }) => patients.register(person, callNow()));
    expect(listKinds(results)).toEqual(Array(TIMES).fill('done'));
    const found = await gateways[0]?.patients.search({ identifier: identifier.value }, callNow());
    expect(found).toHaveLength(1);
    expect(await server.search('Patient', `identifier=${identifier.value}`)).toHaveLength(1);
  });

  test('one relative is added once', async () => {
    const member = { relatedPatientId: people.passportHolder, relationshipCode: 2, relationshipDescription: 'madre' };
    const add = (ports: FhirPorts) =>
      ports['family-groups'].add(people.complete, { ...member, active: true }, callNow());
    const before = await gateways[0]?.['family-groups'].list(people.complete, callNow());
    const results = await doAtOnce(add);
    expect(listKinds(results).filter((each) => each === 'done')).toHaveLength(1);
    const after = await gateways[0]?.['family-groups'].list(people.complete, callNow());
    expect(after).toHaveLength((before?.length ?? 0) + 1);
  });

  test('one credential makes one coverage', async () => {
    const coverage = { beneficiaryId: people.bare, planId: plans.accepted, credentialNumber: '60-77' };
    const results = await doAtOnce(({ insurance }) => insurance.create(coverage, callNow()));
    expect(listKinds(results).filter((each) => each === 'done')).toHaveLength(1);
    const all = await gateways[0]?.insurance.coverages(people.bare, callNow());
    expect(all?.filter(({ credentialNumber }) => credentialNumber === '60-77')).toHaveLength(1);
  });
});
