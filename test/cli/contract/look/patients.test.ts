import { describe, expect, test } from '@jest/globals';
import { ApiReader } from '../../../../src/cli/contract/look/api-reader.ts';
import { FoundFixtures } from '../../../../src/cli/contract/look/found-fixtures.ts';
import { lookForPatients } from '../../../../src/cli/contract/look/patients.ts';

interface Given {
  readonly gender?: string;
  readonly born?: string;
  readonly type?: string;
  readonly coverages?: readonly string[];
}

/** What is found among these patients, who have nothing but their health insurances. */
async function look(people: Readonly<Record<string, Given>>) {
  const reader = new ApiReader({
    send: async ({ route, params }) => {
      const id = params?.id ?? '';
      const { gender = 'Male', born = '1980-01-01', type = 'DNI', coverages = [] } = people[id] ?? {};
      const health_insurances = coverages.map((each) => ({ id: each, carrier: 'c', plan: 'p', active: 'true' }));
      const patient = { id, gender, birth_date: born, identifier_type: type, identifier: 7 };
      const bodies: Readonly<Record<string, object>> = {
        'GET /patients/{id}': patient,
        'GET /patients/{id}/health_insurances': { health_insurances },
      };
      const body = bodies[route];
      return { status: body ? 200 : 404, headers: {}, body };
    },
  });
  const findings = new FoundFixtures();
  await lookForPatients(reader, Object.keys(people), new Date('2026-03-01'), findings);
  return (name: Parameters<FoundFixtures['add']>[0]) => findings.all.get(name);
}

describe('looking for patients', () => {
  test('prefers a woman with a DNI, and says what is odd about another adult', async () => {
    const find = await look({ man: {}, woman: { gender: 'Female' } });
    expect(find('patients.complete')).toMatchObject({ value: 'woman' });
    expect((await look({ man: {} }))('patients.complete')).toEqual({ value: 'man', note: 'this is no woman' });
    expect((await look({ man: { type: 'Passport' } }))('patients.complete')).toBeUndefined();
  });

  test('takes for the one who has nothing a man who is insured and has a DNI, where there is a choice', async () => {
    const woman = { gender: 'Female' };
    const find = await look({
      woman,
      foreign: { type: 'Other', coverages: ['a'] },
      poor: {},
      bare: { coverages: ['b'] },
    });
    expect(find('patients.bare')).toMatchObject({ value: 'bare' });
    expect(find('coverages.ofBare')).toMatchObject({ value: 'b' });
  });

  test('looks at twenty people, and at nobody after them', async () => {
    const adults = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`adult-${i}`, {}]));
    const child = { born: '2012-01-01' };
    expect((await look({ ...adults(19), child }))('patients.child')?.value).toBe('child');
    expect((await look({ ...adults(20), child }))('patients.child')).toBeUndefined();
  });

  test('tells a child by its age, and names its first health insurance', async () => {
    const find = await look({ adult: {}, child: { born: '2012-01-01', coverages: ['a', 'b'] } });
    expect([find('patients.child')?.value, find('coverages.ofChild')?.value]).toEqual(['child', 'a']);
  });
});
