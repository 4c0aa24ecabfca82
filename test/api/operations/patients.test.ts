import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startGateway } from '../../support/gateway.ts';

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

  test('refuses the id of another patient, at its place', async () => {
    const { status, text } = await put({ id: 'bruno', phone: '+54 9 11 5555-0199' });
    expect([status, JSON.parse(text).errors]).toEqual([
      422,
      [{ in: 'body', at: '/id', message: 'must be the id of the path: it cannot be changed' }],
    ]);
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
