import { beforeEach, describe, expect, test } from '@jest/globals';
import type { FhirPorts } from '../support/fhir-adapter.ts';
import { callNow } from '../support/fhir-calls.ts';

/** The gateways in front of one server, and what is needed of a hospital there. */
export interface AtOnceOptions {
  /** Starts so many gateways, which have read nothing yet. */
  readonly start: (count: number) => Promise<readonly FhirPorts[]>;
  /** A plan that coverages can have. */
  readonly planId: string;
  /** A document that nobody has. */
  readonly makeDocument: () => string;
  /** How many patients the server itself has with this document; one where it is not asked. */
  readonly countPatients?: (document: string) => Promise<number>;
  /** How often each case is tried. */
  readonly rounds?: number;
}

/** How often the same is done at once. */
const TIMES = 10;

/** Creates at the same moment what must exist once, through one gateway and through two. */
export function describeAtOnce(options: AtOnceOptions): void {
  const { start, planId, makeDocument, countPatients = async () => 1, rounds = 1 } = options;
  const turns = Array.from({ length: rounds }, (_, index) => index + 1);
  let gateways: readonly FhirPorts[] = [];
  let first: FhirPorts;

  /** Does the same so many times at once, through the gateways in turn, and says what came of each. */
  async function doAtOnce(work: (ports: FhirPorts) => Promise<unknown>): Promise<string[]> {
    const all = Array.from({ length: TIMES }, (_, time) => work(gateways[time % gateways.length] ?? first));
    const results = await Promise.allSettled(all);
    return results.map((each) => (each.status === 'fulfilled' ? 'done' : String(each.reason)));
  }

  const makePerson = () => ({
    identifier: { type: 'DNI' as const, value: makeDocument() },
    ...{ birthDate: '1990-05-06', gender: 'Male' as const, name: 'Dante', lastName: 'Prueba' },
  });
  const register = async () => (await first.patients.register(makePerson(), callNow())).id;

  describe.each([1, 2])('through %i gateways at once,', (count) => {
    beforeEach(async () => {
      gateways = await start(count);
      const [one] = gateways;
      if (!one) throw new Error('no gateway was started');
      first = one;
    });

    test.each(turns)('one person is registered once (round %i)', async () => {
      const person = makePerson();
      const { value } = person.identifier;
      expect(await doAtOnce(({ patients }) => patients.register(person, callNow()))).toEqual(Array(TIMES).fill('done'));
      expect(await first.patients.search({ identifier: value }, callNow())).toHaveLength(1);
      expect(await countPatients(value)).toBe(1);
    });

    test.each(turns)('one relative is added once (round %i)', async () => {
      const id = await register();
      const member = { relatedPatientId: await register(), relationshipCode: 2, relationshipDescription: 'madre' };
      const add = (ports: FhirPorts) => ports['family-groups'].add(id, { ...member, active: true }, callNow());
      expect((await doAtOnce(add)).filter((each) => each === 'done')).toHaveLength(1);
      expect(await first['family-groups'].list(id, callNow())).toHaveLength(1);
    });

    test.each(turns)('one credential makes one coverage (round %i)', async () => {
      const coverage = { beneficiaryId: await register(), planId, credentialNumber: '60-77' };
      const results = await doAtOnce(({ insurance }) => insurance.create(coverage, callNow()));
      expect(results.filter((each) => each === 'done')).toHaveLength(1);
      expect(await first.insurance.coverages(coverage.beneficiaryId, callNow())).toHaveLength(1);
    });
  });
}
