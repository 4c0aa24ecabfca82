import { hash } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startGateway } from '../support/gateway.ts';

const otherToken = 'puente_00000001_the-token-of-a-second-client';
const as = { authorization: `Bearer ${otherToken}` };
const gateway = await startGateway({
  environment: {
    PUENTE_AUTH_TOKENS: JSON.stringify([{ client: 'second', sha256: hash('sha256', otherToken), scopes: 'all' }]),
  },
});
beforeEach(async () => {
  expect((await gateway.ask('POST', '/sandbox/reset')).status).toBe(200);
});
afterAll(() => gateway.stop());

const list = async (headers?: Record<string, string>): Promise<Record<string, unknown>[]> =>
  JSON.parse((await gateway.ask('GET', '/sandbox/requests', undefined, headers)).text);

describe('the requests that a sandbox lists', () => {
  test('have method, path, parameters, body, key, status and request id, the oldest first', async () => {
    await gateway.ask('GET', '/patients/search?identifier_type=DNI&identifier=31465466');
    const body = { observations: 'Gracias', fields: [{ id: 'medicamento', value: 'Ibuprofeno' }] };
    const headers = { 'Idempotency-Key': 'one', 'X-Request-Id': 'two' };
    await gateway.ask('POST', '/patients/ana/ticket_type/receta/ticket', body, headers);
    expect(await list()).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        requestId: expect.any(String),
        method: 'GET',
        path: '/patients/search',
        query: { identifier_type: 'DNI', identifier: '31465466' },
        operation: 'searchPatients',
        status: 200,
      },
      expect.objectContaining({ operation: 'openTicket', key: 'one', requestId: 'two', body }),
    ]);
  });

  test('have the scenario and the code that they ended in', async () => {
    await gateway.ask('GET', '/patients/ana', undefined, { 'Puente-Scenario': 'overloaded=7' });
    await gateway.ask('POST', '/sandbox/scenarios', { scenario: 'rate_limited', operation: 'getPatient' });
    await gateway.ask('GET', '/patients/ana');
    await expect(gateway.ask('GET', '/patients/ana', undefined, { 'Puente-Scenario': 'drop' })).rejects.toThrow();
    expect((await list()).map(({ scenario, status, code }) => [scenario, status, code])).toEqual([
      ['overloaded=7', 503, 'overloaded'],
      ['rate_limited', 429, 'rate_limited'],
      ['drop', undefined, undefined],
    ]);
  });

  test('have what validation ignored and what it refused', async () => {
    await gateway.ask(
      'GET',
      '/available-appointments/search?health_care_service_id=consulta-clinica&practitionerId=paz',
    );
    await gateway.ask('PUT', '/patients/ana', { surname: 'Ferreyra' });
    const [ignoring, refused] = await list();
    expect(ignoring).toMatchObject({ status: 200, ignored: ['practitionerId'] });
    expect(refused).toMatchObject({
      status: 422,
      code: 'validation',
      refused: [{ in: 'body', at: '/surname', message: 'is an unknown field' }],
    });
  });

  test('have a misspelled path and a wrong method, for the client whose token they came with', async () => {
    await gateway.ask('GET', '/patient/ana');
    await gateway.ask('DELETE', '/patients/ana', undefined, as);
    const shown = (requests: Record<string, unknown>[]) => requests.map(({ path, code }) => [path, code]);
    expect([shown(await list()), shown(await list(as))]).toEqual([
      [['/patient/ana', 'route_unknown']],
      [['/patients/ana', 'method_not_allowed']],
    ]);
  });

  test('are those of the client alone, and so is what it removes', async () => {
    await gateway.ask('GET', '/patients/ana');
    await gateway.ask('GET', '/location/', undefined, as);
    await gateway.ask('GET', '/location/', undefined, { authorization: 'Bearer nobody' });
    expect(JSON.parse((await gateway.ask('DELETE', '/sandbox/requests')).text)).toEqual({ removed: 1 });
    expect([(await list()).length, (await list(as)).length]).toEqual([0, 1]);
  });

  test('are the last 200', async () => {
    for (let count = 0; count < 201; count++) await gateway.ask('GET', `/location/?count=${count}`);
    const requests = await list();
    expect(requests).toHaveLength(200);
    expect([requests[0]?.query, requests.at(-1)?.query]).toEqual([{ count: '1' }, { count: '200' }]);
  });

  test('are recorded by no gateway that is no sandbox', async () => {
    const plain = await startGateway({ environment: { PUENTE_ADAPTER_SETTINGS_SANDBOX: 'false' } });
    const answers = [await plain.ask('GET', '/sandbox/requests'), await plain.ask('DELETE', '/sandbox/requests')];
    const { text } = await plain.ask('GET', '/openapi.json');
    await plain.stop();
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(text).not.toMatch(/sandbox/i);
  });
});
