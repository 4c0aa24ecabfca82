import { afterAll, describe, expect, test } from '@jest/globals';
import { clinic } from '../../examples/adapter.ts';
import { documentConformanceCases } from '../../src/contract/cases/document-conformance.ts';
import { createHttpSubject, runCase, sandbox } from '../../src/contract/index.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { startGateway } from '../support/gateway.ts';
import { nock } from '../support/nock.ts';

const person = { code: 'ana', given: 'Ana', family: 'Ferreyra', sex: 'F', born: '1985-11-30', dni: '31465466' };
const doctor = { code: 'paz', name: 'Elena Paz', specialty: 'Clínica médica' };

/** The clinic's own system. */
nock.enableNetConnect('127.0.0.1');
const system = nock('http://clinic.example').persist();
system.get('/people').query({ code: 'ana' }).reply(200, [person]);
system.get('/people').query({ code: 'nobody' }).reply(200, []);
system.get('/people').query({ code: 'odd' }).reply(200, {});
system.get('/people').query({ code: 'page' }).reply(200, '<html>Log in</html>', { 'Content-Type': 'text/html' });
system.get('/people').query({ code: 'failing' }).reply(500, 'Stack trace');
system
  .get('/people')
  .query({ code: 'down' })
  .replyWithError(Object.assign(new Error('down'), { code: 'ECONNREFUSED' }));
system.get('/doctors').reply(200, [doctor]);

const folder = new ConfigFolder();
const file = folder.write('x.yaml', "adapter: { name: clinic, settings: { url: 'http://clinic.example' } }");
const gateway = await startGateway({ file, adapters: { clinic } });

afterAll(async () => {
  await gateway.stop();
  folder.remove();
});

async function get(path: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const { status, text } = await gateway.ask('GET', path);
  return { status, body: JSON.parse(text) };
}

describe('the adapter of the documentation', () => {
  test('serves the two operations that it has methods for', async () => {
    const { body } = await get('/capabilities');
    const { operations } = body as { operations: { operation: string; adapter: string; offered: boolean }[] };
    const offered = operations.filter((each) => each.offered).map((each) => each.operation);
    expect(offered).toEqual(['getPatient', 'listPractitioners']);
    expect(await get('/patients/ana')).toMatchObject({
      status: 200,
      body: { id: 'ana', name: 'Ana', last_name: 'Ferreyra', gender: 'Female', identifier: 31465466 },
    });
    expect(await get('/practitioner/')).toMatchObject({
      status: 200,
      body: { practitioner: [{ id: 'paz', name: 'Elena Paz', is_available: true }] },
    });
  });

  test.each([
    ['nobody', 404, 'not_found'],
    ['down', 502, 'backend_unavailable'],
    ['failing', 502, 'backend_unavailable'],
    ['odd', 502, 'backend_invalid_response'],
    ['page', 502, 'backend_invalid_response'],
  ])('ends for the id %s in %s %s', async (id, status, code) => {
    expect(await get(`/patients/${id}`)).toMatchObject({ status, body: { code } });
  });

  test.each(
    documentConformanceCases
      .filter(
        ({ whenUnsupported, needs }) => whenUnsupported && !['patients.get', 'practitioners.list'].includes(needs),
      )
      .map((one) => [one.needs, one] as const),
  )('answers 501 where it has no %s', async (_needs, one) => {
    const { url: baseUrl, token } = gateway;
    const subject = createHttpSubject({ baseUrl, token, supports: [], fixtures: sandbox });
    expect(await runCase(one, async () => subject)).toMatchObject({ outcome: 'pass' });
  });
});
