import { describe, expect, test } from '@jest/globals';
import { http, httpChange, httpQuestion } from '../../../../../adapters/mapping/sources/http/schema.ts';
import { openSources } from '../../../../../adapters/mapping/sources/open-sources.ts';
import { nock } from '../../../../support/nock.ts';
import { sourceCall } from '../../../../support/source-call.ts';

process.env.SIGHO_USER = 'puente';
process.env.SIGHO_PASSWORD = 'ñandú & co';

describe('a login', () => {
  const url = 'http://his.example';
  const ask = async (given: object) =>
    (await openSources({ system: 'his', http: http.parse({ url, login: given }) }))
      .question(httpQuestion.parse({ request: 'GET /x' }))
      .ask({}, sourceCall());
  const expectHeaders = (headers: Record<string, string>, status = 200) =>
    nock(url, { reqheaders: headers }).get('/x').reply(status, []);

  test('by JSON sends the token of the answer with what stands before it', async () => {
    nock(url)
      .post('/login', { user: 'puente', fixed: 1 })
      .reply(200, { data: { token: 'abc' } });
    expectHeaders({ Authorization: 'Bearer abc' });
    const json = { user: 'env:SIGHO_USER', fixed: 1 };
    await ask({ request: 'POST /login', json, token: 'data.token', header: 'Authorization', before: 'Bearer ' });
  });

  test('by SOAP escapes the secret, and takes the token from a header', async () => {
    nock(url)
      .post('/login', /<clave>ñandú &amp; co<\/clave>/)
      .reply(200, {}, { 'X-Token': 'abc' });
    expectHeaders({ 'X-Session': 'abc' });
    const xml = '<login><clave>env:SIGHO_PASSWORD</clave></login>';
    await ask({ request: 'POST /login', xml, tokenHeader: 'X-Token', header: 'X-Session' });
  });

  test('by cookies sends all of them back, and a new one when the session has ended', async () => {
    const cookies = (session: string) => ({ 'Set-Cookie': [`JSESSIONID=${session}; Path=/; HttpOnly`, 'lang=es'] });
    nock(url).post('/login').reply(200, {}, cookies('1')).post('/login').reply(200, {}, cookies('2'));
    expectHeaders({ Cookie: 'JSESSIONID=1; lang=es' }, 401);
    expectHeaders({ Cookie: 'JSESSIONID=2; lang=es' });
    await ask({ request: 'POST /login', form: { user: 'env:SIGHO_USER' } });
  });

  test('that has ended amid a change is made once more, and the change is sent again once', async () => {
    const cookie = (session: string) => ({ 'Set-Cookie': [`JSESSIONID=${session}`] });
    nock(url).post('/login').reply(200, {}, cookie('1')).post('/login').reply(200, {}, cookie('2'));
    const send = (session: string) =>
      nock(url, { reqheaders: { Cookie: `JSESSIONID=${session}` } }).post('/bookings', { slot: '7' });
    send('1').reply(401);
    send('2').reply(201, { id: '41' });
    const book = httpChange.parse({ request: 'POST /bookings', json: { slot: ':slotId' }, id: 'id' });
    const login = { request: 'POST /login' };
    const { change } = await openSources({ system: 'his', http: http.parse({ url, login }) });
    expect(await change(book).make({ slotId: ['7'] }, [], sourceCall())).toEqual({ id: '41' });
    expect(nock.pendingMocks()).toEqual([]);
  });

  test('is tried three times more for one question, and then fails', async () => {
    nock(url).post('/login').times(4).reply(200, {}, { 'Set-Cookie': 'a=1' }).get('/x').times(4).reply(401);
    await expect(ask({ request: 'POST /login' })).rejects.toMatchObject({ kind: 'unavailable', code: 'backend_auth' });
    expect(nock.pendingMocks()).toEqual([]);
  });

  test.each([
    ['basic', { kind: 'basic', user: 'us', password: 'env:SIGHO_USER' }, 'Basic dXM6cHVlbnRl'],
    ['bearer', { kind: 'bearer', token: 'env:SIGHO_USER' }, 'Bearer puente'],
  ])('of the kind %s stands in every request', async (_, given, Authorization) => {
    expectHeaders({ Authorization });
    await ask(given);
  });

  test.each([
    ['basic', { kind: 'basic', user: 'us', password: 'env:SIGHO_USER' }],
    ['none', { kind: 'none' }],
  ])('of the kind %s, which has no other, is sent once when it is refused', async (_, given) => {
    const refusing = nock(url).get('/x').times(2).reply(401);
    await expect(ask(given)).rejects.toMatchObject({ kind: 'unavailable', code: 'backend_auth' });
    expect(refusing.pendingMocks()).toHaveLength(1);
    nock.cleanAll();
  });

  test('by OAuth 2 asks for a token, and for another one when it is refused', async () => {
    const tokens = nock('http://login.example').post('/token', /grant_type=client_credentials/);
    tokens.reply(200, { access_token: 'one', expires_in: 300 }).post('/token').reply(200, { access_token: 'two' });
    expectHeaders({ Authorization: 'Bearer one' }, 401);
    expectHeaders({ Authorization: 'Bearer two' });
    const tokenUrl = 'http://login.example/token';
    await ask({ kind: 'oauth2-secret', tokenUrl, clientId: 'us', clientSecret: 'env:SIGHO_USER' });
    expect(nock.pendingMocks()).toEqual([]);
  });
});
