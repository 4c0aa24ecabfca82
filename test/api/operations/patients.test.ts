import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import castFile from '../../../config/sandbox-cast.json' with { type: 'json' };
import { startGateway } from '../../support/gateway.ts';

const cast = Object.keys(castFile.cast);

const gateway = await startGateway();
beforeEach(() => gateway.ask('POST', '/sandbox/reset'));
afterAll(() => gateway.stop());

const get = () => gateway.ask('GET', '/patients/ana');
const put = (body: object, headers: Record<string, string> = {}) => gateway.ask('PUT', '/patients/ana', body, headers);
const codeOf = ({ text }: { readonly text: string }) => (JSON.parse(text) as { code?: string }).code;

describe('an update of a patient', () => {
  test('takes what a read answered, with its id', async () => {
    const shown = JSON.parse((await get()).text);
    expect(shown.id).toBe('ana');
    expect((await put({ ...shown, phone: '+54 9 11 5555-0199' })).status).toBe(200);
    expect(JSON.parse((await get()).text)).toEqual({ ...shown, phone: '+54 9 11 5555-0199' });
  });

  test.each(['constructor', 'toString', '__proto__', 'AR'])('shows the country %s of an address', async (country) => {
    expect((await put({ address: { country } })).status).toBe(200);
    const shown = JSON.parse((await get()).text);
    expect(shown.address.country).toBe(country === 'AR' ? 'Argentina' : country);
  });

  test('refuses the id of another patient, at its place', async () => {
    const { status, text } = await put({ id: 'bruno', phone: '+54 9 11 5555-0199' });
    expect([status, JSON.parse(text).errors]).toEqual([
      422,
      [{ in: 'body', at: '/id', message: 'must be the id of the path: it cannot be changed' }],
    ]);
  });

  test.each([...cast, 'ana'])('takes what a read of %s returned, as it is', async (id) => {
    const shown = await gateway.ask('GET', `/patients/${id}`);
    expect(shown.status).toBe(200);
    const answer = await gateway.ask('PUT', `/patients/${id}`, JSON.parse(shown.text));
    expect([answer.status, answer.text]).toEqual([200, '{}']);
    expect((await gateway.ask('GET', `/patients/${id}`)).text).toBe(shown.text);
  });

  test('takes what a search returned, with its status', async () => {
    const found = await gateway.ask('GET', '/patients/search?identifier=24FV90817');
    const [passport] = JSON.parse(found.text).patients;
    expect(passport.status).toBe('Active');
    expect((await gateway.ask('PUT', '/patients/passport', passport)).status).toBe(200);
  });

  test.each([
    [{ status: 'Inactive' }, '/status', 'must be the status of the patient: it cannot be changed'],
    [{ birth_date: '' }, '/birth_date', 'must not be empty: it cannot be erased'],
    [{ identifier: '', identifier_type: 'DNI' }, '/identifier', 'must not be empty: it cannot be erased'],
  ])('refuses %j, which differs from the record', async (body, at, message) => {
    const { status, text } = await put({ ...body, phone: '+54 9 11 5555-0199' });
    expect([status, JSON.parse(text).errors]).toEqual([422, [{ in: 'body', at, message }]]);
    expect(JSON.parse((await get()).text).phone).not.toBe('+54 9 11 5555-0199');
  });

  test('with an empty Content-Encoding is one without it', async () => {
    expect((await put({ phone: '+54 9 11 5555-0199' }, { 'Content-Encoding': '' })).status).toBe(200);
  });
});

describe('the version of a patient', () => {
  test('is the ETag of a read, and another one after each change', async () => {
    const before = (await get()).headers.etag;
    expect(before).toMatch(/^"[^"]+"$/);
    expect((await get()).headers.etag).toBe(before);
    await put({ phone: '+54 9 11 5555-0199' });
    expect((await get()).headers.etag).not.toBe(before);
  });

  test('that If-Match names must be the current one: otherwise the update is 412 and nothing changes', async () => {
    const etag = String((await get()).headers.etag);
    expect((await put({ phone: '+54 9 11 5555-0198' }, { 'If-Match': `"other", ${etag}` })).status).toBe(200);
    const late = await put({ phone: '+54 9 11 5555-0199' }, { 'If-Match': etag });
    expect([late.status, codeOf(late)]).toEqual([412, 'precondition_failed']);
    expect(JSON.parse((await get()).text).phone).toBe('+54 9 11 5555-0198');
  });

  test.each(['*', '', undefined])('is not compared where If-Match is %s', async (value) => {
    const headers = value === undefined ? {} : { 'If-Match': value };
    expect((await put({ phone: '+54 9 11 5555-0199' }, headers)).status).toBe(200);
  });

  test.each(['W/"1"', '1'])('is never that of If-Match: %s, which names none that can be compared', async (value) => {
    const answer = await put({ phone: '+54 9 11 5555-0199' }, { 'If-Match': value });
    expect([answer.status, codeOf(answer)]).toEqual([412, 'precondition_failed']);
  });
});
