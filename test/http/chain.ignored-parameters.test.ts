import { afterAll, describe, expect, test } from '@jest/globals';
import { adapters } from '../../adapters/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { startGateway } from '../support/gateway.ts';

const slots = '/available-appointments/search?health_care_service_id=consulta-clinica';
const plain = await startGateway({ environment: { PUENTE_ADAPTER_SETTINGS_SANDBOX: 'false' } });
const strict = await startGateway({ environment: { PUENTE_ADAPTER_SETTINGS_SANDBOX: '{ strict: true }' } });
afterAll(() => Promise.all([plain.stop(), strict.stop()]));

describe('parameters of a query that the operation does not have', () => {
  test.each([
    ['are named in the order of the query', `${slots}&practitionerId=paz&startDate=2027-01-01&limt=5`, 200],
    ['are named in a problem too', '/available-appointments/search?practitionerId=paz&startDate=x&limt=5', 422],
    ['are named where the operation has none', '/patients/ana?practitionerId=paz&startDate=x&limt=5', 200],
  ])('%s', async (_, path, status) => {
    const answer = await plain.ask('GET', path);
    expect([answer.status, answer.headers['puente-ignored']]).toEqual([status, 'practitionerId, startDate, limt']);
  });

  test('are named ten at most, without their values, and not where a name may be a value', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `other_${'abcdefghijkl'[at]}`);
    const many = await plain.ask('GET', `/patients/ana?${names.map((name) => `${name}=40111222`).join('&')}`);
    expect(many.headers['puente-ignored']).toBe(names.slice(0, 10).join(', '));
    const odd = await plain.ask('GET', '/patients/ana?40111222=x&Ana%20Ferreyra=x&%0d%0aX-Evil:=x');
    expect([odd.status, odd.headers['puente-ignored']]).toEqual([200, undefined]);
  });

  test('are not spoken of where there are none', async () => {
    expect((await plain.ask('GET', slots)).headers).not.toHaveProperty('puente-ignored');
  });

  test('are refused by a strict sandbox, each at its place', async () => {
    const answer = await strict.ask('GET', `${slots}&practitionerId=paz&limt=5&40111222=x`);
    const message = 'is an unknown parameter';
    expect(answer.status).toBe(422);
    expect(JSON.parse(answer.text)).toMatchObject({
      code: 'validation',
      errors: ['/practitionerId', '/limt', ''].map((at) => ({ in: 'query', at, message })).toSorted(byPlace),
    });
    expect((await strict.ask('GET', slots)).status).toBe(200);
  });

  test('are no reason to serve a sandbox in production', () => {
    const environment = { NODE_ENV: 'production', PUENTE_ADAPTER_SETTINGS_SANDBOX: '{ strict: true }' };
    expect(() => readConfig({ environment, adapters })).toThrow(/settings\.sandbox|SETTINGS_SANDBOX/);
  });
});

/** Names that look like numbers come first in an object. */
const byPlace = (one: { readonly at: string }, other: { readonly at: string }) =>
  Number(one.at !== '') - Number(other.at !== '');
