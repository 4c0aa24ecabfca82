import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RunningGateway, startGateway } from './support/gateway.ts';
import { send } from './support/raw-request.ts';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({
    environment: {
      PUENTE_AUTH_GROUP_A: 'none',
      PUENTE_AUTH_ALLOW_ANONYMOUS_GROUP_A: 'true',
      PUENTE_AUTH_OPEN_OPS: 'true',
    },
  });
});
afterAll(() => gateway.stop());

const get = (path: string) => send(gateway.url, 'GET', path);

describe('a gateway that has opened Group A and its capabilities', () => {
  test('answers both without a token, and Group B with one only', async () => {
    expect((await get('/patients/ana')).status).toBe(200);
    expect((await get('/capabilities')).status).toBe(200);
    expect((await get('/v1/appointments?patientId=ana')).status).toBe(401);
  });

  test('says so in the document that it serves', async () => {
    const { paths } = JSON.parse((await get('/openapi.json')).text);
    const security = ['/patients/{id}', '/capabilities', '/v1/appointments'].map((path) => paths[path].get.security);
    expect(security).toEqual([[], [], [{ bearerAuth: [] }]]);
  });
});
