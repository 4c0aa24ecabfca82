import { text as readText } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { formatResource, parseDecimals } from '../../../../adapters/fhir/rest/decode.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { serve } from '../../../support/listen.ts';

describe('JSON of FHIR that is written again', () => {
  test.each([
    '-34.500',
    '0.010',
    '1.0',
    '70.00',
    '1e3',
    '1.50E-7',
    '0.0000001',
    '-58.38159270000000001',
    '12345678901234567890',
  ])('has %s as it was, in an object, a list and at the end of a line', (decimal) => {
    const text = `{"in":[${decimal},{"value":${decimal}},[{"a":"b","value":${decimal}}]],"value":${decimal}}`;
    expect(formatResource(parseDecimals(text))).toBe(text);
    const pretty = text.replaceAll(decimal, `\n  ${decimal}\n`);
    expect(formatResource(parseDecimals(pretty))).toBe(text);
  });

  test('is read as numbers', () => {
    const { value, in: list } = parseDecimals('{"value":-34.500,"in":[1e3]}') as { value: number; in: number[] };
    expect([value, ...list]).toEqual([-34.5, 1_000]);
  });

  test('has 20,000 values at most when such numbers are among them', () => {
    expect(parseDecimals(`[${Array(20_000).fill('1.10').join()}]`)).toHaveLength(20_000);
    expect(() => parseDecimals(`[${Array(20_001).fill('1.10').join()}]`)).toThrow('cannot be used');
    expect(parseDecimals(`[${Array(20_001).fill('1.1').join()}]`)).toHaveLength(20_001);
  });

  test('has them as they were in a copy, too', () => {
    const parsed = parseDecimals('{"value":-34.500,"in":{"value":1.0}}') as { in: object };
    expect(formatResource({ ...parsed, in: { ...parsed.in } })).toBe('{"value":-34.500,"in":{"value":1.0}}');
  });

  test('has the new value of what was changed', () => {
    const resource = parseDecimals('{"position":{"latitude":-34.500,"longitude":-58.300}}') as {
      position: { latitude: number };
    };
    resource.position.latitude = -34.6;
    expect(formatResource(resource)).toBe('{"position":{"latitude":-34.6,"longitude":-58.300}}');
  });
});

/** As a server stores it that keeps decimals. */
let stored = '';
const server = await serve(async (req, res) => {
  if (req.method === 'PUT') stored = (await readText(req)).replace('"versionId":"1"', '"versionId":"2"');
  const found = `{"resourceType":"Bundle","type":"searchset","entry":[{"resource":${stored}}]}`;
  res.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(req.url?.includes('?') ? found : stored);
});

describe('an update of a resource', () => {
  test('of another type leaves them too', async () => {
    const cost = '"costToBeneficiary":[{"valueMoney":{"value":1500.00,"currency":"ARS"}}]';
    stored = `{"resourceType":"Coverage","id":"c","meta":{"versionId":"1"},"status":"active",${cost},
      "beneficiary":{"reference":"Patient/ana"},"payor":[{"reference":"Organization/o"}]}`;
    const { ports } = await connect({ url: `${server}/fhir` }, { retries: 0, transactions: 'trust' });
    await ports.insurance.edit('c', { credentialNumber: '77' }, callNow());
    expect(stored).toContain('"77"');
    expect(stored).toContain(cost);
  });

  test('leaves the decimals in it that it does not know as precise as they were', async () => {
    const place = '{"url":"latitude","valueDecimal":-34.500},{"url":"longitude","valueDecimal":-58.3810}';
    const geolocation = `{"url":"http://hl7.org/fhir/StructureDefinition/geolocation","extension":[${place}]}`;
    stored = `{"resourceType":"Patient","id":"ana","meta":{"versionId":"1"},"gender":"female","birthDate":"1985-11-30",
      "address":[{"line":["Av. de Mayo 1"],"extension":[${geolocation}]}]}`;
    const { ports } = await connect({ url: `${server}/fhir` }, { retries: 0, transactions: 'trust' });
    await ports.patients.update('ana', { phone: '+54 11 5555-0000' }, callNow());
    expect(stored).toContain('+54 11 5555-0000');
    expect(stored).toContain(geolocation);
  });
});
