import { describe, expect, test } from '@jest/globals';
import { callNow } from '../../../support/fhir-calls.ts';
import { getProblem } from '../../../support/fhir-failures.ts';
import { json, setUpScript } from '../../../support/scripted-fhir.ts';

const ana = { resourceType: 'Patient', id: 'ana', birthDate: '1985-11-30', gender: 'female' };
const { ports, server } = await setUpScript({ retries: 0, transactions: 'trust' });
const update = () => ports.patients.update('ana', { phone: '+54 11 5555-0000' }, callNow());

describe('an update of what was read', () => {
  test('names its version, so that nobody’s change is lost', async () => {
    server
      .get('/fhir/Patient/ana')

      .reply(200, { ...ana, meta: { versionId: '3' } }, json);
    server
      .put('/fhir/Patient/ana')
      .matchHeader('if-match', 'W/"3"')
      .reply(200, { ...ana, meta: { versionId: '4' } }, json);
    await update();
  });

  test('is done when the answer is its new ETag alone, and of unknown outcome when the answer is empty', async () => {
    const read = { ...ana, meta: { versionId: '3' } };
    server.get('/fhir/Patient/ana').reply(200, read, json);
    server.put('/fhir/Patient/ana').reply(200, '', { ETag: 'W/"4"' });
    await update();
    server.get('/fhir/Patient/ana').reply(200, read, json);
    server.put('/fhir/Patient/ana').reply(200, '');
    expect(await getProblem(update(), 'updatePatient')).toBe('504 backend_outcome_unknown');
  });

  test.each([{}, { meta: {} }])('is not sent when the server gave no version: %j', async (without) => {
    server.get('/fhir/Patient/ana').reply(200, { ...ana, ...without }, json);
    expect(await getProblem(update(), 'updatePatient')).toBe('502 backend_invalid_response');
  });
});
