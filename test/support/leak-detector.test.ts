import { describe, expect, test } from '@jest/globals';
import { findLeaks } from './leak-detector.ts';

describe('the leak detector, to which every gateway of a test is put when it stops,', () => {
  const line = (fields: object) => JSON.stringify({ time: '1985-11-30T12:00:00.000Z', event: 'request', ...fields });

  test.each([
    ['an id', 'ana'],
    ['a name', 'Ferreyra'],
    ['a birth date', '1985-11-30'],
    ['a birth date of Group A', '1985/11/30'],
    ['a number of a document', '31465466'],
    ['a clinical record', 'HC-000001'],
    ['an insurance card', '61248830501'],
    ['a coverage', 'ana-osde'],
    ['a phone', '+54 9 11 5555-0101'],
    ['an e-mail', 'ana.ferreyra@example.org'],
    ['a street', 'Av. Rivadavia'],
    ['somebody new', '6b1f1f0e-96a3-4b0e-8a41-0c3f5d2c9a77'],
    ['a document of somebody new', '96123456'],
    ['a token', 'puente_00000000_every-scope'],
    ['a token of an issuer', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0'],
  ])('notices %s', (_what, value) => {
    expect(findLeaks(line({ route: `GET /patients/${value}` }))).not.toEqual([]);
    expect(findLeaks(line({ detail: `there is no ${value}, or not now`, status: 404 }))).not.toEqual([]);
  });

  test('lets pass what the gateway has to say', () => {
    const requestId = '3f0c1f5e-6f0e-4b8c-9a55-0f2b7d6d1c11';
    const fields = { requestId, operation: 'getPatient', route: 'GET /patients/{id}', status: 404, ms: 96123456 };
    expect(findLeaks(line({ ...fields, client: 'platform', code: 'not_found', at: 'patients/0/birth_date' }))).toEqual(
      [],
    );
    expect(findLeaks(line({ ...fields, instance: `urn:puente:request:${requestId}`, title: 'Banana' }))).toEqual([]);
    expect(findLeaks(line({ event: 'listening', version: '0.3.0+98730340' }))).toEqual([]);
    expect(findLeaks(JSON.stringify('puente_build_info{version="0.3.0+98730340",node="24.21.0"}'))).toEqual([]);
  });
});
