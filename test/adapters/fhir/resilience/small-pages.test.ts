import { beforeEach, describe, expect, test } from '@jest/globals';
import { terms } from '../../../hospital-in-fhir/terms.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, ports } = await setUpHospital();

const birthDate = '1961-02-03';
const gender = 'female';
/** As many people with the same birth date, gender and old document. */
const load = (count: number) => {
  for (let number = 1; number <= count; number++) {
    const identifier = [{ system: terms.dni, value: '7654321' }];
    server.load({ resourceType: 'Patient', id: `same-${number}`, gender, birthDate, identifier });
  }
};

describe('on a server that gives smaller pages than it is asked for', () => {
  beforeEach(() => {
    server.quirks.pageSize = 2;
  });

  test('a search of patients finds those of all pages', async () => {
    load(5);
    expect(await ports.patients.search({ birthDate, gender: 'Female' }, callNow())).toHaveLength(5);
  });

  test('a search of too many patients is refused without reading all of them', async () => {
    load(80);
    server.quirks.pageSize = 20;
    const { ports } = await connect(server);
    server.requests.reset();
    const search = ports.patients.search({ birthDate, gender: 'Female' }, callNow());
    await expect(search).rejects.toEqual(matchFailure('invalid', { code: 'search_too_wide' }));
    expect(server.requests.calls).toHaveLength(3);
  });

  test('a registration finds the person among others with the same document', async () => {
    load(3);
    const identifier = { type: 'DNI', value: '7654321' } as const;
    server.load({ ...(await server.read('Patient', 'same-3')), birthDate: '1962-02-03' });
    const person = { identifier, birthDate: '1962-02-03', gender: 'Female' } as const;
    expect((await ports.patients.register(person, callNow())).id).toBe('same-3');
  });
});
